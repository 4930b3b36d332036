//! Asking an engine for the derivative of a square, to see that it works on this machine.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, bail};
use autodiff_enzyme::protocol::Engine;

use crate::toolchain;

const MODULE: &str = "\
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
declare double @__enzyme_autodiff(...)
define double @slope(double %x) {
  %d = call double (...) @__enzyme_autodiff(ptr @square, double %x)
  ret double %d
}
";

/// Runs the engine on a small module and looks at what it made.
pub(crate) fn probe(engine: &Engine) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("in.ll");
    fs_err::write(&input, MODULE)?;
    let (mut command, result) = command(engine, folder.path(), &input);
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        bail!("{program} failed on a two-line module ({}): {}", output.status, first.trim());
    }
    let made = fs_err::read_to_string(result)
        .with_context(|| format!("{program} left no result: is it an Enzyme?"))?;
    if made.contains("@__enzyme_autodiff(") || !made.contains("@slope") {
        bail!("{program} ran, but differentiated nothing: is it an Enzyme?");
    }
    Ok(())
}

/// The LLVM an engine says it is of.
pub(crate) fn version(engine: &Engine) -> Option<String> {
    let (Engine::Catalyst { executable: program } | Engine::Plugin { opt: program, .. }) = engine;
    let text = toolchain::output(program, &["--version"]).ok()?;
    text.lines().find_map(|line| line.trim().find("LLVM version").map(|at| line.trim()[at..].to_owned()))
}

fn command(engine: &Engine, folder: &Path, input: &Path) -> (Command, PathBuf) {
    match engine {
        Engine::Catalyst { executable } => {
            let mut command = Command::new(executable);
            command
                .args(["--tool=llc", "--checkpoint-stage=O2Opt", "--save-ir-after-each=pipeline"])
                .arg(format!("--workspace={}", folder.display()))
                .arg(input);
            (command, folder.join("1_AfterEnzymePasses.ll"))
        }
        Engine::Plugin { opt, plugin } => {
            let result = folder.join("out.ll");
            let mut command = Command::new(opt);
            command
                .arg(format!("-load-pass-plugin={}", plugin.display()))
                .args(["-passes=enzyme", "-S"])
                .arg(input)
                .arg("-o")
                .arg(&result);
            (command, result)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    fn answer(script: &str) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let executable = folder.path().join("engine");
        let prologue = "#!/bin/sh\nfor w; do case $w in --workspace=*) d=${w#*=};; esac; done\n";
        fs::write(&executable, format!("{prologue}{script}\n"))?;
        fs::set_permissions(&executable, fs::Permissions::from_mode(0o755))?;
        probe(&Engine::Catalyst { executable })
    }

    #[test]
    fn an_engine_must_differentiate() {
        answer("echo 'define double @slope(double %x) {}' > $d/1_AfterEnzymePasses.ll").unwrap();
        let idle = answer("cp $d/in.ll $d/1_AfterEnzymePasses.ll").unwrap_err().to_string();
        assert!(idle.contains("differentiated nothing"), "{idle}");
        let silent = answer("true").unwrap_err().to_string();
        assert!(silent.contains("is it an Enzyme?"), "{silent}");
        let broken = answer("echo libfoo.so missing >&2; exit 127").unwrap_err().to_string();
        assert!(broken.contains("libfoo.so missing"), "{broken}");
    }
}
