//! Claims that two addresses never meet: scopes, which LLVM makes of references when it inlines. Where nothing is
//! written through either of two references, they may well meet. Enzyme makes the same claims of the shadows, to which it
//! adds through both. So only what is written keeps such claims; for what is read they are of no use.

use std::collections::HashSet;

use crate::llvm::{Context, Function, Metadata, Module, Opcode};

/// Takes back such claims.
pub(super) fn restrict<'c>(context: &'c Context, module: &Module<'c>) {
    let (scope, apart) = (context.metadata_kind("alias.scope"), context.metadata_kind("noalias"));
    for function in module.functions().filter(|function| !function.is_declaration()) {
        let written = written(function, scope);
        for instruction in function.instructions().filter(|it| it.opcode() != Opcode::Store) {
            let Some(list) = instruction.metadata(apart).map(Metadata::operands) else { continue };
            let kept: Vec<_> = list.iter().copied().filter(|scope| written.contains(scope)).collect();
            if kept.len() < list.len() {
                let node = (!kept.is_empty()).then(|| context.metadata_node(&kept));
                instruction.set_metadata(apart, node);
            }
        }
    }
}

/// The scopes through which something may be written.
fn written(function: Function<'_>, scope: u32) -> HashSet<Metadata<'_>> {
    let writing = function.instructions().filter(|it| it.opcode() != Opcode::Load);
    writing.filter_map(|it| it.metadata(scope)).flat_map(Metadata::operands).collect()
}
