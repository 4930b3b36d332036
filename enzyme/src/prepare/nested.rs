//! Derivatives taken inside what is to be differentiated: their calls become calls of Enzyme, which
//! differentiates from the inside out.

use super::landing;
use crate::class::Class;
use crate::derivative;
use crate::llvm::{Builder, Context, Function, Global, Image, Linkage, Module, Opcode, Value};
use crate::protocol::{Activity, Mode, Param, Site};
use crate::reason::Reason;
use crate::symbol;

/// The first bytes of the record of a derivative call, and where its fields are. The runtime crate
/// defines it.
const MAGIC: &[u8] = b"\x7fautodiff site";
const SHIM: usize = 16;
const PARAMS: usize = 32;
const PARAMS_LEN: usize = 40;
const MODE: usize = 64;
const WIDTH: usize = 68;
const PARAM_SIZE: usize = 16;

/// Resolves derivative calls; returns how many there were.
pub(super) fn resolve<'c>(context: &'c Context, module: &Module<'c>) -> Result<usize, Reason> {
    let Some(entry) = module.functions().find(|function| symbol::is_derivative_call(&function.name())) else {
        return Ok(0);
    };
    let users = entry.users().into_iter().filter_map(Value::as_instruction);
    let calls: Vec<_> = users.filter(|user| user.callee() == Some(entry)).collect();
    for (number, call) in calls.iter().enumerate() {
        // In a rule, which runs as it is: what a panic would do there besides is not worth more.
        let call = match call.opcode() {
            Opcode::Invoke => &landing::to_call(context, *call).0,
            _ => call,
        };
        let record = call.operand(0).as_global().and_then(Image::of);
        let site = record.and_then(|record| read(&record, number));
        let Some((site, shim)) = site else {
            return Err(Reason::at(Class::Nested, *call));
        };
        let inner = derivative::define(context, module, &site, shim);
        inner.set_linkage(Linkage::Internal);
        Builder::before(context, *call).call(inner, &[call.operand(1)]);
        if call.has_users() {
            // Whether there is a derivative.
            call.replace_uses(call.ty().constant(1));
        }
        call.erase();
    }
    Ok(calls.len())
}

/// What is differentiated by a derivative call with this record, if it is one.
pub(super) fn shim(global: Global<'_>) -> Option<Function<'_>> {
    let record = Image::of(global).filter(|record| record.starts_with(MAGIC))?;
    record.pointer(SHIM)?.as_function()
}

/// Reads the record of a derivative call.
fn read<'c>(record: &Image<'c>, number: usize) -> Option<(Site, Function<'c>)> {
    if !record.starts_with(MAGIC) {
        return None;
    }
    let shim = record.pointer(SHIM)?.as_function()?;
    let count = usize::try_from(record.u64(PARAMS_LEN)?).ok()?;
    let params = Image::of(record.pointer(PARAMS)?.as_global()?)?;
    let site = Site {
        symbol: format!("__autodiff_inner_{number}"),
        shim: shim.name(),
        name: String::new(),
        location: None,
        mode: if record.u32(MODE)? == 0 { Mode::Reverse } else { Mode::Forward },
        width: record.u32(WIDTH)?,
        params: (0..count).map(|index| param(&params, index * PARAM_SIZE)).collect::<Option<_>>()?,
    };
    Some((site, shim))
}

fn param(params: &Image<'_>, offset: usize) -> Option<Param> {
    let activity = match params.u32(offset + 4)? {
        0 => Activity::Const,
        1 => Activity::Duplicated,
        2 => Activity::DuplicatedOnly,
        3 => Activity::Ignored,
        _ => return None,
    };
    // What is known of the types is in the calling function as well.
    let kind = params.u32(offset)?;
    Some(Param { integer: kind == 0, exclusive: kind == 2, activity, layout: None })
}
