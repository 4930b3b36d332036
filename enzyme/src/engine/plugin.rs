//! LLVM's `opt` with an Enzyme plugin, for people who built or packaged Enzyme.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Engine, OPTIONS, Outcome, run};
use crate::error::Error;

pub(super) struct Plugin {
    pub(super) opt: PathBuf,
    pub(super) plugin: PathBuf,
}

impl Engine for Plugin {
    fn differentiate(&self, input: &Path, workspace: &Path) -> Result<Outcome, Error> {
        let module = workspace.join("differentiated.bc");
        let mut command = Command::new(&self.opt);
        command
            .arg("-load-pass-plugin")
            .arg(&self.plugin)
            // Loaded a second time so that the plugin's options are known when they are read.
            .arg("-load")
            .arg(&self.plugin)
            .arg("-passes=enzyme")
            .args(OPTIONS)
            .arg(input)
            .arg("-o")
            .arg(&module);
        let output = run(&mut command, &self.opt)?;
        if output.status.success() && module.exists() {
            Ok(Outcome::Module(module))
        } else {
            Ok(Outcome::Refused(String::from_utf8_lossy(&output.stderr).into_owned()))
        }
    }
}
