//! What is said, line by line, as JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::job::{Outcome, Timing};

/// What the suite says.
#[derive(Deserialize)]
pub(crate) struct Message<'a> {
    pub(crate) id: i64,
    #[serde(borrow)]
    pub(crate) kind: Cow<'a, str>,
    #[serde(borrow)]
    module: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

impl Message<'_> {
    pub(crate) fn module(&self) -> Result<&str, String> {
        self.module.as_deref().ok_or_else(|| "the message has no `module`".to_owned())
    }

    pub(crate) fn function(&self) -> Result<&str, String> {
        self.function.as_deref().ok_or_else(|| "the message has no `function`".to_owned())
    }

    pub(crate) fn input(&self) -> Result<&str, String> {
        Ok(self.input.ok_or_else(|| "the message has no `input`".to_owned())?.get())
    }
}

/// What is answered.
#[derive(Default, Serialize)]
pub(crate) struct Reply {
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    timings: Vec<Timing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Reply {
    pub(crate) fn empty(id: i64) -> Self {
        Self { id, ..Self::default() }
    }

    pub(crate) fn name(id: i64) -> Self {
        Self { tool: Some("cargo-autodiff"), ..Self::empty(id) }
    }

    pub(crate) fn success(id: i64) -> Self {
        Self { success: Some(true), ..Self::empty(id) }
    }

    pub(crate) fn failure(id: i64, why: String) -> Self {
        Self { success: Some(false), error: Some(why), ..Self::empty(id) }
    }

    pub(crate) fn outcome(id: i64, Outcome { output, timings }: Outcome) -> Self {
        Self { output: Some(output), timings, ..Self::success(id) }
    }
}

/// The number of a message that is not JSON throughout, if it can be made out.
pub(crate) fn id(line: &str) -> Option<i64> {
    let (_, rest) = line.split_once("\"id\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
