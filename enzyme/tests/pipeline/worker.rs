//! The process that loads LLVM. It is this test binary again, for two reasons: the loader path must
//! be set before LLVM is looked for, and LLVM may end its process.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use autodiff_enzyme::protocol::{Request, Response};

use crate::rust;

/// Names the folder of a request; set for the worker only.
const FOLDER: &str = "AUTODIFF_ENZYME_TEST_REQUEST";

/// Serves a request in a process of its own. The error is what `differentiate` returned.
pub(crate) fn differentiate(request: &Request, folder: &Path) -> Result<Response, String> {
    fs::write(folder.join("request.json"), serde_json::to_vec(request).unwrap()).unwrap();
    let loader_path = if cfg!(target_vendor = "apple") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "worker::serve", "--nocapture"])
        .env(FOLDER, folder)
        .env(loader_path, rust::sysroot().join("lib"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the worker ended with {}:\n{said}", output.status);
    serde_json::from_slice(&fs::read(folder.join("response.json")).unwrap()).unwrap()
}

/// No test, but what the worker runs.
#[test]
fn serve() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let request: Request = serde_json::from_slice(&fs::read(folder.join("request.json")).unwrap()).unwrap();
    let response = autodiff_enzyme::differentiate(&request).map_err(|error| with_causes(&error));
    fs::write(folder.join("response.json"), serde_json::to_vec(&response).unwrap()).unwrap();
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
