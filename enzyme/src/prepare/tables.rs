//! Hash tables that numbers are put in. Entries and control bytes share one piece of memory whose
//! layout depends on its size, and Enzyme cannot tell them apart.

use crate::class::Class;
use crate::llvm::Module;
use crate::reason::Reason;
use crate::symbol;

/// Finds the growth of a hash table with numbers among its keys or values. Reading one is fine.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    let functions = module.functions().filter(|function| !function.is_declaration());
    functions.into_iter().find_map(|function| {
        grows_with_numbers(&function.name()).then(|| Reason::within(Class::Table, function))
    })
}

fn grows_with_numbers(symbol: &str) -> bool {
    // Quick and for most functions final.
    if !symbol.contains("14reserve_rehash") {
        return false;
    }
    let name = symbol::demangle(symbol);
    let of = name.strip_prefix("<hashbrown::raw::RawTable<").and_then(|rest| rest.split(">::").next());
    let mut words = of.unwrap_or_default().split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| ["f32", "f64"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::grows_with_numbers;

    #[test]
    fn growth_of_tables_with_numbers_is_known() {
        let growth =
            "_RINvMs6_NtCsgvbsrvnw3yD_9hashbrown3rawINtB6_8RawTableTjdEE14reserve_rehashjECsejXo1ZYD7HZ_3one";
        assert!(grows_with_numbers(growth));
        assert!(!grows_with_numbers(&growth.replace("Tjd", "Tjj")));
        assert!(!grows_with_numbers(&growth.replace("14reserve_rehash", "4find")));
    }
}
