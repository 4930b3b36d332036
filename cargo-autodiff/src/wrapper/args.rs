//! rustc's command line, as far as the wrappers need to understand it.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

/// What one rustc was asked to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct RustcArgs {
    pub(crate) crate_name: Option<String>,
    pub(crate) crate_types: Vec<String>,
    pub(crate) test: bool,
    pub(crate) out_dir: Option<PathBuf>,
    pub(crate) extra_filename: String,
    pub(crate) externs: Vec<Extern>,
    pub(crate) emit: Vec<String>,
    pub(crate) target: Option<String>,
    pub(crate) linker: Option<String>,
    pub(crate) linker_flavor: Option<String>,
    pub(crate) target_cpu: Option<String>,
    pub(crate) target_feature: Option<String>,
    pub(crate) relocation_model: Option<String>,
    pub(crate) code_model: Option<String>,
    /// Debug information is wanted.
    pub(crate) debuginfo: bool,
    /// Debug information is taken out of what is linked.
    pub(crate) strip: bool,
    /// Debug information goes into files of its own.
    pub(crate) split_debuginfo: bool,
    /// Lints do not count: cargo has fetched the crate, it is not the user's.
    pub(crate) cap_lints: bool,
    /// Diagnostics are wanted as JSON, for cargo.
    pub(crate) json: bool,
    /// The text inside JSON diagnostics is to be coloured.
    pub(crate) ansi: bool,
    /// `--print`, `-V` and their like: nothing is compiled.
    pub(crate) query: bool,
}

/// One `--extern`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extern {
    pub(crate) name: String,
    /// None when rustc is to search for it.
    pub(crate) path: Option<PathBuf>,
}

/// Options whose value may be the next argument; all others that we do not know take none or
/// carry it after `=`.
const LONG_WITH_VALUE: &[&str] = &[
    "--allow",
    "--cap-lints",
    "--cfg",
    "--check-cfg",
    "--codegen",
    "--color",
    "--crate-name",
    "--crate-type",
    "--deny",
    "--diagnostic-width",
    "--edition",
    "--emit",
    "--env-set",
    "--error-format",
    "--explain",
    "--extern",
    "--forbid",
    "--force-warn",
    "--json",
    "--out-dir",
    "--print",
    "--remap-path-prefix",
    "--remap-path-scope",
    "--sysroot",
    "--target",
    "--warn",
];
const SHORT_WITH_VALUE: &[&str] = &["-A", "-C", "-D", "-F", "-L", "-W", "-Z", "-l", "-o"];

impl RustcArgs {
    /// Reads arguments that [`expand`] has made plain.
    pub(crate) fn parse(args: &[OsString]) -> Self {
        let mut parsed = Self::default();
        for (option, value) in options(args) {
            parsed.apply(&option, value.as_deref());
        }
        parsed
    }

    fn apply(&mut self, option: &str, value: Option<&str>) {
        let value_or_empty = value.unwrap_or_default();
        match option {
            "--crate-name" => self.crate_name = Some(value_or_empty.to_owned()),
            "--crate-type" => self.crate_types.extend(value_or_empty.split(',').map(str::to_owned)),
            "--test" => self.test = true,
            "--out-dir" => self.out_dir = Some(value_or_empty.into()),
            "--emit" => self
                .emit
                .extend(value_or_empty.split(',').map(|e| e.split('=').next().unwrap_or(e).to_owned())),
            "--target" => self.target = Some(value_or_empty.to_owned()),
            "--extern" => self.externs.push(parse_extern(value_or_empty)),
            "--error-format" => self.json = value_or_empty == "json",
            "--json" => self.ansi |= value_or_empty.split(',').any(|v| v == "diagnostic-rendered-ansi"),
            "--cap-lints" => self.cap_lints = true,
            "--print" | "--version" | "-V" | "-vV" | "-h" | "--help" | "--explain" => self.query = true,
            "-C" | "--codegen" => self.apply_codegen(value_or_empty),
            _ => {}
        }
    }

    fn apply_codegen(&mut self, option: &str) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let owned = || Some(value.to_owned());
        match name.replace('_', "-").as_str() {
            "extra-filename" => value.clone_into(&mut self.extra_filename),
            "linker" => self.linker = owned(),
            "linker-flavor" => self.linker_flavor = owned(),
            "target-cpu" => self.target_cpu = owned(),
            // rustc joins repeated lists.
            "target-feature" => {
                self.target_feature = Some(match self.target_feature.take() {
                    Some(earlier) => format!("{earlier},{value}"),
                    None => value.to_owned(),
                });
            }
            "relocation-model" => self.relocation_model = owned(),
            "code-model" => self.code_model = owned(),
            "debuginfo" => self.debuginfo = !matches!(value, "0" | "none"),
            "strip" => self.strip = matches!(value, "debuginfo" | "symbols"),
            "split-debuginfo" => self.split_debuginfo = value != "off",
            _ => {}
        }
    }

    /// Whether a linker will be called.
    pub(crate) fn links(&self) -> bool {
        self.test
            || self.crate_types.is_empty()
            || self.crate_types.iter().any(|t| matches!(t.as_str(), "bin" | "cdylib" | "dylib"))
    }

    /// The linker rustc will call, as far as its arguments tell.
    pub(crate) fn default_linker(&self) -> PathBuf {
        match (&self.linker, self.linker_flavor.as_deref()) {
            (Some(linker), _) => linker.into(),
            (None, Some("ld")) => "ld".into(),
            (None, Some(flavor)) if flavor.contains("lld") && !flavor.contains("cc") => "rust-lld".into(),
            (None, _) => "cc".into(),
        }
    }

    /// Whether other Rust crates can be built on this one.
    pub(crate) fn is_library(&self) -> bool {
        !self.test && self.crate_types.iter().any(|t| matches!(t.as_str(), "lib" | "rlib" | "dylib"))
    }

    pub(crate) fn is_staticlib(&self) -> bool {
        !self.test && self.crate_types.iter().any(|t| t == "staticlib")
    }

    /// Whether the crate gets the line numbers that errors show, though its profile has no debug
    /// information. They leave what is linked as it is: functions are compiled to the same code, and
    /// the rest is stripped. cargo has it stripped wherever a profile says nothing else.
    pub(crate) fn gets_lines(&self) -> bool {
        let is_linked_as_it_is = self.is_staticlib() || self.split_debuginfo;
        !self.debuginfo && self.strip && !self.cap_lints && !is_linked_as_it_is
    }

    /// Whether the bitcode of this crate can matter to a derivative: all but build scripts, procedural
    /// macros and what they use (which get no `--target`), and runs that make no machine code.
    pub(crate) fn is_captured(&self) -> bool {
        !self.query
            && self.crate_name.as_deref().is_some_and(|name| name != "___")
            && self.target.is_some()
            && self.out_dir.is_some()
            && self.emit.iter().any(|e| e == "link")
            && !self.crate_types.iter().any(|t| t == "proc-macro")
    }
}

/// `[options:]name[=path]`
fn parse_extern(value: &str) -> Extern {
    let (name, path) = match value.split_once('=') {
        Some((name, path)) => (name, Some(path.into())),
        None => (value, None),
    };
    let name = name.rsplit(':').next().unwrap_or(name);
    Extern { name: name.to_owned(), path }
}

/// Splits arguments into options and their values, whichever way they are written.
fn options(args: &[OsString]) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut rest = args.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if !text.starts_with('-') {
            continue;
        }
        let mut next = || rest.next().map(|v| v.to_string_lossy().into_owned());
        if text.starts_with("--") {
            match text.split_once('=') {
                Some((name, value)) => found.push((name.to_owned(), Some(value.to_owned()))),
                None if LONG_WITH_VALUE.contains(&&*text) => found.push((text.to_string(), next())),
                None => found.push((text.into_owned(), None)),
            }
        } else if let Some(short) = SHORT_WITH_VALUE.iter().find(|s| text.starts_with(**s)) {
            let joined = &text[short.len()..];
            let value = if joined.is_empty() { next() } else { Some(joined.to_owned()) };
            found.push(((*short).to_owned(), value));
        } else {
            found.push((text.into_owned(), None));
        }
    }
    found
}

/// Replaces `@file` arguments, which cargo uses for command lines that are too long, by the lines of
/// the file.
pub(crate) fn expand(args: &[OsString]) -> Result<Vec<OsString>> {
    let mut plain = Vec::with_capacity(args.len());
    for argument in args {
        match argument.to_str().and_then(|a| a.strip_prefix('@')) {
            Some(file) => {
                let text = fs::read_to_string(file).with_context(|| format!("cannot read `{file}`"))?;
                plain.extend(text.lines().map(OsString::from));
            }
            None => plain.push(argument.clone()),
        }
    }
    Ok(plain)
}

/// The arguments with another output directory and without what would leave the derivatives nothing to
/// stand on: incremental compilation writes no bitcode of what it finds unchanged, and link-time
/// optimisation removes functions and statics that derivatives refer to (they see the whole program
/// anyway).
pub(crate) fn redirect(args: &[OsString], out_dir: &Path) -> Vec<OsString> {
    let mut redirected = Vec::with_capacity(args.len() + 4);
    let mut rest = args.iter().peekable();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text == "--out-dir" {
            rest.next();
            redirected.extend([argument.clone(), out_dir.into()]);
        } else if text.starts_with("--out-dir=") {
            redirected.extend([OsStr::new("--out-dir").to_owned(), out_dir.into()]);
        } else if matches!(&*text, "-C" | "--codegen") && rest.peek().is_some_and(|v| is_unwanted(v)) {
            rest.next();
        } else if text.strip_prefix("-C").or(text.strip_prefix("--codegen=")).is_some_and(unwanted_option) {
        } else {
            redirected.push(argument.clone());
        }
    }
    redirected
}

fn is_unwanted(value: &OsStr) -> bool {
    unwanted_option(&value.to_string_lossy())
}

fn unwanted_option(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    matches!(name, "incremental" | "lto" | "linker-plugin-lto")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn os(args: &[&str]) -> Vec<OsString> {
        args.iter().map(OsString::from).collect()
    }

    fn parse(args: &[&str]) -> RustcArgs {
        RustcArgs::parse(&os(args))
    }

    #[test]
    fn reads_what_cargo_passes() {
        let args = parse(&[
            "--crate-name",
            "app",
            "--edition=2024",
            "src/main.rs",
            "--error-format=json",
            "--json=diagnostic-rendered-ansi,artifacts",
            "--crate-type",
            "bin",
            "--emit=dep-info,link",
            "-C",
            "opt-level=3",
            "-Cextra-filename=-12ab",
            "--out-dir",
            "/t/a b/deps",
            "--target",
            "x86_64-unknown-linux-gnu",
            "-C",
            "linker=/usr/bin/gcc",
            "--extern",
            "priv:num=/t/libnum-1.rlib",
            "--extern=noprelude:core",
            "-Ctarget-feature=+avx2",
            "-C",
            "target_feature=+fma",
            "-L",
            "dependency=/t/deps",
        ]);
        assert_eq!(args.crate_name.as_deref(), Some("app"));
        assert_eq!(args.out_dir.as_deref(), Some(Path::new("/t/a b/deps")));
        assert_eq!(args.extra_filename, "-12ab");
        assert_eq!(args.linker.as_deref(), Some("/usr/bin/gcc"));
        assert_eq!(args.target_feature.as_deref(), Some("+avx2,+fma"));
        assert_eq!(args.emit, ["dep-info", "link"]);
        assert_eq!(
            args.externs,
            [
                Extern { name: "num".into(), path: Some("/t/libnum-1.rlib".into()) },
                Extern { name: "core".into(), path: None },
            ]
        );
        assert!(args.json && args.ansi && args.links() && args.is_captured() && !args.is_library());
    }

    #[test]
    fn passes_through_what_makes_no_target_code() {
        let target = ["--target", "t", "--out-dir", "o"];
        let with = |extra: &[&str]| parse(&[&target, extra].concat()).is_captured();
        assert!(with(&["--crate-name", "a", "--emit=link", "--test"]));
        assert!(!with(&["--crate-name", "___", "--emit=link"]));
        assert!(!with(&["--crate-name", "a", "--emit=metadata,dep-info"]));
        assert!(!with(&["--crate-name", "a", "--emit=link", "--crate-type", "proc-macro"]));
        assert!(!with(&["--crate-name", "a", "--emit=link", "--print", "cfg"]));
        assert!(!parse(&["--crate-name", "a", "--emit=link", "--out-dir", "o"]).is_captured());
        assert!(!parse(&["-vV"]).is_captured());
    }

    #[test]
    fn knows_the_linker_rustc_would_call() {
        let linker = |args: &[&str]| parse(args).default_linker();
        assert_eq!(linker(&[]), Path::new("cc"));
        assert_eq!(linker(&["-Clinker=a", "-C", "linker=/opt/my cc"]), Path::new("/opt/my cc"));
        assert_eq!(linker(&["-Clinker-flavor=gnu-lld"]), Path::new("rust-lld"));
        assert_eq!(linker(&["-Clinker-flavor=gnu-lld-cc"]), Path::new("cc"));
    }

    #[test]
    fn line_numbers_are_added_where_they_are_stripped_again() {
        let gets_lines = |args: &[&str]| parse(&[&["--crate-name", "a"], args].concat()).gets_lines();
        assert!(gets_lines(&["-C", "strip=debuginfo"]));
        assert!(gets_lines(&["-C", "debuginfo=0", "-C", "strip=symbols"]));
        assert!(!gets_lines(&[]));
        assert!(!gets_lines(&["-C", "strip=debuginfo", "-C", "debuginfo=line-tables-only"]));
        assert!(!gets_lines(&["-C", "strip=debuginfo", "--cap-lints", "allow"]));
        assert!(!gets_lines(&["-C", "strip=debuginfo", "--crate-type", "staticlib"]));
        assert!(!gets_lines(&["-C", "strip=debuginfo", "-C", "split-debuginfo=packed"]));
    }

    #[test]
    fn redirects_output() {
        let args = os(&["-C", "incremental=/i", "--out-dir", "/o", "-Cincremental=/i", "-C", "debuginfo=2"]);
        assert_eq!(redirect(&args, Path::new("/p")), os(&["--out-dir", "/p", "-C", "debuginfo=2"]));
    }

    #[test]
    fn switches_link_time_optimisation_off() {
        let args = os(&["-C", "lto", "-Clto=fat", "-C", "linker-plugin-lto", "-C", "lto=thin", "-O"]);
        assert_eq!(redirect(&args, Path::new("/p")), os(&["-O"]));
    }

    #[test]
    fn expands_argument_files() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "--crate-name\nwith space\n").unwrap();
        let at = format!("@{}", file.path().display());
        assert_eq!(expand(&os(&[&at, "x"])).unwrap(), os(&["--crate-name", "with space", "x"]));
    }
}
