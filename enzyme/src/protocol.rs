//! What the linker wrapper asks of the worker process, and what it gets back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One link's worth of derivatives to make.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The derivatives wanted, one per distinct (shim, description).
    pub sites: Vec<Site>,
    /// Bitcode that function bodies may come from, the user's crates first, the standard library last.
    pub modules: Vec<Module>,
    /// What the object code must look like.
    pub target: Target,
    /// The Enzyme to run.
    pub engine: Engine,
    /// Where to write the module after each stage, if wanted.
    pub dump: Option<PathBuf>,
    /// Where to leave what is needed to see failures of the engine again, if anywhere.
    pub reports: Option<PathBuf>,
    /// Where derivatives are kept from one request to the next, if anywhere.
    pub cache: Option<PathBuf>,
    /// Whether the program is to be linked without the derivatives that cannot be made: then their
    /// calls must find out why.
    pub defer: bool,
    /// Directory for temporary files; the object file of the response is put here.
    pub workspace: PathBuf,
}

/// Where one bitcode module is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Module {
    /// A file that holds the module.
    pub path: PathBuf,
    /// First byte of the module in that file.
    pub offset: u64,
    /// Length of the module in bytes.
    pub length: u64,
    /// Name of the crate, for messages.
    pub krate: String,
    /// Whether this is precompiled code of the standard library.
    pub std: bool,
}

/// A derivative call: the function to differentiate and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// Symbol the derivative gets in the object file.
    pub symbol: String,
    /// Symbol of the shim.
    pub shim: String,
    /// What to call the primal in messages.
    pub name: String,
    /// Where the call or attribute stands, if known.
    pub location: Option<Location>,
    /// Forward or reverse.
    pub mode: Mode,
    /// How many shadows each duplicated parameter has.
    pub width: u32,
    /// The shim's parameters.
    pub params: Vec<Param>,
}

/// A place in the user's source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// File, as rustc knows it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when not known.
    pub column: u32,
}

/// Direction of differentiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// Adjoints: shadows of inputs are added to, shadows of outputs are seeds.
    Reverse,
    /// Tangents.
    Forward,
}

/// One parameter of a shim.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Param {
    /// Passed as a plain integer rather than a pointer.
    pub integer: bool,
    /// A pointer to what nothing else leads to: stores through it are seen by no other pointer.
    pub exclusive: bool,
    /// What Enzyme does with it.
    pub activity: Activity,
    /// Layout of what a pointer points to, if known.
    pub layout: Option<Layout>,
}

/// Activity of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Activity {
    /// Not differentiated.
    Const,
    /// Has shadows.
    Duplicated,
    /// Has shadows; its primal contents are not needed afterwards.
    DuplicatedOnly,
    /// A result whose derivative nobody asks for.
    Ignored,
}

/// Which bytes of a value are float, integer or pointer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Layout {
    /// Nothing is known.
    Unknown,
    /// Integers and other bytes that never carry a derivative.
    Integer {
        /// Bytes.
        size: u64,
    },
    /// A floating-point number.
    Float {
        /// Bytes.
        size: u64,
    },
    /// An address.
    Pointer {
        /// What it points to, if known.
        pointee: Option<Box<Layout>>,
    },
    /// Fields at offsets.
    Struct {
        /// Bytes.
        size: u64,
        /// Offset and layout of each field.
        fields: Vec<(u64, Layout)>,
    },
    /// Equal elements one after the other.
    Array {
        /// Bytes from one element to the next.
        stride: u64,
        /// How many; none when only known at run time.
        count: Option<u64>,
        /// Layout of one.
        element: Box<Layout>,
    },
}

/// What the object code must look like: taken from rustc's own arguments.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// rustc's `-C target-cpu`, if given (`native` is resolved here).
    pub cpu: Option<String>,
    /// rustc's `-C target-feature`, if given.
    pub features: Option<String>,
    /// rustc's `-C relocation-model`, if given.
    pub relocation_model: Option<String>,
    /// rustc's `-C code-model`, if given.
    pub code_model: Option<String>,
}

/// An Enzyme that can be run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Engine {
    /// The compiler of the `pennylane-catalyst` package.
    Catalyst {
        /// The executable.
        executable: PathBuf,
    },
    /// LLVM's `opt` with an Enzyme plugin.
    Plugin {
        /// The `opt` executable.
        opt: PathBuf,
        /// The plugin, `LLVMEnzyme-<major>.so`.
        plugin: PathBuf,
    },
}

/// What came of a request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Response {
    /// Object files that define the derivatives, to be added to the link.
    pub objects: Vec<PathBuf>,
    /// Sites (by `symbol`) that have a derivative now.
    pub derived: Vec<String>,
    /// Symbols of mutable statics that the objects refer to and that are local where they are
    /// defined: each must be made global in a copy of the object that owns it.
    pub externals: Vec<String>,
    /// Functions of the program that the objects refer to, each under a name of its own for each copy
    /// that the program may have: these names must be given to the copies. A name that is not given
    /// is null.
    #[serde(default)]
    pub functions: Vec<NativeFunction>,
    /// Derivatives that could not be made, and failures of the whole request.
    pub refusals: Vec<Refusal>,
    /// For each site (by `symbol`) that was refused: the symbol of the text that says why, in one of
    /// the objects. Only if the request is to defer errors.
    pub reasons: BTreeMap<String, String>,
    /// Seconds spent in each stage, for `-v` and benchmarks.
    pub timings: Vec<(String, f64)>,
}

/// One copy of a function of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeFunction {
    /// By what name the objects refer to it.
    pub name: String,
    /// The function's symbol.
    pub symbol: String,
    /// Whether the standard library may hold the copy.
    pub std: bool,
}

/// Why a derivative could not be made, in the user's terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// `symbol` of the site; empty when the whole request failed.
    pub site: String,
    /// Code of its class, by which `cargo autodiff explain` knows it.
    pub code: Option<String>,
    /// One line: what cannot be differentiated and why.
    pub message: String,
    /// Where the differentiated function is defined, if known.
    pub primal: Option<Location>,
    /// Where its derivative is asked for, if known, and in what way.
    pub call: Option<(Location, String)>,
    /// The functions from the primal to the offending one, outermost first, as messages name them.
    pub chain: Vec<String>,
    /// The offending place, or else that of the function, if known.
    pub location: Option<Location>,
    /// What is wrong at the offending place, if that is known.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The directory with what is needed to see it again, if it is a failure of the engine's.
    pub report: Option<PathBuf>,
}
