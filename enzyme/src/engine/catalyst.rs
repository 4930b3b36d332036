//! The compiler of the `pennylane-catalyst` package: real Enzyme in one executable.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Engine, OPTIONS};

pub(super) struct Catalyst {
    pub(super) executable: PathBuf,
}

impl Engine for Catalyst {
    fn command(&self, input: &Path, workspace: &Path) -> (Command, PathBuf) {
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
        (command, module)
    }
}
