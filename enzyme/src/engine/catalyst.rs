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
        let mut command = Command::new(&self.executable);
        command
            // The pipeline before Enzyme is ours: start after its own.
            .args(["--tool=llc", "--checkpoint-stage=O2Opt", "--save-ir-after-each=pipeline"])
            .arg("--workspace")
            .arg(workspace)
            .args(OPTIONS)
            .arg(input)
            .stdout(std::process::Stdio::null());
        let output = run(&mut command, &self.executable)?;
        let module = workspace.join("1_AfterEnzymePasses.ll");
        if output.status.success() && module.exists() {
            Ok(Outcome::Module(module))
        } else {
            Ok(Outcome::Refused(String::from_utf8_lossy(&output.stderr).into_owned()))
        }
    }
}
