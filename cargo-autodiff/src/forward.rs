//! Verbs of cargo's: cargo does them, in a target directory of our own, with us as the rustc
//! wrapper.

use std::{
    env,
    ffi::{OsStr, OsString},
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result};
use cargo_config2::Config;

use crate::{
    cli::{Own, Words},
    engine::{self, Found},
    process,
    project::{self, Project, Settings},
    session::{Session, private},
    setup, target_dir, term,
    toolchain::{self, Rustc},
    users_wrapper,
};

/// Verbs that link nothing and so need no engine. Any verb we do not know may link.
const WITHOUT_LINKING: [&str; 30] = [
    "add",
    "c",
    "check",
    "clean",
    "clippy",
    "d",
    "doc",
    "fetch",
    "fix",
    "fmt",
    "generate-lockfile",
    "info",
    "init",
    "locate-project",
    "login",
    "logout",
    "metadata",
    "new",
    "owner",
    "pkgid",
    "publish",
    "read-manifest",
    "remove",
    "rm",
    "search",
    "tree",
    "update",
    "vendor",
    "version",
    "yank",
];

/// A command for cargo.
#[derive(Debug)]
pub(crate) struct Forward {
    command: Command,
    verbosity: u8,
    /// The variables that are not private, for `-vv`.
    shown: Vec<(&'static str, OsString)>,
}

impl Forward {
    /// Works out what cargo is to be told.
    pub(crate) fn new(mut words: Words, own: &Own) -> Result<Self> {
        let mut this = Self { command: cargo_command(), verbosity: words.verbosity(), shown: Vec::new() };
        let target_dir = words.take_target_dir();
        let Some(project) = Project::find(&words)? else {
            // There is nothing to build here, or cargo has something to say about the manifest.
            this.arguments(&words, target_dir.as_deref());
            return Ok(this);
        };
        let config = project::cargo_config()?;
        let session = session(&words, own, &config, project, target_dir)?;
        this.command.env(private::SESSION, session.to_json()?).env(private::WRAPPER, "1");
        // It compiles doctests, without the rustc wrapper.
        this.set("RUSTDOC", session.executable.clone());
        this.set("RUSTC_WRAPPER", session.executable);
        this.set("CARGO_TARGET_DIR", session.target_dir.clone());
        // A build directory that the user keeps elsewhere would be shared with plain cargo.
        this.set("CARGO_BUILD_BUILD_DIR", session.target_dir);
        let host = (!names_target(&words, config.build.target.is_some())).then_some(session.host);
        if let Some(host) = &host {
            // So that target crates can be told from build scripts and procedural macros.
            this.set("CARGO_BUILD_TARGET", host);
        }
        this.arguments(&words, None);
        if let (Some(host), Some("clean")) = (host, words.verb.as_deref().and_then(OsStr::to_str)) {
            // `cargo clean -p` does not look at the variable.
            this.command.arg("--target").arg(host);
        }
        Ok(this)
    }

    fn set(&mut self, name: &'static str, value: impl Into<OsString>) {
        let value = value.into();
        self.command.env(name, &value);
        self.shown.push((name, value));
    }

    fn arguments(&mut self, words: &Words, target_dir: Option<&OsStr>) {
        self.command.args(&words.before).args(&words.verb);
        if let Some(target_dir) = target_dir {
            self.command.arg("--target-dir").arg(target_dir);
        }
        self.command.args(&words.after);
    }

    /// Becomes cargo.
    pub(crate) fn start(mut self) -> Result<ExitCode> {
        if self.verbosity > 0 {
            term::status("Running", format!("`{}`", self.shown_command()));
        }
        process::replace_self(&mut self.command)
    }

    fn shown_command(&self) -> String {
        let quoted = |word: &OsStr| shell_escape::escape(word.to_string_lossy()).into_owned();
        let mut parts = Vec::new();
        if self.verbosity > 1 {
            parts.extend(self.shown.iter().map(|(name, value)| format!("{name}={}", quoted(value))));
        }
        parts.push(quoted(self.command.get_program()));
        parts.extend(self.command.get_args().map(quoted));
        parts.join(" ")
    }
}

/// cargo's help for one of its verbs.
pub(crate) fn cargo_help(verb: &OsStr) -> Result<ExitCode> {
    process::replace_self(cargo_command().arg("help").arg(verb))
}

/// Starts us again with another toolchain, as rustup's cargo would: for those who start us without
/// cargo.
pub(crate) fn with_toolchain(toolchain: &OsStr) -> Result<ExitCode> {
    let name = toolchain.to_string_lossy();
    let mut command = Command::new(env::current_exe().context("cannot find our own executable")?);
    command
        .env("RUSTUP_TOOLCHAIN", name.trim_start_matches('+'))
        .env_remove("CARGO")
        .args(env::args_os().skip_while(|word| word != toolchain).skip(1));
    process::replace_self(&mut command)
}

/// cargo, without what a `cargo autodiff` around us has set.
fn cargo_command() -> Command {
    let mut command = Command::new(toolchain::cargo());
    process::clean_environment(&mut command);
    if env::var_os("RUSTC_WRAPPER").is_some_and(|wrapper| users_wrapper::is_us(wrapper.as_ref())) {
        command.env_remove("RUSTC_WRAPPER");
    }
    command
}

/// What the wrappers are to know.
fn session(
    words: &Words,
    own: &Own,
    config: &Config,
    project: Project,
    target_dir: Option<OsString>,
) -> Result<Session> {
    let rustc = Rustc::find(config.build.rustc.as_deref())?;
    let net_offline = config.net.offline == Some(true);
    let engine = find_engine(words, own, &project.settings, &rustc, net_offline)?;
    let defer_errors = own.defer_errors || project.settings.defer_errors == Some(true);
    let users_target_dir = match target_dir {
        Some(named) => std::path::absolute(named)?,
        None => project.target_dir,
    };
    let target_dir = target_dir::of(&users_target_dir, engine.as_ref(), defer_errors);
    target_dir::prepare(&target_dir)?;
    Ok(Session {
        executable: env::current_exe().context("cannot find our own executable")?,
        target_dir,
        host: rustc.host,
        sysroot: rustc.sysroot,
        rustc: rustc.program,
        rustc_release: rustc.release,
        llvm_version: rustc.llvm_version,
        engine: engine.map(|found| found.engine),
        dump_ir: own.dump_ir.as_deref().map(std::path::absolute).transpose()?,
        verbose: words.verbosity(),
        rustc_wrapper: users_wrapper::find(config.build.rustc_wrapper.as_deref())?,
        rustdoc: config.build.rustdoc.clone(),
        defer_errors,
    })
}

/// The engine, for verbs that may link; others take what is there.
fn find_engine(
    words: &Words,
    own: &Own,
    settings: &Settings,
    rustc: &Rustc,
    net_offline: bool,
) -> Result<Option<Found>> {
    let verb = words.verb.as_deref().and_then(OsStr::to_str).unwrap_or_default();
    let found = engine::find(own.enzyme.as_deref(), settings)?;
    if WITHOUT_LINKING.contains(&verb) || words.has("--help") || words.has("-h") {
        return Ok(found);
    }
    rustc.check_llvm()?;
    if found.is_some() {
        return Ok(found);
    }
    let offline = words.has("--offline") || words.has("--frozen") || net_offline;
    Ok(Some(setup::for_build(offline, words.is_quiet())?.into()))
}

/// Whether the user says what to build for.
fn names_target(words: &Words, configured: bool) -> bool {
    let by_config = |value: &OsString| {
        let text = value.to_string_lossy();
        text.trim_start().starts_with("build.target") && !text.contains("build.target-dir")
    };
    configured || words.has("--target") || words.values("--config").iter().any(by_config)
}
