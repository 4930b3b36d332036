//! A tool for `GradBench`, the benchmark suite of automatic differentiation: it reads a message of the suite's protocol
//! from each line of standard input, and answers by a line on standard output. `docs/gradbench.md` says how to run it.

mod evals;
mod job;
mod protocol;
mod table;

use std::any::Any;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use crate::job::{Job, Outcome};
use crate::protocol::{Message, Reply};

fn main() -> ExitCode {
    match serve(BufReader::with_capacity(1 << 20, io::stdin()), BufWriter::new(io::stdout())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gradbench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers until the input ends. Lines can be tens of megabytes long, so one buffer serves for all.
fn serve(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let reply = match serde_json::from_str(&line) {
            Ok(message) => answer(&message),
            Err(error) => {
                let why = format!("this is no message of the protocol: {error}");
                let id = protocol::id(&line).ok_or_else(|| io::Error::other(why.as_str()))?;
                Reply::failure(id, why)
            }
        };
        serde_json::to_writer(&mut output, &reply)?;
        output.write_all(b"\n")?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn answer(message: &Message) -> Reply {
    let id = message.id;
    match &*message.kind {
        "start" => Reply::name(id),
        "define" => match message.module() {
            Ok(module) if evals::find(module).is_some() => Reply::success(id),
            Ok(module) => Reply::failure(id, format!("there is no module {module:?}")),
            Err(why) => Reply::failure(id, why),
        },
        "evaluate" => match evaluate(message) {
            Ok(outcome) => Reply::outcome(id, outcome),
            Err(why) => Reply::failure(id, why),
        },
        // An analysis needs no answer but its number, and what the suite may add to the protocol gets the same.
        _ => Reply::empty(id),
    }
}

fn evaluate(message: &Message) -> Result<Outcome, String> {
    let module = message.module()?;
    let eval = evals::find(module).ok_or_else(|| format!("there is no module {module:?}"))?;
    let job = Job::new(module, message.function()?, message.input()?)?;
    // Inputs are checked, but a panic, such as that of a derivative in a plain build, must not end the session.
    catch_unwind(AssertUnwindSafe(|| eval(job))).unwrap_or_else(|panic| Err(text(&*panic)))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("the function panicked").to_owned()
}
