//! One request of the suite: a function to run, how often, and how long it took.

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Serializer;
use serde_json::ser::Formatter;
use serde_json::value::RawValue;

/// How long something took.
#[derive(Serialize)]
pub(crate) struct Timing {
    name: &'static str,
    nanoseconds: u64,
}

impl Timing {
    fn new(name: &'static str, time: Duration) -> Self {
        Self { name, nanoseconds: u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) }
    }
}

/// The result of a request.
pub(crate) struct Outcome {
    pub(crate) output: Box<RawValue>,
    pub(crate) timings: Vec<Timing>,
}

/// How often a function is to run: so many times, and so long altogether.
#[derive(Deserialize)]
#[serde(default)]
struct Runs {
    min_runs: usize,
    min_seconds: f64,
}

impl Default for Runs {
    fn default() -> Self {
        Self { min_runs: 1, min_seconds: 0.0 }
    }
}

/// A request.
pub(crate) struct Job<'a> {
    module: &'a str,
    pub(crate) function: &'a str,
    input: &'a str,
    runs: Runs,
    received: Instant,
    timings: Vec<Timing>,
}

impl<'a> Job<'a> {
    pub(crate) fn new(module: &'a str, function: &'a str, input: &'a str) -> Result<Self, String> {
        // The input of `hello` is a number, and says nothing of runs.
        let runs = if input.starts_with('{') { read(input)? } else { Runs::default() };
        Ok(Self { module, function, input, runs, received: Instant::now(), timings: Vec::new() })
    }

    /// The input, as what the function takes.
    pub(crate) fn read<I: Deserialize<'a>>(&self) -> Result<I, String> {
        read(self.input)
    }

    /// Runs the function as often as the suite wants, and measures it; what went before was preparation.
    pub(crate) fn repeat<T>(&mut self, mut run: impl FnMut() -> T) -> T {
        self.timings.push(Timing::new("prepare", self.received.elapsed()));
        let (mut count, mut total) = (0, Duration::ZERO);
        loop {
            let start = Instant::now();
            let result = black_box(run());
            let time = start.elapsed();
            self.timings.push(Timing::new("evaluate", time));
            (count, total) = (count + 1, total + time);
            if count >= self.runs.min_runs && total.as_secs_f64() >= self.runs.min_seconds {
                return result;
            }
        }
    }

    /// The outcome, in which all numbers must be finite: JSON has no others.
    pub(crate) fn answer(self, output: &impl Serialize) -> Result<Outcome, String> {
        let mut text = Vec::new();
        output
            .serialize(&mut Serializer::with_formatter(&mut text, Finite))
            .map_err(|error| format!("{}: {error}", self.function))?;
        let text = String::from_utf8(text).map_err(|error| error.to_string())?;
        let output = RawValue::from_string(text).map_err(|error| error.to_string())?;
        Ok(Outcome { output, timings: self.timings })
    }

    /// Runs the function and answers with its result.
    pub(crate) fn answer_with<T: Serialize>(mut self, run: impl FnMut() -> T) -> Result<Outcome, String> {
        let output = self.repeat(run);
        self.answer(&output)
    }

    pub(crate) fn unknown(&self) -> String {
        format!("module {:?} has no function {:?}", self.module, self.function)
    }
}

fn read<'a, I: Deserialize<'a>>(input: &'a str) -> Result<I, String> {
    serde_json::from_str(input).map_err(|error| format!("the input cannot be used: {error}"))
}

/// Writes JSON, but no `null`, which is what other numbers would become.
struct Finite;

impl Formatter for Finite {
    fn write_null<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        Err(io::Error::other("a result is not a finite number"))
    }
}

/// An error unless `holds`.
pub(crate) fn ensure(holds: bool, why: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("the input cannot be used: {why}")) }
}
