//! `cargo autodiff`: cargo, with derivatives.
//!
//! Who calls whom. One executable plays five parts; private environment variables, set by the part
//! before, say which one:
//!
//! 1. The user runs `cargo autodiff run`. cargo starts this program as the **front end**
//!    ([`front`]), which works out toolchain, target directory and engine, writes them into
//!    `__CARGO_AUTODIFF_SESSION` ([`session`]), sets `RUSTC_WRAPPER` to itself and
//!    `__CARGO_AUTODIFF_WRAPPER`, and becomes `cargo run`.
//! 2. For each crate cargo starts this program as the **rustc wrapper** ([`wrapper::rustc`]). It
//!    runs the real rustc and keeps the bitcode rustc makes on the way. For a crate that links, it
//!    names this program as the linker and sets `__CARGO_AUTODIFF_LINK` for that rustc.
//! 3. rustc starts this program as the **linker wrapper** ([`wrapper::linker`]). Without a
//!    derivative call among the objects it becomes the real linker at once. Otherwise it gathers
//!    what is to be differentiated and starts
//! 4. the **worker** ([`worker`]; `__CARGO_AUTODIFF_WORKER`), a process of its own because it loads
//!    the LLVM of the user's rustc, which may end the process. It prepares the code, runs the
//!    engine (Enzyme) and writes an object file with the derivatives.
//! 5. The linker wrapper adds that object and starts the **real linker**.

mod clean;
mod cli;
mod doctor;
mod engine;
mod explain;
mod forward;
mod front;
mod hex;
mod memory;
mod process;
mod project;
mod reduce;
mod session;
mod setup;
mod target_dir;
mod term;
mod toolchain;
mod users_wrapper;
mod worker;
mod wrapper;

use std::{env, process::ExitCode};

use tracing_subscriber::EnvFilter;

use crate::session::private;

fn main() -> ExitCode {
    start_tracing();
    let first = env::args_os().nth(1);
    let result = if env::var_os(private::WORKER).is_some() {
        worker::main()
    } else if env::var_os(private::LINK).is_some() {
        wrapper::linker::main()
    } else if env::var_os(private::WRAPPER).is_some() && first.is_some_and(|a| a != "autodiff") {
        wrapper::rustc::main()
    } else {
        front::main()
    };
    result.unwrap_or_else(|error| {
        term::error(&error);
        std::process::exit(term::FAILURE)
    })
}

/// Sends what `CARGO_AUTODIFF_LOG` selects to standard error.
fn start_tracing() {
    let Ok(filter) = EnvFilter::try_from_env("CARGO_AUTODIFF_LOG") else { return };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
}
