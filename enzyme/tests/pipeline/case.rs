//! A request in the making, and what came of it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use autodiff_enzyme::protocol::{Engine, Module, Refusal, Request, Response, Site, Target};
use tempfile::TempDir;

use crate::{rust, worker};

/// An engine that differentiates nothing: its output is its input.
pub(crate) const COPY: &str = r#"
for argument; do
  case "$before" in -o) output=$argument;; esac
  case "$argument" in *.bc) test "$before" = -o || input=$argument;; esac
  before=$argument
done
cp "$input" "$output"
"#;

/// A request in the making.
pub(crate) struct Case {
    folder: TempDir,
    rlib: PathBuf,
    modules: Vec<Module>,
    sites: Vec<Site>,
    engine: Engine,
    target: Target,
    cache: Option<PathBuf>,
}

impl Case {
    /// A request about a crate `snippet`, with an engine that copies.
    pub(crate) fn of(source: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let compiled = rust::library(folder.path(), "snippet", source, false);
        let engine =
            Engine::Plugin { opt: folder.path().join("opt"), plugin: folder.path().join("plugin.so") };
        let target = Target { cpu: None, features: None, relocation_model: None, code_model: None };
        let case = Case {
            folder,
            rlib: compiled.rlib,
            modules: vec![compiled.module],
            sites: Vec::new(),
            engine,
            target,
            cache: None,
        };
        case.script(COPY)
    }

    /// A derivative to be made.
    pub(crate) fn site(mut self, site: Site) -> Self {
        self.sites.push(site);
        self
    }

    /// A further crate, which declares nothing to the others: they find it by its symbols.
    pub(crate) fn krate(mut self, name: &str, source: &str) -> Self {
        self.modules.push(rust::library(self.folder.path(), name, source, false).module);
        self
    }

    /// A crate that counts as one of the standard library's.
    pub(crate) fn std_krate(mut self, name: &str, source: &str) -> Self {
        self.modules.push(rust::library(self.folder.path(), name, source, true).module);
        self
    }

    /// With the bodies of `core` and `alloc`.
    pub(crate) fn with_std(mut self) -> Self {
        self.modules.extend(rust::standard_library());
        self
    }

    /// For a machine of this kind.
    pub(crate) fn target(mut self, change: impl FnOnce(&mut Target)) -> Self {
        change(&mut self.target);
        self
    }

    /// With another engine.
    pub(crate) fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// With the script as a stand-in for Catalyst's compiler.
    pub(crate) fn called_as_catalyst(mut self) -> Self {
        self.engine = Engine::Catalyst { executable: self.folder.path().join("opt") };
        self
    }

    /// With a folder for derivatives of earlier requests, and no dump, which would go round it.
    pub(crate) fn cache(mut self, folder: &Path) -> Self {
        self.cache = Some(folder.to_owned());
        self
    }

    /// With an engine that is a shell script, called as `opt`.
    pub(crate) fn script(self, script: &str) -> Self {
        let opt = self.folder.path().join("opt");
        self.script_at(&opt, script)
    }

    /// With an engine that is a shell script in a place that outlives the request.
    pub(crate) fn script_at(self, opt: &Path, script: &str) -> Self {
        fs::write(opt, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(opt, fs::Permissions::from_mode(0o755)).unwrap();
        let plugin = opt.with_file_name("plugin.so");
        self.engine(Engine::Plugin { opt: opt.to_owned(), plugin })
    }

    /// With something wrong in the request.
    pub(crate) fn change_modules(mut self, change: impl FnOnce(&mut Vec<Module>)) -> Self {
        change(&mut self.modules);
        self
    }

    /// Has the derivatives made.
    pub(crate) fn run(self) -> Outcome {
        let path = |name: &str| self.folder.path().join(name);
        let (dump, workspace) = (path("dump"), path("work"));
        fs::create_dir(&workspace).unwrap();
        let request = Request {
            sites: self.sites,
            modules: self.modules,
            target: self.target,
            engine: self.engine,
            reports: Some(path("reports")),
            dump: self.cache.is_none().then_some(dump),
            cache: self.cache,
            defer: false,
            workspace,
        };
        let response = worker::differentiate(&request, self.folder.path());
        Outcome { folder: self.folder, rlib: self.rlib, response }
    }
}

/// What came of a request.
pub(crate) struct Outcome {
    pub(crate) folder: TempDir,
    rlib: PathBuf,
    pub(crate) response: Result<Response, String>,
}

impl Outcome {
    /// The response of a request that did not fail as a whole.
    #[track_caller]
    pub(crate) fn response(&self) -> &Response {
        self.response.as_ref().unwrap()
    }

    /// The response, with nothing refused.
    #[track_caller]
    pub(crate) fn all_derived(&self) -> &Response {
        let response = self.response();
        assert_eq!(response.refusals, [], "nothing should be refused");
        response
    }

    /// The only refusal.
    #[track_caller]
    pub(crate) fn refusal(&self) -> &Refusal {
        let [refusal] = &self.response().refusals[..] else {
            panic!("not one refusal: {:?}", self.response());
        };
        refusal
    }

    /// The names of the dumped stages, in order.
    pub(crate) fn stages(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path().join("dump")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The module after a stage, the last one if the stage was run several times.
    #[track_caller]
    pub(crate) fn stage(&self, stage: &str) -> String {
        let suffix = format!("-{stage}.ll");
        let name = self.stages().into_iter().rfind(|name| name.ends_with(&suffix)).unwrap();
        fs::read_to_string(self.folder.path().join("dump").join(name)).unwrap()
    }

    /// A file that an engine left in its directory.
    #[track_caller]
    pub(crate) fn left_by_engine(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("work/engine-1").join(name)).unwrap()
    }

    /// Links the derivatives with the crate `snippet` and a program, and runs it.
    #[track_caller]
    pub(crate) fn execute(&self, main: &str) -> String {
        let objects = &self.all_derived().objects;
        let program = rust::program(self.folder.path(), main, &self.rlib, objects);
        let output = std::process::Command::new(program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", output.status);
        String::from_utf8(output.stdout).unwrap()
    }
}
