//! The worker: a process of its own that loads rustc's LLVM. A request comes on standard input, the
//! response goes to standard output.

use std::io;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use autodiff_enzyme::protocol::Request;

use crate::memory;

/// Serves one request.
pub(crate) fn main() -> Result<ExitCode> {
    memory::limit();
    let request: Request = serde_json::from_reader(io::stdin().lock()).context("malformed request")?;
    let response = autodiff_enzyme::differentiate(&request)?;
    serde_json::to_writer(io::stdout().lock(), &response)?;
    Ok(ExitCode::SUCCESS)
}
