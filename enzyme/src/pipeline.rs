//! The way from a request to a response.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use crate::closure::{self, Closure};
use crate::engine::{self, Engine, Outcome};
use crate::error::Error;
use crate::llvm::{Context, Machine, Module};
use crate::protocol::{Refusal, Request, Response, Site};
use crate::source::{self, Index, Source};
use crate::{derivative, prepare, refusal, symbol};

/// Makes the derivatives that a request asks for.
///
/// # Errors
/// When the tool or its surroundings fail. A derivative that cannot be made is no error: it is a
/// refusal in the response.
pub fn differentiate(request: &Request) -> Result<Response, Error> {
    let mut run = Run::new(request);
    let sources = source::read(&request.modules)?;
    let index = Index::new(&sources)?;
    run.lap("index");
    let sites: Vec<&Site> = request.sites.iter().collect();
    if let Some(texts) = run.attempt(&sources, &index, &sites)? {
        if let &[site] = &sites[..] {
            run.refuse(site, &texts);
        } else {
            // One derivative spoils the rest: each by itself, so that the good ones are made.
            for site in sites {
                if let Some(text) = run.attempt(&sources, &index, &[site])? {
                    run.refuse(site, &text);
                }
            }
        }
    }
    Ok(run.response)
}

/// A request being worked on.
struct Run<'r> {
    request: &'r Request,
    engine: Box<dyn Engine>,
    response: Response,
    attempts: usize,
    since: Instant,
}

impl<'r> Run<'r> {
    fn new(request: &'r Request) -> Self {
        let engine = engine::of(&request.engine);
        Run { request, engine, response: Response::default(), attempts: 0, since: Instant::now() }
    }

    /// Adds the time since the last call to a stage.
    fn lap(&mut self, stage: &str) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        match self.response.timings.iter_mut().find(|(name, _)| name == stage) {
            Some((_, total)) => *total += seconds,
            None => self.response.timings.push((stage.to_owned(), seconds)),
        }
    }

    fn refuse(&mut self, site: &Site, text: &str) {
        self.response.refusals.push(refusal::explain(site, text));
    }

    /// Makes the derivatives of `sites` in one module. Returns the engine's words if it refused.
    fn attempt(
        &mut self,
        sources: &[Source],
        index: &Index,
        sites: &[&Site],
    ) -> Result<Option<String>, Error> {
        self.attempts += 1;
        let context = Context::new();
        let shims: BTreeSet<&str> = sites.iter().map(|site| symbol::without_suffix(&site.shim)).collect();
        let closure = closure::gather(&context, sources, index, &shims)?;
        self.lap("closure");
        self.dump(&closure.module, "closure")?;
        let machine = Machine::new(&closure.module.triple(), &self.request.target)
            .map_err(Error::stage("choosing the target machine"))?;
        closure.module.strip_debug_info();

        let mut shims = Vec::new();
        for site in sites {
            if let Some(shim) = derivative::shim(&closure.module, site) {
                derivative::define(&context, &closure.module, site, shim);
                shims.push((*site, shim));
            } else {
                self.response.refusals.push(without_bitcode(site));
            }
        }
        if shims.is_empty() {
            return Ok(None);
        }
        prepare::before(&context, &closure.module, &machine, &shims)?;
        derivative::declare_reverse_mode(&context, &closure.module);
        self.lap("prepare");
        self.dump(&closure.module, "prepared")?;

        let directory = self.request.workspace.join(format!("engine-{}", self.attempts));
        std::fs::create_dir_all(&directory)
            .map_err(|source| Error::Write { path: directory.clone(), source })?;
        let input = directory.join("prepared.bc");
        closure.module.write_bitcode(&input).map_err(Error::stage("writing bitcode"))?;
        let outcome = self.engine.differentiate(&input, &directory)?;
        self.lap("engine");
        let file = match outcome {
            Outcome::Module(file) => file,
            Outcome::Refused(text) => return Ok(Some(text)),
        };
        self.emit(&closure, &file, &machine)?;
        self.response.derived.extend(shims.iter().map(|(site, _)| site.symbol.clone()));
        Ok(None)
    }

    /// Turns an engine's output into an object file.
    fn emit(&mut self, closure: &Closure<'_>, file: &PathBuf, machine: &Machine) -> Result<(), Error> {
        let read = |source| Error::Read { path: file.clone(), source };
        let context = Context::new();
        let mut bytes = std::fs::read(file).map_err(read)?;
        let module = if bytes.starts_with(b"BC") {
            context.parse_bitcode(&bytes)
        } else {
            bytes.push(0);
            let text = std::ffi::CString::from_vec_with_nul(bytes)
                .map_err(|_| read(std::io::ErrorKind::InvalidData.into()))?;
            context.parse_text(&text)
        };
        let module = module.map_err(Error::stage("reading the engine's output"))?;
        // The engine writes the host's; the program's is what the bitcode said.
        module.set_machine(&closure.module.triple(), &machine.data_layout());
        self.dump(&module, "differentiated")?;
        prepare::after(&context, &module, machine)?;
        self.dump(&module, "optimised")?;
        let object = self.request.workspace.join(format!("derivatives-{}.o", self.attempts));
        machine.emit(&module, &object).map_err(Error::stage("emitting object code"))?;
        self.lap("emit");
        self.response.objects.push(object);
        let used = module.globals().filter(|global| global.is_declaration()).map(|global| global.name());
        let mut externals: Vec<String> = used.filter(|name| closure.local_statics.contains(name)).collect();
        self.response.externals.append(&mut externals);
        Ok(())
    }

    fn dump(&self, module: &Module<'_>, stage: &str) -> Result<(), Error> {
        let Some(directory) = &self.request.dump else { return Ok(()) };
        std::fs::create_dir_all(directory)
            .map_err(|source| Error::Write { path: directory.clone(), source })?;
        let count = std::fs::read_dir(directory).map_or(0, Iterator::count);
        let path = directory.join(format!("{count:03}-{stage}.ll"));
        module.write_text(&path).map_err(Error::stage("dumping a stage"))
    }
}

fn without_bitcode(site: &Site) -> Refusal {
    Refusal {
        site: site.symbol.clone(),
        message: format!("no bitcode was kept for the function behind {}", site.name),
        chain: vec![symbol::demangle(&site.shim)],
        location: site.location.clone(),
        help: Some("build the crate again: `cargo autodiff clean`, then the same command".to_owned()),
    }
}
