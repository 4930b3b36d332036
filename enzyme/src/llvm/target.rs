//! Target machines: what object code is made for.

use std::ffi::CString;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Once;

use llvm_sys::target::{
    LLVMCopyStringRepOfTargetData, LLVMDisposeTargetData, LLVMInitializeAArch64AsmPrinter,
    LLVMInitializeAArch64Target, LLVMInitializeAArch64TargetInfo, LLVMInitializeAArch64TargetMC,
    LLVMInitializeX86AsmPrinter, LLVMInitializeX86Target, LLVMInitializeX86TargetInfo,
    LLVMInitializeX86TargetMC,
};
use llvm_sys::target_machine::{
    LLVMCodeGenFileType, LLVMCodeGenOptLevel, LLVMCodeModel, LLVMCreateTargetDataLayout,
    LLVMCreateTargetMachine, LLVMDisposeTargetMachine, LLVMGetHostCPUFeatures, LLVMGetHostCPUName,
    LLVMGetTargetFromTriple, LLVMRelocMode, LLVMTargetMachineEmitToFile, LLVMTargetMachineRef,
};

use super::message::take_message;
use super::module::c_path;
use super::{LlvmError, Module};
use crate::protocol::Target;

/// A target machine.
pub(crate) struct Machine(LLVMTargetMachineRef);

impl Machine {
    /// The machine that `target` describes, for a triple as bitcode names it.
    pub(crate) fn new(triple: &str, target: &Target) -> Result<Self, LlvmError> {
        initialize(triple)?;
        let (cpu, features) = cpu_and_features(triple, target);
        let c = |text: &str| CString::new(text).map_err(|_| LlvmError(format!("`{text}` holds a NUL")));
        let (triple, cpu, features) = (c(triple)?, c(&cpu)?, c(&features)?);
        let (mut found, mut message) = (null_mut(), null_mut());
        // SAFETY: the texts outlive the calls; the message is taken over on failure.
        unsafe {
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut found, &raw mut message) != 0 {
                return Err(LlvmError(take_message(message)));
            }
            let raw = LLVMCreateTargetMachine(
                found,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
                relocation(target.relocation_model.as_deref()),
                code_model(target.code_model.as_deref()),
            );
            if raw.is_null() {
                return Err(LlvmError("LLVM has no such target machine".to_owned()));
            }
            Ok(Machine(raw))
        }
    }

    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: the layout and its text are ours and disposed of here.
        unsafe {
            let data = LLVMCreateTargetDataLayout(self.0);
            let text = take_message(LLVMCopyStringRepOfTargetData(data));
            LLVMDisposeTargetData(data);
            text
        }
    }

    /// Writes object code.
    pub(crate) fn emit(&self, module: &Module<'_>, path: &Path) -> Result<(), LlvmError> {
        let c_path = c_path(path)?;
        let mut message = null_mut();
        // SAFETY: the message is taken over on failure.
        unsafe {
            let kind = LLVMCodeGenFileType::LLVMObjectFile;
            let path = c_path.as_ptr().cast_mut();
            if LLVMTargetMachineEmitToFile(self.0, module.raw(), path, kind, &raw mut message) != 0 {
                return Err(LlvmError(take_message(message)));
            }
        }
        Ok(())
    }

    pub(super) fn raw(&self) -> LLVMTargetMachineRef {
        self.0
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: created in `new`.
        unsafe { LLVMDisposeTargetMachine(self.0) }
    }
}

/// Registers the back end of a triple, once per process.
fn initialize(triple: &str) -> Result<(), LlvmError> {
    static X86: Once = Once::new();
    static AARCH64: Once = Once::new();
    match triple.split('-').next().unwrap_or_default() {
        // SAFETY: registration needs nothing and happens once.
        "x86_64" => X86.call_once(|| unsafe {
            LLVMInitializeX86TargetInfo();
            LLVMInitializeX86Target();
            LLVMInitializeX86TargetMC();
            LLVMInitializeX86AsmPrinter();
        }),
        // SAFETY: as above.
        "aarch64" | "arm64" => AARCH64.call_once(|| unsafe {
            LLVMInitializeAArch64TargetInfo();
            LLVMInitializeAArch64Target();
            LLVMInitializeAArch64TargetMC();
            LLVMInitializeAArch64AsmPrinter();
        }),
        other => return Err(LlvmError(format!("no support for the architecture `{other}`"))),
    }
    Ok(())
}

/// What rustc's `target-cpu` and `target-feature` mean to LLVM; `native` asks the machine.
fn cpu_and_features(triple: &str, target: &Target) -> (String, String) {
    let native = target.cpu.as_deref() == Some("native");
    let (host_cpu, host_features) = if native {
        // SAFETY: LLVM hands over two strings.
        unsafe { (take_message(LLVMGetHostCPUName()), take_message(LLVMGetHostCPUFeatures())) }
    } else {
        Default::default()
    };
    let cpu = match target.cpu.as_deref() {
        Some("native") => host_cpu,
        Some(cpu) => cpu.to_owned(),
        None if triple.starts_with("x86_64") => "x86-64".to_owned(),
        None => "generic".to_owned(),
    };
    let wanted = target.features.as_deref().unwrap_or_default();
    let features = [host_features.as_str(), wanted].into_iter().filter(|part| !part.is_empty());
    (cpu, features.collect::<Vec<_>>().join(","))
}

fn relocation(model: Option<&str>) -> LLVMRelocMode {
    match model {
        Some("static") => LLVMRelocMode::LLVMRelocStatic,
        Some("dynamic-no-pic") => LLVMRelocMode::LLVMRelocDynamicNoPic,
        _ => LLVMRelocMode::LLVMRelocPIC,
    }
}

fn code_model(model: Option<&str>) -> LLVMCodeModel {
    match model {
        Some("tiny") => LLVMCodeModel::LLVMCodeModelTiny,
        Some("small") => LLVMCodeModel::LLVMCodeModelSmall,
        Some("kernel") => LLVMCodeModel::LLVMCodeModelKernel,
        Some("medium") => LLVMCodeModel::LLVMCodeModelMedium,
        Some("large") => LLVMCodeModel::LLVMCodeModelLarge,
        _ => LLVMCodeModel::LLVMCodeModelDefault,
    }
}
