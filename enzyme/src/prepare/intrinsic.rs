//! Intrinsics that Enzyme does not know, put in terms of what it knows.

use crate::llvm::{Attribute, Builder, Context, Function, Instruction, Module, Place, Value};

/// Intrinsics whose results are integers: nothing flows through them.
const INTEGER: [&str; 20] = [
    "llvm.abs.",
    "llvm.bitreverse.",
    "llvm.bswap.",
    "llvm.ctlz.",
    "llvm.ctpop.",
    "llvm.cttz.",
    "llvm.fptosi.sat.",
    "llvm.fptoui.sat.",
    "llvm.fshl.",
    "llvm.fshr.",
    "llvm.sadd.",
    "llvm.scmp.",
    "llvm.smul.",
    "llvm.sshl.",
    "llvm.ssub.",
    "llvm.uadd.",
    "llvm.ucmp.",
    "llvm.umul.",
    "llvm.ushl.",
    "llvm.usub.",
];

/// Rewrites calls of such intrinsics.
pub(super) fn lower<'c>(context: &'c Context, module: &Module<'c>) {
    for intrinsic in module.functions().filter(|function| function.is_intrinsic()) {
        let name = intrinsic.name();
        let users = intrinsic.users().into_iter().filter_map(Value::as_instruction);
        let calls = users.filter(|user| user.callee() == Some(intrinsic));
        if let Some(kind) =
            name.split('.').nth(1).filter(|kind| ["umax", "umin", "smax", "smin"].contains(kind))
        {
            calls.for_each(|call| choose(context, call, kind));
        } else if name.starts_with("llvm.maximumnum.") || name.starts_with("llvm.minimumnum.") {
            // They differ for signalling NaNs only, which Rust does not promise to tell apart.
            let known = name.replace("imumnum.", "num.");
            let known = module.declare(&known, intrinsic.signature());
            calls.for_each(|call| replace(context, call, known));
        } else if INTEGER.iter().any(|integer| name.starts_with(integer)) {
            for call in calls {
                call.add_call_attribute(context, Place::Function, Attribute::Text("enzyme_inactive", ""));
            }
        }
    }
}

/// The larger or smaller of two integers as a comparison and a choice.
fn choose<'c>(context: &'c Context, call: Instruction<'c>, kind: &str) {
    let builder = Builder::before(context, call);
    let (left, right) = (call.operand(0), call.operand(1));
    let less = if kind.starts_with('u') {
        builder.less_unsigned(left, right)
    } else {
        builder.less_signed(left, right)
    };
    let chosen = if kind.ends_with("min") {
        builder.select(less, left, right)
    } else {
        builder.select(less, right, left)
    };
    call.replace_uses(chosen);
    call.erase();
}

fn replace<'c>(context: &'c Context, call: Instruction<'c>, by: Function<'c>) {
    let new = Builder::before(context, call).call(by, &call.arguments());
    call.replace_uses(new.value());
    call.erase();
}
