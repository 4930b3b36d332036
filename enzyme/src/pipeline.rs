//! The way from a request to a response.

mod refuse;

use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::cache::Entry;
use crate::class::Class;
use crate::closure::{self, Closure, Inactive};
use crate::engine::{self, Engine, Outcome};
use crate::error::Error;
use crate::llvm::{Context, Function, Machine, Module, Vectorize, run_passes};
use crate::protocol::{Request, Response, Site};
use crate::reason::Reason;
use crate::source::{self, Index, Source};
use crate::symbol::Tape;
use crate::{deferred, derivative, prepare, symbol, words};

/// Makes the derivatives that a request asks for.
///
/// # Errors
/// When the tool or its surroundings fail. A derivative that cannot be made is no error: it is a
/// refusal in the response.
pub fn differentiate(request: &Request) -> Result<Response, Error> {
    let sources = source::read(&request.modules)?;
    let index = Index::new(&sources)?;
    let mut run = Run {
        request,
        sources: &sources,
        index,
        engine: engine::of(&request.engine),
        response: Response::default(),
        attempts: 0,
        since: Instant::now(),
    };
    run.lap("index");
    let sites: Vec<&Site> = request.sites.iter().collect();
    match (run.attempt(&sites)?, &sites[..]) {
        (None, _) => {}
        (Some(reason), &[site]) => run.refuse(site, &reason)?,
        // One derivative spoils the rest: each by itself, so that the good ones are made.
        (Some(_), _) => {
            for site in sites {
                if let Some(reason) = run.attempt(&[site])? {
                    run.refuse(site, &reason)?;
                }
            }
        }
    }
    let mut response = run.response;
    if request.defer {
        deferred::write(request, &sources, &mut response)?;
    }
    Ok(response)
}

/// What is kept of the debug information.
#[derive(Debug, Clone, Copy)]
enum Debug {
    Nothing,
    /// For finding the place of a reason.
    Lines,
}

/// A request being worked on.
struct Run<'r> {
    request: &'r Request,
    sources: &'r [Source],
    index: Index,
    engine: Box<dyn Engine>,
    response: Response,
    attempts: usize,
    since: Instant,
}

impl<'r> Run<'r> {
    /// Adds the time since the last call to a stage.
    fn lap(&mut self, stage: &str) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        match self.response.timings.iter_mut().find(|(name, _)| name == stage) {
            Some((_, total)) => *total += seconds,
            None => self.response.timings.push((stage.to_owned(), seconds)),
        }
    }

    fn gather<'c>(&self, context: &'c Context, sites: &[&Site]) -> Result<Closure<'c>, Error>
    where
        'r: 'c,
    {
        let shims: BTreeSet<&str> = sites.iter().map(|site| symbol::without_suffix(&site.shim)).collect();
        closure::gather(context, self.sources, &self.index, &shims)
    }

    /// Makes the derivatives of `sites` in one module, or says why that cannot be.
    fn attempt(&mut self, sites: &[&Site]) -> Result<Option<Reason>, Error> {
        self.attempts += 1;
        let context = Context::new();
        let closure = self.gather(&context, sites)?;
        self.lap("closure");
        self.dump(&closure.module, "closure")?;
        let machine = match self.prepare(&context, &closure, sites, Debug::Nothing)? {
            Ok(machine) => machine,
            Err(reason) => return Ok(Some(reason)),
        };
        self.lap("prepare");
        self.dump(&closure.module, "prepared")?;
        closure.module.verify().map_err(Error::stage("preparing for Enzyme"))?;

        self.finish(sites, &closure, &machine)
    }

    /// Makes of a closure what the engine can differentiate.
    fn prepare<'c>(
        &self,
        context: &'c Context,
        closure: &Closure<'c>,
        sites: &[&Site],
        debug: Debug,
    ) -> Result<Result<Machine, Reason>, Error> {
        let module = &closure.module;
        let Some(shims) = shims_of(module, sites) else { return Ok(Err(Reason::new(Class::NoBitcode))) };
        let machine = Machine::new(&module.triple(), &self.request.target)
            .map_err(Error::stage("choosing the target machine"))?;
        match debug {
            Debug::Nothing => module.strip_debug_info(),
            Debug::Lines => {
                run_passes(context, module, &machine, "strip-nonlinetable-debuginfo", Vectorize::No)
                    .map_err(Error::stage("dropping debug information"))?;
            }
        }
        for (site, shim) in &shims {
            derivative::define(context, module, site, *shim);
        }
        if let Some(reason) = prepare::before(context, module, &machine, &shims)? {
            return Ok(Err(reason));
        }
        derivative::declare_reverse_mode(context, module);
        Ok(Ok(machine))
    }

    /// Where the engine works in this attempt.
    fn workspace(&self) -> PathBuf {
        self.request.workspace.join(format!("engine-{}", self.attempts))
    }

    /// From the prepared module to an object file.
    fn finish(
        &mut self,
        sites: &[&Site],
        closure: &Closure<'_>,
        machine: &Machine,
    ) -> Result<Option<Reason>, Error> {
        let directory = self.workspace();
        create(&directory)?;
        let input = directory.join("prepared.bc");
        closure.module.write_bitcode(&input).map_err(Error::stage("writing bitcode"))?;
        let Request { cache, engine, target, dump, .. } = self.request;
        // Whoever wants to see the stages wants them to be run.
        let cache = cache.as_ref().filter(|_| dump.is_none());
        let entry = cache.map(|cache| Entry::new(cache, &input, engine, target)).transpose()?;
        let object = if let Some(object) = entry.as_ref().and_then(Entry::load) {
            object
        } else {
            let outcome = self.engine.differentiate(&input, &directory)?;
            self.lap("engine");
            let object = match outcome {
                Outcome::Module(file) => match self.emit(closure, &file, machine)? {
                    Ok(object) => object,
                    Err(reason) => return Ok(Some(reason)),
                },
                Outcome::Refused(text) => return Ok(Some(words::reason(&text))),
            };
            entry.map(|entry| entry.store(&object)).transpose()?;
            object
        };
        self.response.objects.push(object);
        self.add_inactive(closure, machine)?;
        self.response.derived.extend(sites.iter().map(|site| site.symbol.clone()));
        self.name_externals(closure);
        Ok(None)
    }

    /// Adds an object file with the functions without derivatives that derivatives call.
    fn add_inactive(&mut self, closure: &Closure<'_>, machine: &Machine) -> Result<(), Error> {
        let context = Context::new();
        let sources = self.sources;
        let inactive = closure::gather_inactive(&context, sources, &self.index, &closure.module)?;
        let Some(Inactive { closure, roots }) = inactive else { return Ok(()) };
        self.dump(&closure.module, "inactive")?;
        closure.module.strip_debug_info();
        prepare::inactive(&context, &closure.module, machine, &roots)?;
        let object = self.request.workspace.join(format!("inactive-{}.o", self.attempts));
        machine.emit(&closure.module, &object).map_err(Error::stage("emitting object code"))?;
        self.response.objects.push(object);
        self.name_externals(&closure);
        self.lap("inactive");
        Ok(())
    }

    /// Names the local statics that a closure refers to.
    fn name_externals(&mut self, closure: &Closure<'_>) {
        let used =
            closure.module.globals().filter(|global| global.is_declaration()).map(|global| global.name());
        self.response.externals.extend(used.filter(|name| closure.local_statics.contains(name)));
    }

    /// Turns an engine's output into an object file, unless it must not be used.
    fn emit(
        &mut self,
        closure: &Closure<'_>,
        file: &Path,
        machine: &Machine,
    ) -> Result<Result<PathBuf, Reason>, Error> {
        let context = Context::new();
        let module = read_module(&context, file)?;
        // The engine writes the host's; the program's is what the bitcode said.
        module.set_machine(&closure.module.triple(), &machine.data_layout());
        self.dump(&module, "differentiated")?;
        let tape = Tape::among(self.index.symbols());
        let reason = prepare::after(&context, &module, machine, tape.as_ref())?;
        self.dump(&module, "optimised")?;
        if let Some(reason) = reason {
            return Ok(Err(reason));
        }
        let object = self.request.workspace.join(format!("derivatives-{}.o", self.attempts));
        machine.emit(&module, &object).map_err(Error::stage("emitting object code"))?;
        self.lap("emit");
        Ok(Ok(object))
    }

    fn dump(&self, module: &Module<'_>, stage: &str) -> Result<(), Error> {
        let Some(directory) = &self.request.dump else { return Ok(()) };
        create(directory)?;
        let count = std::fs::read_dir(directory).map_or(0, Iterator::count);
        let path = directory.join(format!("{count:03}-{stage}.ll"));
        module.write_text(&path).map_err(Error::stage("dumping a stage"))
    }
}

/// The sites with their shims, if the bitcode of all is there.
fn shims_of<'a, 'c>(module: &Module<'c>, sites: &[&'a Site]) -> Option<Vec<(&'a Site, Function<'c>)>> {
    sites.iter().map(|site| Some((*site, derivative::shim(module, site)?))).collect()
}

/// Reads an engine's output, bitcode or text.
fn read_module<'c>(context: &'c Context, file: &Path) -> Result<Module<'c>, Error> {
    let unreadable = |source| Error::Read { path: file.to_owned(), source };
    let bytes = std::fs::read(file).map_err(unreadable)?;
    let module = if bytes.starts_with(b"BC") {
        context.parse_bitcode(&bytes)
    } else {
        let text = CString::new(bytes).map_err(|_| unreadable(io::ErrorKind::InvalidData.into()))?;
        context.parse_text(&text)
    };
    module.map_err(Error::stage("reading the engine's output"))
}

fn create(directory: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(directory).map_err(|source| Error::Write { path: directory.to_owned(), source })
}
