//! `Differentiable`: zeros, shapes, arithmetic and flat slices of structured values.

#![deny(warnings)]
#![forbid(unsafe_code)]
// These numbers are computed without rounding.
#![allow(clippy::float_cmp)]

use std::collections::BTreeMap;
use std::marker::PhantomData;

use autodiff::{Differentiable, Scalar};

#[derive(Differentiable, Debug, Clone, PartialEq)]
struct Model<T, const N: usize> {
    name: String,
    layers: Vec<Layer<T>>,
    offsets: [f64; N],
    scale: Option<f64>,
    steps: usize,
    enabled: bool,
    #[autodiff(skip)]
    data: Vec<f64>,
}

#[derive(Differentiable, Debug, Clone, PartialEq)]
struct Layer<T>(Vec<T>, #[autodiff(skip)] u8);

#[derive(Differentiable, Debug, Clone, PartialEq)]
enum Shape {
    Circle(f64),
    Box { width: f64, height: f32, _label: &'static str },
    Nothing,
}

#[derive(Differentiable, Debug, Clone, PartialEq)]
struct Tree {
    value: f64,
    children: Vec<Tree>,
}

#[derive(Differentiable, Debug, Clone, PartialEq)]
struct Empty<T>(PhantomData<T>);

fn model() -> Model<f64, 2> {
    Model {
        name: "model".into(),
        layers: vec![Layer(vec![1.0, 2.0], 7), Layer(vec![3.0], 8)],
        offsets: [4.0, 5.0],
        scale: Some(6.0),
        steps: 9,
        enabled: true,
        data: vec![10.0],
    }
}

/// The message of a panic.
fn message(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("a panic");
    panic.downcast_ref::<String>().expect("formatted text").clone()
}

#[test]
fn zeros_have_the_same_shape_and_carry_the_rest_along() {
    let zero = Model {
        layers: vec![Layer(vec![0.0, 0.0], 7), Layer(vec![0.0], 8)],
        offsets: [0.0; 2],
        scale: Some(0.0),
        data: vec![0.0],
        ..model()
    };
    assert_eq!(model().zero_tangent(), zero);
    let label = "a";
    let shape = Shape::Box { width: 1.0, height: 2.0, _label: label };
    assert_eq!(shape.zero_tangent(), Shape::Box { width: 0.0, height: 0.0, _label: label });
    assert_eq!(Shape::Nothing.zero_tangent(), Shape::Nothing);
    assert_eq!((1.0f32, 2u8, "x").zero_tangent(), (0.0, 2, "x"));
}

#[test]
fn floats_are_flattened_in_order() {
    let model = model();
    assert_eq!((model.dimension(), model.flatten()), (6, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let mut flat = [0.0; 6];
    model.flatten_into(&mut flat);
    assert_eq!(flat, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let back = model.unflatten(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
    assert_eq!(back.layers, [Layer(vec![6.0, 5.0], 7), Layer(vec![4.0], 8)]);
    assert_eq!((back.offsets, back.scale, back.steps), ([3.0, 2.0], Some(1.0), 9));
    let tree = Tree { value: 1.0, children: vec![Tree { value: 2.0, children: vec![] }] };
    assert_eq!(tree.flatten(), [1.0, 2.0]);
    let map = BTreeMap::from([("b", 2.0), ("a", 1.0)]);
    assert_eq!(map.flatten(), [1.0, 2.0]);
    assert_eq!(map.unflatten(&[3.0, 4.0]), BTreeMap::from([("a", 3.0), ("b", 4.0)]));
    assert_eq!(Empty::<f64>(PhantomData).dimension(), 0);
}

#[test]
fn the_scalar_is_the_wider_float() {
    fn scalar<T: Differentiable>(_: &T) -> &'static str {
        std::any::type_name::<T::Scalar>()
    }
    assert_eq!(scalar(&(1u8, 2f32)), "f32");
    assert_eq!(scalar(&(1f32, 2f64, 3f32)), "f64");
    assert_eq!(scalar(&Layer(vec![1f32], 0)), "f32");
    assert_eq!(scalar(&model()), "f64");
    assert_eq!(scalar(&Shape::Nothing), "f64");
    assert_eq!(scalar(&vec![Some([1f32; 2])]), "f32");
}

#[test]
fn arithmetic_is_that_of_vectors() {
    fn generic<S: Scalar, T: Differentiable<Scalar = S>>(x: &T) -> S {
        x.inner(x)
    }
    let mut x = model();
    x.axpy(10.0, &model());
    assert_eq!(x.flatten(), [11.0, 22.0, 33.0, 44.0, 55.0, 66.0]);
    assert_eq!(x.data, [10.0]);
    assert_eq!((model().inner(&model()), generic(&model())), (91.0, 91.0));
    assert_eq!([3f32, 4.0].norm(), 5.0);
    assert_eq!(Shape::Circle(2.0).inner(&Shape::Circle(3.0)), 6.0);
}

#[test]
fn other_shapes_are_refused() {
    let mut other = model();
    other.layers[1].0.push(1.0);
    let error = model().check_shape(&other).expect_err("another shape");
    assert_eq!(error.to_string(), "the other value must have length 1, but has length 2");
    let text = message(|| _ = model().inner(&other));
    assert_eq!(text, "`inner`: the other value must have length 1, but has length 2");
    assert_eq!(
        message(|| Shape::Nothing.axpy(1.0, &Shape::Circle(1.0))),
        "`axpy`: the other value must be of the same variant"
    );
    let error = model().try_unflatten(&[1.0]).expect_err("another length");
    assert_eq!(error.to_string(), "the slice must have length 6, but has length 1");
    assert!(message(|| _ = model().unflatten(&[])).starts_with("`unflatten`: the slice must have length 6"));
    let maps = [BTreeMap::from([(1, 1.0)]), BTreeMap::from([(2, 1.0)])];
    let error = maps[0].check_shape(&maps[1]).expect_err("other keys");
    assert_eq!(error.to_string(), "the other value must have the same keys");
}

/// What is derived must not depend on what names mean where it stands.
mod hostile {
    #![no_implicit_prelude]
    #![allow(dead_code, non_camel_case_types)]

    struct Option;
    struct f64;
    trait Clone {}
    trait Nuisance {
        fn zero_tangent(&self) {}
        fn __update(&self) {}
    }
    impl<T> Nuisance for T {}

    #[derive(::autodiff::Differentiable)]
    pub(crate) enum Choice<A> {
        One(::core::primitive::f64, A),
        Two { other: A },
        None,
    }
}

/// Types without tangents may derive as well, for use with the attributes.
mod attributes_only {
    #![allow(dead_code)]

    #[derive(autodiff::Differentiable)]
    struct Shared {
        value: f64,
        other: std::rc::Rc<f64>,
        #[autodiff(skip)]
        table: std::collections::HashMap<String, f64>,
    }

    #[derive(autodiff::Differentiable)]
    struct Borrowing<'a>(&'a [f64], f64);

    #[derive(autodiff::Differentiable)]
    struct Generic<T>(T, std::rc::Rc<T>);
}

#[test]
fn names_around_do_not_matter() {
    let choice = hostile::Choice::One(1.0, 2f32);
    assert_eq!(choice.flatten(), [1.0, 2.0]);
}
