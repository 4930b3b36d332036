//! The compiler of the `pennylane-catalyst` package: real Enzyme in one executable.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Engine, OPTIONS, Outcome, run};
use crate::error::Error;

pub(super) struct Catalyst {
    pub(super) executable: PathBuf,
}

impl Engine for Catalyst {
    fn differentiate(&self, input: &Path, workspace: &Path) -> Result<Outcome, Error> {
        let module = workspace.join("1_AfterEnzymePasses.ll");
        let mut command = Command::new(&self.executable);
        command
            // The pipeline before Enzyme is ours: start after its own.
            .args(["--tool=llc", "--checkpoint-stage=O2Opt", "--save-ir-after-each=pipeline"])
            .arg("--workspace")
            .arg(workspace)
            .args(OPTIONS)
            .arg(input)
            .stdout(std::process::Stdio::null());
        run(&mut command, &self.executable, module)
    }
}
