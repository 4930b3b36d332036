//! The way from a request to a response.

mod refuse;

use std::collections::BTreeSet;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::cache::Entry;
use crate::candidates::Candidates;
use crate::class::Class;
use crate::closure::{self, Closure, Inactive};
use crate::engine::{self, Engine, Outcome};
use crate::error::Error;
use crate::llvm::{Context, Function, Machine, Module, Vectorize, run_passes};
use crate::prepare::Prepared;
use crate::program::Program;
use crate::protocol::{NativeFunction, Request, Response, Site};
use crate::reason::Reason;
use crate::symbol::Tape;
use crate::{deferred, derivative, prepare, symbol, words};

/// Makes the derivatives that a request asks for.
///
/// # Errors
/// When the tool or its surroundings fail. A derivative that cannot be made is no error: it is a
/// refusal in the response.
pub fn differentiate(request: &Request) -> Result<Response, Error> {
    let program = Program::read(&request.modules)?;
    let mut run = Run {
        request,
        program: &program,
        engine: engine::of(&request.engine),
        response: Response::default(),
        attempts: 0,
        candidates: Candidates::default(),
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
        deferred::write(request, &program.sources, &mut response)?;
    }
    Ok(response)
}

/// What came of an attempt to make derivatives, if no derivatives.
enum Setback {
    /// Refused for a reason that these candidates, if any, bring along.
    Refused(Reason, BTreeSet<String>),
    /// To be made again with the bodies of these functions.
    Wants(BTreeSet<String>),
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
    program: &'r Program,
    engine: Box<dyn Engine>,
    response: Response,
    attempts: usize,
    /// What the last attempt asked for; the next one would ask for it again.
    candidates: Candidates,
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

    /// Gathers what sites and candidates reach.
    fn gather<'c>(
        &self,
        context: &'c Context,
        sites: &[&Site],
        candidates: &Candidates,
    ) -> Result<Closure<'c>, Error>
    where
        'r: 'c,
    {
        let shims = sites.iter().map(|site| symbol::without_suffix(&site.shim));
        let names = shims.chain(candidates.wanted()).collect();
        closure::gather(context, &self.program.sources, &self.program.index, &names)
    }

    /// Makes the derivatives of `sites` in one module, or says why that cannot be.
    fn attempt(&mut self, sites: &[&Site]) -> Result<Option<Reason>, Error> {
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut first = None;
        let outcome = loop {
            match self.attempt_with(sites, &candidates)? {
                None => break None,
                Some(Setback::Wants(names)) => candidates.add(names),
                Some(Setback::Refused(reason, spoilers)) => {
                    let hopeless = reason.said.is_none();
                    if !candidates.leave_out(spoilers, hopeless) {
                        break Some(first.unwrap_or(reason));
                    }
                    first.get_or_insert(reason);
                }
            }
        };
        self.candidates = candidates.again();
        Ok(outcome)
    }

    /// The same, with candidates for what is called through pointers.
    fn attempt_with(&mut self, sites: &[&Site], candidates: &Candidates) -> Result<Option<Setback>, Error> {
        self.attempts += 1;
        let context = Context::new();
        let closure = self.gather(&context, sites, candidates)?;
        self.lap("closure");
        self.dump(&closure.module, "closure")?;
        let machine = match self.prepare(&context, &closure, sites, candidates, Debug::Nothing)? {
            Ok(machine) => machine,
            Err(setback) => return Ok(Some(setback)),
        };
        self.lap("prepare");
        self.dump(&closure.module, "prepared")?;
        closure.module.verify().map_err(Error::stage("preparing for Enzyme"))?;

        let reason = self.finish(sites, &closure, &machine)?;
        Ok(reason.map(|reason| refused(reason, &closure, candidates)))
    }

    /// Makes of a closure what the engine can differentiate.
    fn prepare<'c>(
        &self,
        context: &'c Context,
        closure: &Closure<'c>,
        sites: &[&Site],
        candidates: &Candidates,
        debug: Debug,
    ) -> Result<Result<Machine, Setback>, Error> {
        let module = &closure.module;
        let refused = |reason| Ok(Err(refused(reason, closure, candidates)));
        let Some(shims) = shims_of(module, sites) else { return refused(Reason::new(Class::NoBitcode)) };
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
        match prepare::before(context, module, &machine, &shims, self.program, candidates)? {
            Prepared::Ready => {}
            Prepared::Refused(reason) => return refused(reason),
            Prepared::Wants(names) => return Ok(Err(Setback::Wants(names))),
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
        let Program { sources, index, .. } = self.program;
        let inactive = closure::gather_inactive(&context, sources, index, &closure.module)?;
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

    /// Names the local statics and the program's own copies of functions that a closure refers to.
    fn name_externals(&mut self, closure: &Closure<'_>) {
        let used =
            closure.module.globals().filter(|global| global.is_declaration()).map(|global| global.name());
        for name in used {
            if let Some(symbol) = prepare::symbol_of_native(&name).map(str::to_owned) {
                let std = self.program.is_in_std(&symbol);
                self.response.functions.push(NativeFunction { name, symbol, std });
            } else if closure.local_statics.contains(&name) {
                self.response.externals.push(name);
            }
        }
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
        let tape = Tape::among(self.program.index.symbols());
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

/// A refusal, with the candidates that bring it along.
fn refused(reason: Reason, closure: &Closure<'_>, candidates: &Candidates) -> Setback {
    let spoilers = reason.function.as_deref().map(|symbol| candidates.that_reach(&closure.module, symbol));
    Setback::Refused(reason, spoilers.unwrap_or_default())
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
