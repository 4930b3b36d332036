//! What a build under test inherits from the shell that runs the tests.

use std::env;
use std::process::Command;

/// Variables that change what cargo, rustc or the tool do, by prefix.
const REMOVED: [&str; 14] = [
    "CARGO",
    "__CARGO",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_",
    "CI",
    "LD_LIBRARY_PATH",
    "DYLD_",
    "MAKEFLAGS",
    "NO_COLOR",
    "CLICOLOR",
];

/// Exceptions: where cargo and the tool keep their files, and how a registry is reached, is the machine's business.
const KEPT: [&str; 6] =
    ["CARGO_HOME", "CARGO_AUTODIFF_HOME", "CARGO_HTTP_", "CARGO_NET_", "CARGO_REGISTR", "CARGO_SOURCE_"];

/// Removes the inherited variables that would make a build differ from one in a fresh shell.
pub(crate) fn isolate(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
        if begins(&REMOVED) && !begins(&KEPT) {
            command.env_remove(&name);
        }
    }
}
