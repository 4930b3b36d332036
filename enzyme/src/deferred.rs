//! Refusals put off until the derivative is called: their texts, in an object file of their own.

use crate::error::Error;
use crate::llvm::{Context, Machine};
use crate::protocol::{Refusal, Request, Response};
use crate::source::Source;

/// Adds an object file with the text of each refusal to a response.
pub(crate) fn write(request: &Request, sources: &[Source], response: &mut Response) -> Result<(), Error> {
    let Some(source) = sources.first().filter(|_| !response.refusals.is_empty()) else {
        return Ok(());
    };
    let context = Context::new();
    let sample = context.parse_lazily(&source.bytes).map_err(Error::bitcode(&source.krate))?;
    let machine = Machine::new(&sample.triple(), &request.target)
        .map_err(Error::stage("choosing the target machine"))?;
    let module = context.create_module(c"reasons");
    module.set_machine(&sample.triple(), &machine.data_layout());
    for refusal in &response.refusals {
        let symbol = symbol(&refusal.site);
        module.add_text(&context, &symbol, &text(refusal));
        response.reasons.insert(refusal.site.clone(), symbol);
    }
    let object = request.workspace.join("reasons.o");
    machine.emit(&module, &object).map_err(Error::stage("emitting object code"))?;
    response.objects.push(object);
    Ok(())
}

/// The name of a text, from that of the derivative in whose place it is.
fn symbol(site: &str) -> String {
    format!("__autodiff_reason_{}", site.trim_start_matches("__autodiff_derivative_"))
}

fn text(refusal: &Refusal) -> String {
    let place = refusal.location.iter().map(|place| format!("\n  at {}:{}", place.file, place.line));
    let help = refusal.help.iter().map(|help| format!("\nhelp: {help}"));
    let report = refusal.report.iter().map(|report| format!("\nreport: {}", report.display()));
    let more = refusal.code.iter().map(|code| format!("\nfor more, run `cargo autodiff explain {code}`"));
    std::iter::once(refusal.message.clone()).chain(place).chain(help).chain(report).chain(more).collect()
}
