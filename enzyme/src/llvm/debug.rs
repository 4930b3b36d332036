//! Where functions and instructions stand in the source.

use std::path::Path;

use llvm_sys::debuginfo::{
    LLVMDIBuilderCreateDebugLocation, LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn,
    LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope, LLVMDIScopeGetFile,
    LLVMDISubprogramGetLine, LLVMGetSubprogram, LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc,
};
use llvm_sys::prelude::LLVMMetadataRef;

use super::message::text;
use super::{Context, Function, Instruction};
use crate::protocol::Location;

impl Function<'_> {
    /// The line of the definition, if there is debug information.
    pub(crate) fn place(self) -> Option<Location> {
        // SAFETY: the function is live.
        let subprogram = unsafe { LLVMGetSubprogram(self.raw()) };
        if subprogram.is_null() {
            return None;
        }
        // SAFETY: a subprogram is a scope with a line.
        let line = unsafe { LLVMDISubprogramGetLine(subprogram) };
        Some(Location { file: file(subprogram)?, line, column: 0 })
    }
}

impl Instruction<'_> {
    /// Where it was written, then where that was inlined, and so on outwards.
    pub(crate) fn places(self) -> Vec<Location> {
        let mut places = Vec::new();
        // SAFETY: the instruction is live, and its locations live as long.
        unsafe {
            let mut at = LLVMInstructionGetDebugLoc(self.raw());
            while !at.is_null() {
                let (line, column) = (LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at));
                let file = file(LLVMDILocationGetScope(at));
                places.extend(file.map(|file| Location { file, line, column }));
                at = LLVMDILocationGetInlinedAt(at);
            }
        }
        places
    }
}

impl<'c> Instruction<'c> {
    /// Puts it on another line of where it is. False if there is no debug information here.
    pub(crate) fn set_line(self, context: &'c Context, line: u32) -> bool {
        // SAFETY: the instruction is live, and so is all that belongs to its debug information.
        unsafe {
            let at = LLVMInstructionGetDebugLoc(self.raw());
            let (scope, inlined_at) = if at.is_null() {
                (LLVMGetSubprogram(self.block().function().raw()), std::ptr::null_mut())
            } else {
                (LLVMDILocationGetScope(at), LLVMDILocationGetInlinedAt(at))
            };
            if scope.is_null() {
                return false;
            }
            let moved = LLVMDIBuilderCreateDebugLocation(context.raw(), line, 0, scope, inlined_at);
            LLVMInstructionSetDebugLoc(self.raw(), moved);
            true
        }
    }
}

/// The file of a scope, absolute unless the compiler was told otherwise.
fn file(scope: LLVMMetadataRef) -> Option<String> {
    // SAFETY: the scope is live; strings are copied while it is.
    unsafe {
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() {
            return None;
        }
        let mut length = 0;
        let name = text(LLVMDIFileGetFilename(file, &raw mut length), length as usize).into_owned();
        if Path::new(&name).is_absolute() {
            return Some(name);
        }
        let directory = text(LLVMDIFileGetDirectory(file, &raw mut length), length as usize).into_owned();
        Some(if directory.is_empty() { name } else { format!("{directory}/{name}") })
    }
}
