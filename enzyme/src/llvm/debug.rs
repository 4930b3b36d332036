//! Where functions and instructions stand in the source.

use llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDIScopeGetFile, LLVMDISubprogramGetLine,
    LLVMGetSubprogram,
};
use llvm_sys::prelude::LLVMMetadataRef;

use super::Function;
use super::message::text;

impl Function<'_> {
    /// File and line of the definition, if there is debug information. The file is as the compiler
    /// was given it.
    pub(crate) fn place(self) -> Option<(String, u32)> {
        // SAFETY: the function is live.
        let subprogram = unsafe { LLVMGetSubprogram(self.raw()) };
        if subprogram.is_null() {
            return None;
        }
        // SAFETY: a subprogram is a scope with a line.
        let line = unsafe { LLVMDISubprogramGetLine(subprogram) };
        Some((file(subprogram)?, line))
    }
}

fn file(scope: LLVMMetadataRef) -> Option<String> {
    // SAFETY: the scope is live; strings are copied while it is.
    unsafe {
        let file = LLVMDIScopeGetFile(scope);
        if file.is_null() {
            return None;
        }
        let mut length = 0;
        let name = text(LLVMDIFileGetFilename(file, &raw mut length), length as usize).into_owned();
        if std::path::Path::new(&name).is_absolute() {
            return Some(name);
        }
        let directory = text(LLVMDIFileGetDirectory(file, &raw mut length), length as usize).into_owned();
        Some(if directory.is_empty() { name } else { format!("{directory}/{name}") })
    }
}
