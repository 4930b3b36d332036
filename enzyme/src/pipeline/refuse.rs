//! What is done about a derivative that cannot be made.

use std::path::PathBuf;

use super::{Debug, Run, Setback, create};
use crate::class::Class;
use crate::closure::Closure;
use crate::engine::Outcome;
use crate::error::Error;
use crate::lines::Lines;
use crate::llvm::{Context, Module};
use crate::protocol::{Refusal, Site};
use crate::reason::Reason;
use crate::report::Failure;
use crate::{refusal, words};

impl Run<'_> {
    /// Puts the reason in the user's terms.
    pub(super) fn refuse(&mut self, site: &Site, reason: &Reason) -> Result<(), Error> {
        let report = self.report(reason)?;
        // Gathered again: what is left of the first one has been worked on.
        let context = Context::new();
        let closure = self.gather(&context, &[site], &self.candidates)?;
        let located = self.locate(&context, &closure, site, reason);
        let reason = located.as_ref().unwrap_or(reason);
        let refusal = refusal::explain(site, reason, &closure.module, &self.program.sources);
        self.response.refusals.push(Refusal { report, ..refusal });
        self.lap("explain");
        Ok(())
    }

    /// Leaves behind what is needed to see a failure of the engine again.
    fn report(&self, reason: &Reason) -> Result<Option<PathBuf>, Error> {
        let (Some(reports), Some(said)) = (&self.request.reports, &reason.said) else { return Ok(None) };
        if !matches!(reason.class, Class::Refused | Class::Failed) {
            return Ok(None);
        }
        let workspace = self.workspace();
        let module = workspace.join("prepared.bc");
        let (command, _) = self.engine.command(&module, &workspace);
        Failure { module: &module, command: &command, workspace: &workspace, said }.write(reports).map(Some)
    }

    /// The same reason with its place, if it turns up again where lines are known.
    fn locate<'c>(
        &self,
        context: &'c Context,
        closure: &Closure<'c>,
        site: &Site,
        reason: &Reason,
    ) -> Option<Reason> {
        if matches!(reason.class, Class::NoBitcode | Class::Endless) {
            return None;
        }
        let closure = closure.clone();
        let found = match self.prepare(context, &closure, &[site], &self.candidates, Debug::Lines).ok()? {
            Err(Setback::Refused(found, _)) => Some(found),
            Err(Setback::Wants(_)) => None,
            Ok(_) => self.locate_by_engine(context, &closure.module),
        };
        tracing::debug!(?reason.class, ?found, "looked for the place of a reason");
        found.filter(|found| found.class == reason.class)
    }

    /// What the engine says of a module in which every instruction has a line of its own.
    fn locate_by_engine<'c>(&self, context: &'c Context, module: &Module<'c>) -> Option<Reason> {
        let lines = Lines::number(context, module);
        module.verify().inspect_err(|error| tracing::debug!(%error, "with lines")).ok()?;
        let directory = self.workspace().join("lines");
        create(&directory).ok()?;
        let input = directory.join("prepared.bc");
        module.write_bitcode(&input).ok()?;
        let Outcome::Refused(text) = self.engine.differentiate(&input, &directory).ok()? else {
            return None;
        };
        let places = match (words::line(&text), words::lost_value(&text)) {
            (Some(line), _) => lines.places(line),
            (None, Some(value)) => lines.resembling(value, &module.text()),
            (None, None) => Vec::new(),
        };
        Some(Reason { places, ..words::reason(&text) })
    }
}
