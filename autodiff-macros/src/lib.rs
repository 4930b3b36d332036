//! Attribute macros of [`autodiff-runtime`](https://docs.rs/autodiff-runtime).
//!
//! A macro turns an attribute and a function into the same function and its derivative. The steps
//! have a file each: read the attribute (`args`) and the function (`primal`), check one against the
//! other (`validate`), compute what the derivative looks like (`signature`), write it (`expand`).

mod activity;
mod args;
mod derive;
mod errors;
mod expand;
mod offload;
mod primal;
mod rule;
mod signature;
#[cfg(test)]
mod snapshots;
mod tangent;
mod validate;

use activity::Mode;

/// Makes the forward-mode derivative of a function: how its results change when its arguments do.
///
/// `#[autodiff_forward(name, [width,] activities..)]` leaves the function as it is and adds a
/// function `name` beside it, of the same visibility. There is one activity for each parameter, in
/// order, and one for the return value unless that is `()`:
///
/// | activity | argument | return value `T` |
/// | --- | --- | --- |
/// | `Const` | not differentiated | `T` |
/// | `Dual` | followed by its tangent, of the same type | `(T, T)`: value and tangent |
/// | `DualOnly` | the same; its own value is scratch afterwards, so the derivative is `unsafe` | `T`: the tangent |
/// | `Dualv` | a slice, followed by one with the tangents of all directions, one after the other | |
///
/// Tangents of arguments that the function writes to are overwritten; all others keep their value.
///
/// | attribute | on | adds |
/// | --- | --- | --- |
/// | `d, Dual, Dual` | `fn f(x: f64) -> f64` | `fn d(x: f64, dx: f64) -> (f64, f64)` |
/// | `d, Dual, DualOnly` | the same | `fn d(x: f64, dx: f64) -> f64` |
/// | `d, Const, Dual, Dual` | `fn f(n: u32, x: &[f64]) -> f64` | `fn d(n: u32, x: &[f64], dx: &[f64]) -> (f64, f64)` |
/// | `d, Dual, Dual` | `fn f(x: &[f64], y: &mut f64)` | `fn d(x: &[f64], dx: &[f64], y: &mut f64, dy: &mut f64)` |
/// | `d, 2, Dual, Dual` | `fn f(x: &[f64; 9]) -> f64` | `fn d(x: &[f64; 9], dx_0: &[f64; 9], dx_1: &[f64; 9]) -> [f64; 3]` |
/// | `d, 2, Dual, DualOnly` | the same | the same with `-> [f64; 2]` |
/// | `d, 2, Dualv, Dualv` | `fn f(x: &[f64], y: &mut [f64])` | `fn d(x: &[f64], dx: &[f64], y: &mut [f64], dy: &mut [f64])` |
///
/// With a `width` (a literal), the derivative takes that many directions at once: as many tangents
/// follow each `Dual` argument, and a `Dual` return value becomes `[value, tangent, ..]`, a
/// `DualOnly` one `[tangent, ..]`.
///
/// `crate = path` as an entry tells where the runtime crate is, if not at `::autodiff`.
///
/// # Where it may stand
///
/// On functions of modules, functions and `impl`s, and on those of traits, with or without a body:
/// there the derivative is a provided method, which an implementation may replace. In the `impl` of
/// a trait, the trait must declare the derivative. Functions may be generic, `unsafe` and `extern`,
/// and take patterns and `impl Trait`. A function of an `impl` or trait that mentions neither `self`
/// nor `Self` cannot be told from a free one: write `where Self: Sized` behind its header.
///
/// Several attributes may stand on one function. Its other attributes are not copied to the
/// derivatives, but for `cfg` and `allow`.
///
/// # Panics
///
/// The derivative panics if the function does, and if the program was not built by `cargo autodiff`.
/// Before anything is written, it panics if a tangent does not have the shape of its argument (the
/// length of a slice or vector, the variant of an enum), or if the tangent of an argument that can
/// be written to is that argument.
#[proc_macro_attribute]
pub fn autodiff_forward(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::attribute(Mode::Forward, args.into(), &item.into()).into()
}

/// Makes the reverse-mode derivative of a function: its gradient, at a cost that does not grow with
/// the number of arguments.
///
/// `#[autodiff_reverse(name, [width,] activities..)]` leaves the function as it is and adds a
/// function `name` beside it, of the same visibility. There is one activity for each parameter, in
/// order:
///
/// | activity | argument | its gradient |
/// | --- | --- | --- |
/// | `Const` | any | none |
/// | `Active` | floats and arrays of floats, by value | returned |
/// | `Duplicated` | references and raw pointers | a mutable shadow follows the argument; the gradient is **added** to it |
/// | `DuplicatedOnly` | the same | the same; what the argument points to is scratch afterwards, so the derivative is `unsafe` |
///
/// and one for the return value unless that is `()`:
///
/// | activity | last parameter | result |
/// | --- | --- | --- |
/// | `Const` | none | the value, then the gradients of `Active` arguments |
/// | `Active` | the seed, which scales the gradient: usually 1 | the same |
/// | `ActiveOnly` | the seed | the gradients alone |
///
/// The shadow of an argument that the function writes to is the seed of what it writes, and is used
/// up by the call.
///
/// | attribute | on | adds |
/// | --- | --- | --- |
/// | `d, Active, Active` | `fn f(x: f64) -> f64` | `fn d(x: f64, seed: f64) -> (f64, f64)` |
/// | `d, Active, ActiveOnly` | the same | `fn d(x: f64, seed: f64) -> f64` |
/// | `d, Duplicated, Active, Active` | `fn f(x: &[f64], t: f64) -> f64` | `fn d(x: &[f64], dx: &mut [f64], t: f64, seed: f64) -> (f64, f64)` |
/// | `d, Duplicated, Duplicated` | `fn f(x: &[f64], y: &mut f64)` | `fn d(x: &[f64], dx: &mut [f64], y: &mut f64, dy: &mut f64)` |
/// | `d, Duplicated, Const, Active` | `fn f(&self, n: u32) -> f64` | `fn d(&self, dself: &mut Self, n: u32, seed: f64) -> f64` |
/// | `d, 2, Duplicated, Active` | `fn f(x: &[f64]) -> f64` | `fn d(x: &[f64], dx_0: &mut [f64], dx_1: &mut [f64], seeds: [f64; 2]) -> f64` |
/// | `d, 2, Active, Active` | `fn f(x: f64) -> f64` | `fn d(x: f64, seeds: [f64; 2]) -> (f64, [f64; 2])` |
///
/// With a `width` (a literal), the derivative takes that many seeds at once: as many shadows follow
/// each `Duplicated` argument, and seeds and returned gradients become arrays.
///
/// `crate = path` as an entry tells where the runtime crate is, if not at `::autodiff`.
///
/// # Where it may stand
///
/// Where [`macro@autodiff_forward`] may.
///
/// # Panics
///
/// The derivative panics if the function does, and if the program was not built by `cargo autodiff`.
/// Before anything is written, it panics if a shadow does not have the shape of its argument (the
/// length of a slice or vector, the variant of an enum), or if a shadow is its argument.
///
/// # Memory
///
/// Memory that the function allocates is freed with the derivative. So the function cannot leave any
/// behind: a vector may be filled, but not grow beyond its capacity. Otherwise the derivative ends
/// the program, for types that describe themselves.
#[proc_macro_attribute]
pub fn autodiff_reverse(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::attribute(Mode::Reverse, args.into(), &item.into()).into()
}

/// Gives a function a derivative that is written by hand, in place of what would be derived from its body.
///
/// `#[custom_rule(activities.., reverse = f_reverse, forward = f_forward)]` names one function or both. There
/// is one activity for each parameter, in order, and one for the return value unless that is `()`:
///
/// | activity | parameter | reverse rule takes | forward rule takes |
/// | --- | --- | --- | --- |
/// | `Const` | any | the argument | the argument |
/// | `Active` | a value, `x: f64` | `x: f64`, and returns what is to be added to its adjoint | `x: f64, tx: f64` |
/// | `Duplicated` | `x: &[f64]` | `x: &[f64], dx: &mut [f64]`, and adds to `dx` | `x: &[f64], tx: &[f64]` |
/// | `Duplicated` | `x: &T` | `x: &T, dx: &mut T`, and adds to `dx` | `x: &T, tx: &T` |
/// | `Duplicated` | `y: &mut [f64]` | `y: &[f64], dy: &mut [f64]` | `y: &mut [f64], ty: &mut [f64]` |
///
/// After the parameters, the reverse rule takes the result and, where that is `Active`, its adjoint. It
/// returns the adjoints of the `Active` parameters: nothing, one, or a tuple of them. The forward rule
/// returns what the function does, and for an `Active` result a pair: the value and its tangent.
///
/// The reverse rule finds the arguments as the function was called with them, but for `&mut` ones, which it
/// finds as the function left them. There it finds in `dy` how the final result depends on what was
/// written, and leaves how it depends on what was there before: zero, if the function only writes.
///
/// Derivatives in a mode without a rule are refused; the body is never differentiated.
///
/// # Where it may stand
///
/// On free functions, generic ones too, that take values that are `Copy`, and references and slices of
/// values that are `Clone` (`Const`) or implement `Tangent` (the others).
///
/// `crate = path` as an entry tells where the runtime crate is, if not at `::autodiff`.
#[proc_macro_attribute]
pub fn custom_rule(args: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    rule::custom_rule(args.into(), &item.into()).into()
}

/// Makes the result of a function a constant: the derivative does not look into the function.
///
/// So it may do what cannot be differentiated: call foreign functions, print, look things up. It may stand on
/// functions and methods that take no `&mut` reference and return numbers, or nothing.
///
/// `#[inactive(crate = path)]` tells where the runtime crate is, if not at `::autodiff`.
#[proc_macro_attribute]
pub fn inactive(args: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    rule::inactive(args.into(), &item.into()).into()
}

/// Makes values of a type points and results of derivatives, and describes the type to the tool.
///
/// A `struct` or `enum` gets the trait `Differentiable`, if all of its fields have it: zero tangents,
/// shapes, arithmetic, and flat slices. Tangents and gradients are values of the type itself. Unions and
/// packed structs do not get it.
///
/// Any type may derive it for use with the attributes. The description tells which bytes are
/// floating-point numbers, which integers and which pointers, and when a shadow has the same shape: one
/// whose vectors have other lengths, or whose enums another variant, is refused before anything is
/// written. Types without it can be arguments of the attributes as well, as long as the code shows what
/// their bytes are.
///
/// | item | bytes | shape of a shadow |
/// | --- | --- | --- |
/// | `struct` | those of its fields | that of its fields |
/// | `enum` without fields | integers | any |
/// | other `enum` | left open | the same variant, and that of its fields |
/// | `union` | those of its fields, where all agree; otherwise left open | any |
///
/// Fields of types that are not described are left open, and so are those that lead back to the
/// type itself. Type parameters must be described or, for the trait, have it.
///
/// # Attributes
///
/// `#[autodiff(skip)]` on a field leaves it open. Its floats do not vary: they are no part of the
/// flat slice, and zero in tangents; in a gradient, they have no meaning. The trait asks for it on
/// skipped fields as well, so that there is a zero. Where two types contain each other, one needs it
/// for its description, and neither can have the trait.
///
/// `#[autodiff(crate = path)]` on the type tells where the runtime crate is, if not at `::autodiff`.
#[proc_macro_derive(Differentiable, attributes(autodiff))]
pub fn differentiable(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive::differentiable(item.into()).into()
}

/// Makes a function a kernel, which [`offload!`] launches: it runs in many threads at once, on a GPU or on the CPU.
///
/// | parameter | a launch passes |
/// | --- | --- |
/// | a number, `bool`, `char`; arrays and tuples of them; a struct with `#[derive(KernelArgument)]` | the value |
/// | `&[T]` | `&[T]`, `&Vec<T>`, `&[T; N]` or `&Buffer<T>` |
/// | `Disjoint<'_, T, S>` | a `Partition`; where the strategy `S` has no sizes, `&mut` of the same four |
/// | `impl Fn(..)`, or `F` with such a bound | a closure that captures numbers and the like by value (`move`) |
/// | `*const T`, `*mut T`, in an `unsafe` kernel | an address on the device, as it is |
/// | `Thread` | nothing: it is where the thread is |
///
/// `&mut [T]` is refused, as all threads would have the same. `Disjoint` and `Thread` are recognised by these names.
///
/// # Where it may stand
///
/// On free functions that return nothing. They may be generic, over constants too, and `unsafe`; a launch of an `unsafe`
/// kernel stands in an `unsafe` block.
///
/// A kernel cannot be called, only launched: what it shares with other code is for an ordinary function, which both
/// call. What a kernel calls needs no attribute.
///
/// `#[offload_kernel(crate = path)]` tells where the runtime crate is, if not at `::autodiff`.
#[proc_macro_attribute]
pub fn offload_kernel(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    offload::offload_kernel(args.into(), &item.into()).into()
}

/// Launches a kernel: `offload! { kernel = function, args = (..), .. }`.
///
/// | key | value | if missing |
/// | --- | --- | --- |
/// | `kernel` | path of a function with [`macro@offload_kernel`] | an error |
/// | `args` | its arguments, as a tuple | an error |
/// | `workgroup_dim` | number of blocks, `[u32; 3]` in x, y and z | `[1, 1, 1]` |
/// | `thread_dim` | threads of a block, `[u32; 3]` | `[1, 1, 1]` |
/// | `dyn_cache` | bytes of shared memory that `Thread::dynamic_shared` gives, `u32` | 0 |
/// | `device` | a `Device`, or its number in `devices()` | that of the buffers among the arguments, or `Device::preferred()` |
/// | `queue` | a `&Queue` | none |
///
/// Keys may come in any order, and `crate = path` as for the attribute.
///
/// It is an expression. Without a queue it waits for the end of the kernel, and is a `Result<(), LaunchError>`; with
/// one it is a `Result<Event, LaunchError>` and does not wait.
#[proc_macro]
pub fn offload(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    offload::offload(input.into()).into()
}

/// Lets values of a `Copy` struct be passed to kernels, if all of its fields can.
///
/// `#[autodiff(crate = path)]` on the type tells where the runtime crate is, if not at `::autodiff`.
#[proc_macro_derive(KernelArgument, attributes(autodiff))]
pub fn kernel_argument(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    offload::kernel_argument(item.into()).into()
}
