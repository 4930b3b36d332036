//! LLVM's `opt` with an Enzyme plugin, for people who built or packaged Enzyme.
//!
//! This route has been run against a stand-in for `opt` only: there was no prebuilt plugin for
//! LLVM 22 to try it with. The stand-in shows that the command line is as written here, that both
//! kinds of output are read, and that failures are told from results. That a real plugin takes the
//! same module rests on its being the same Enzyme as in the other engine. What is known of `opt`:
//!
//! - the pass is called `enzyme`, and works on a whole module;
//! - a pass plugin is loaded after the command line has been read, so its own options are unknown
//!   by then unless the same file is given to `-load` as well;
//! - plugin, `opt` and bitcode must be of one LLVM major version. `opt` of a distribution reads what
//!   rustc's own LLVM of that version wrote, which is where a difference would show first.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Engine, OPTIONS};

pub(super) struct Plugin {
    pub(super) opt: PathBuf,
    pub(super) plugin: PathBuf,
}

impl Engine for Plugin {
    fn command(&self, input: &Path, workspace: &Path) -> (Command, PathBuf) {
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
        (command, module)
    }
}
