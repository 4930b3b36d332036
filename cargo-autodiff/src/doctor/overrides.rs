//! Settings of the user's that change what our builds do.

use std::path::Path;

use cargo_config2::{Config, TargetTripleRef};

use super::Check;
use crate::users_wrapper;

/// A flag for rustc that matters, what it does, and what to do.
type Flag = (&'static str, fn(&str) -> Check);

const FLAGS: [Flag; 5] = [
    ("linker=", |flag| {
        let detail = format!("rustc is told `{flag}`: it is called after us");
        Check::ok("settings", detail)
    }),
    ("codegen-backend=", |flag| {
        let detail = format!("rustc is told `{flag}`; derivatives are made from LLVM's bitcode");
        Check::problem("settings", detail, "remove the flag for `cargo autodiff`")
    }),
    ("linker-plugin-lto", counts_as_off),
    ("lto=", counts_as_off),
    ("incremental=", |flag| {
        let detail = format!("rustc is told `{flag}`, which crates that may be differentiated ignore");
        Check::ok("settings", detail)
    }),
];

/// Link-time optimisation would remove what derivatives refer to.
fn counts_as_off(flag: &str) -> Check {
    let detail = format!("rustc is told `{flag}`, which counts as off");
    Check::warning("settings", detail, "nothing: derivatives see the whole program without it")
}

pub(super) fn all(config: &Config, host: &str) -> Vec<Check> {
    let mut checks = Vec::new();
    if let Some(wrapper) = named(config.build.rustc_wrapper.as_deref()) {
        checks.push(match users_wrapper::find(Some(wrapper)) {
            Ok(_) => Check::ok("settings", format!("rustc wrapper {}, called after us", wrapper.display())),
            Err(error) => Check::problem("settings", format!("{error:#}"), "RUSTC_WRAPPER="),
        });
    }
    if let Some(wrapper) = named(config.build.rustc_workspace_wrapper.as_deref()) {
        let detail = format!("rustc workspace wrapper {}, called after us", wrapper.display());
        checks.push(Check::ok("settings", detail));
    }
    let flags = config.rustflags(host).ok().flatten().map(|flags| flags.flags).unwrap_or_default();
    checks.extend(flags.iter().filter_map(|flag| of_flag(flag)));
    if let Some(targets) = &config.build.target {
        let targets: Vec<_> = targets.iter().map(TargetTripleRef::triple).collect();
        if targets != [host] {
            let detail = format!("build.target is {}", targets.join(", "));
            checks.push(Check::warning(
                "settings",
                detail,
                "only the machine's own target is tried regularly",
            ));
        }
    }
    if checks.is_empty() {
        checks.push(Check::ok("settings", "nothing overrides ours"));
    }
    checks
}

fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| !path.as_os_str().is_empty())
}

/// What there is to say about a flag, written `-Cname`, `-C name` (two words) or `-Zname`.
fn of_flag(flag: &str) -> Option<Check> {
    let name = flag.trim_start_matches("-C").trim_start_matches("-Z").trim_start_matches("--codegen=");
    FLAGS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, check)| check(flag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Outcome;

    #[test]
    fn flags_are_recognised_joined_and_apart() {
        for flag in ["-Zcodegen-backend=cranelift", "codegen-backend=cranelift"] {
            assert_eq!(of_flag(flag).unwrap().outcome, Outcome::Problem);
        }
        for flag in ["-Clto=fat", "-Clinker-plugin-lto"] {
            assert_eq!(of_flag(flag).unwrap().outcome, Outcome::Warning);
        }
        assert_eq!(of_flag("linker=mold").unwrap().outcome, Outcome::Ok);
        assert_eq!(of_flag("-Copt-level=3"), None);
    }
}
