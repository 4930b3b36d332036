//! What derivatives refer to and the program keeps to itself: local statics and functions.

use std::collections::HashSet;

use anyhow::Result;
use autodiff_enzyme::protocol::{NativeFunction, Response};
use fs_err as fs;
use object::{Object, ObjectSymbol};

use super::{inputs::Inputs, patch::Changes};

/// Symbols that are still to be made visible.
#[derive(Debug)]
pub(crate) struct Missing {
    pub(crate) statics: Vec<String>,
    functions: Vec<NativeFunction>,
    /// Functions of which a copy was found.
    found: HashSet<String>,
}

impl Missing {
    /// What the objects of a response refer to. More was named before they were optimised, and the
    /// program may lack that.
    pub(crate) fn of(response: &Response) -> Result<Self> {
        let mut undefined = HashSet::new();
        for path in &response.objects {
            let data = fs::read(path)?;
            let file = object::File::parse(&*data)?;
            let names = file.symbols().filter(ObjectSymbol::is_undefined).map(|symbol| symbol.name_bytes());
            undefined.extend(names.map(|name| name.map(<[u8]>::to_vec)).collect::<Result<Vec<_>, _>>()?);
        }
        let statics = response.externals.iter().filter(|name| undefined.contains(name.as_bytes()));
        let functions = response.functions.iter().filter(|it| undefined.contains(it.name.as_bytes()));
        Ok(Self {
            statics: statics.cloned().collect(),
            functions: functions.cloned().collect(),
            found: HashSet::new(),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.statics.is_empty() && self.functions.is_empty()
    }

    /// Makes visible what some objects define, which takes it off the list.
    pub(crate) fn export(&mut self, inputs: &Inputs, changes: &mut [Changes]) {
        self.statics.retain(|name| {
            if inputs.objects.iter().any(|object| object.global(name)) {
                return false;
            }
            for (object, changes) in inputs.objects.iter().zip(&mut *changes) {
                if let Some(symbol) = object.definition_of_local(name) {
                    changes.exports.push((symbol, name.clone()));
                    return false;
                }
            }
            true
        });
        for (object, changes) in inputs.objects.iter().zip(changes) {
            let mut here = HashSet::new();
            // One name of each function for each object that has a copy.
            self.functions.retain(|function| {
                if here.contains(&function.symbol) {
                    return true;
                }
                let Some(symbol) = object.definition_of_local(&function.symbol) else { return true };
                changes.exports.push((symbol, function.name.clone()));
                here.insert(function.symbol.clone());
                false
            });
            self.found.extend(here);
        }
    }

    /// Forgets the functions that the standard library need not be searched for.
    pub(crate) fn leave_to_system(&mut self) {
        self.functions.retain(|function| function.std && !self.found.contains(&function.symbol));
    }
}
