//! What can go wrong with a whole request; a derivative that cannot be made is a
//! [`Refusal`](crate::protocol::Refusal) instead.

use std::path::PathBuf;

use crate::llvm::LlvmError;

/// A failure of the tool or of its surroundings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The bitcode of a crate cannot be read by this LLVM.
    #[error("the bitcode of crate `{krate}` cannot be read; was it built by another compiler?")]
    Bitcode {
        /// The crate.
        krate: String,
        /// LLVM's words.
        #[source]
        source: Llvm,
    },
    /// A stage of the pipeline failed.
    #[error("{stage} failed; please report this with the output of `--dump-ir`")]
    Stage {
        /// The stage.
        stage: &'static str,
        /// LLVM's words.
        #[source]
        source: Llvm,
    },
    /// The engine could not be started.
    #[error("cannot run the engine {}; `cargo autodiff doctor` says what is wrong with it", path.display())]
    Engine {
        /// The executable.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// Text from LLVM.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Llvm(String);

impl Error {
    pub(crate) fn stage(stage: &'static str) -> impl Fn(LlvmError) -> Error {
        move |error| Error::Stage { stage, source: Llvm(error.0) }
    }

    pub(crate) fn bitcode(krate: &str) -> impl Fn(LlvmError) -> Error {
        move |error| Error::Bitcode { krate: krate.to_owned(), source: Llvm(error.0) }
    }
}
