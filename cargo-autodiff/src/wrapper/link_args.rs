//! The command line of a linker: which files go in, and the same command with others in their place.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use fs_err as fs;

/// A linker's arguments, response files read in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkArgs {
    arguments: Vec<OsString>,
    /// The arguments came in a file, because they were too many.
    response_file: bool,
}

impl LinkArgs {
    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Self> {
        let mut all = Vec::new();
        let mut response_file = false;
        for argument in arguments {
            match argument.to_str().and_then(|a| a.strip_prefix('@')) {
                Some(file) if Path::new(file).is_file() => {
                    response_file = true;
                    let text = fs::read_to_string(file)?;
                    all.extend(split(&text).into_iter().map(OsString::from));
                }
                _ => all.push(argument),
            }
        }
        Ok(Self { arguments: all, response_file })
    }

    /// The object files and archives among the arguments.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        self.arguments.iter().filter_map(|a| input(a).map(Path::to_owned)).collect()
    }

    /// Puts other files in place of some, and adds objects after the first object file.
    pub(crate) fn replace(&mut self, copies: &[(PathBuf, PathBuf)], added: &[PathBuf]) {
        let first = self.arguments.iter().position(|a| input(a).is_some_and(is_object));
        for argument in &mut self.arguments {
            if let Some((_, copy)) = copies.iter().find(|(original, _)| Some(&**original) == input(argument))
            {
                let text = argument.to_string_lossy();
                let flag = flag_before_file(&text);
                let mut replaced = OsString::from(&text[..flag]);
                replaced.push(copy);
                *argument = replaced;
            }
        }
        let place = first.map_or(0, |place| place + 1);
        self.arguments.splice(place..place, added.iter().map(OsString::from));
    }

    /// Undoes what our private directory, which lies inside that of the output, does to the paths by
    /// which the output is to find its libraries.
    pub(crate) fn raise_rpaths(&mut self) {
        for argument in &mut self.arguments {
            if let Some(text) = argument.to_str()
                && text.contains("-rpath")
            {
                *argument =
                    text.replace("$ORIGIN/..", "$ORIGIN").replace("@loader_path/..", "@loader_path").into();
            }
        }
    }

    /// The arguments to run a linker with. If they came in a file, they go into
    /// one in the given directory.
    pub(crate) fn into_arguments(self, dir: impl FnOnce() -> Result<PathBuf>) -> Result<Vec<OsString>> {
        if !self.response_file {
            return Ok(self.arguments);
        }
        let mut text = String::new();
        for argument in &self.arguments {
            let argument = argument.to_str().context("a linker argument is not valid Unicode")?;
            text.push_str(&quote(argument));
            text.push('\n');
        }
        let file = dir()?.join("linker-arguments");
        fs::write(&file, text)?;
        let mut at = OsString::from("@");
        at.push(file);
        Ok(vec![at])
    }
}

/// The file an argument names, if it is one that may hold code of ours.
fn input(argument: &OsString) -> Option<&Path> {
    let text = argument.to_str()?;
    let path = Path::new(&text[flag_before_file(text)..]);
    let known = path.extension().is_some_and(|e| e == "o" || e == "rlib" || e == "a");
    (known && !text.starts_with("-o") && !text.starts_with("-l") && path.is_file()).then_some(path)
}

/// Length of an option that a file name is glued to.
fn flag_before_file(argument: &str) -> usize {
    ["-Wl,-force_load,", "-force_load,"].iter().find(|f| argument.starts_with(**f)).map_or(0, |f| f.len())
}

fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "o")
}

/// Splits a response file as GCC and LLVM do: at white space, which quotes and backslashes protect.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (_, '\\') => word.get_or_insert_default().extend(chars.next()),
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn quote(argument: &str) -> String {
    format!("\"{}\"", argument.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> LinkArgs {
        LinkArgs::read(arguments.iter().map(OsString::from)).unwrap()
    }

    #[test]
    fn splits_what_rustc_writes() {
        assert_eq!(split("-o\na\\ b\n\"c \\\" d\"\n\n''\nC:\\\\x"), ["-o", "a b", "c \" d", "", "C:\\x"]);
    }

    #[test]
    fn survives_a_response_file() {
        let dir = tempfile::tempdir().unwrap();
        let words = ["with space", "q\"uote", "back\\slash", ""];
        let arguments =
            LinkArgs { arguments: words.iter().map(OsString::from).collect(), response_file: true };
        let written = arguments.clone().into_arguments(|| Ok(dir.path().to_owned())).unwrap();
        assert_eq!(LinkArgs::read(written.into_iter()).unwrap(), arguments);
    }

    #[test]
    fn replaces_inputs_and_adds_objects() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = dir.path().join(name);
            fs::write(&path, "").unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (a, b, lib) = (path("a.o"), path("b.o"), path("libx y.rlib"));
        let mut arguments = read(&["-m64", &a, &b, &lib, "-o", "out.o", "-lc"]);
        assert_eq!(arguments.inputs(), [&a, &b, &lib].map(PathBuf::from));
        arguments.replace(&[(lib.into(), "/copy/libx y.rlib".into())], &["/d.o".into()]);
        let expected = ["-m64", &a, "/d.o", &b, "/copy/libx y.rlib", "-o", "out.o", "-lc"];
        assert_eq!(arguments, read(&expected));
    }

    #[test]
    fn rpaths_do_not_see_the_private_directory() {
        let mut arguments = read(&["-Wl,-rpath=$ORIGIN/../../lib", "-Wl,-rpath=$ORIGIN/..", "x/../y"]);
        arguments.raise_rpaths();
        assert_eq!(arguments, read(&["-Wl,-rpath=$ORIGIN/../lib", "-Wl,-rpath=$ORIGIN", "x/../y"]));
    }
}
