//! `#[derive(Differentiable)]`: what types tell of themselves.

#![deny(warnings)]
#![forbid(unsafe_code)]

use std::rc::Rc;

use autodiff::__private::{Describe, Difference, Layout, NoLayout as _, Probe};
use autodiff::Differentiable;

/// Layouts have no equality; their text shows kind, size and number of fields.
fn text(layout: &Layout) -> String {
    let text = format!("{layout:?}");
    let part = |name: &str| {
        let (_, rest) = text.split_once(&format!("{name}: ")).expect("a field");
        rest[..rest.find([',', ' ']).expect("an end")].to_owned()
    };
    format!("{} {} {}", part("kind"), part("size"), part("fields_len"))
}

#[derive(Differentiable)]
struct Mixed {
    _weight: f64,
    _count: u32,
    data: Vec<f32>,
    _shared: Rc<f64>,
}

#[derive(Differentiable)]
struct Unit;

#[derive(Differentiable)]
struct Generic<'a, T: Copy, const N: usize>(&'a [T], [T; N])
where
    T: Default;

#[derive(Differentiable)]
struct List {
    value: f64,
    next: Option<Box<List>>,
}

#[derive(Differentiable)]
struct Node(f64, Vec<Edge>);

#[derive(Differentiable)]
struct Edge(f64, #[autodiff(skip)] Vec<Node>);

#[derive(Differentiable)]
#[repr(C, packed)]
struct Packed {
    _tag: u8,
    _value: f64,
}

#[derive(Differentiable)]
enum Kind {
    _One,
    _Two,
}

#[derive(Differentiable)]
enum Shape {
    Circle(f64),
    Polygon { corners: Vec<[f64; 2]> },
    Nothing,
}

#[derive(Differentiable)]
enum Never {}

#[derive(Differentiable)]
union Agreeing {
    _array: [f64; 2],
    _tuple: (f64, f64),
}

#[derive(Differentiable)]
union Disagreeing {
    _float: f64,
    _bytes: [u8; 8],
}

mod renamed {
    use autodiff as derivatives;

    #[derive(derivatives::Differentiable)]
    #[autodiff(crate = derivatives)]
    pub(crate) struct Renamed {
        pub(crate) value: f64,
    }
}

mod hostile {
    #![no_implicit_prelude]
    #![allow(dead_code, non_camel_case_types)]

    struct Option;
    struct f64;
    struct usize;
    trait Nuisance {
        fn or_else(&self) {}
        fn difference(&self) {}
    }
    impl<T> Nuisance for T {}

    #[derive(::autodiff::Differentiable)]
    pub(crate) enum Choice {
        One(::core::primitive::f64),
        None,
    }
}

#[test]
fn layouts() {
    const STRUCT: &str = "4";
    assert_eq!(text(Mixed::LAYOUT), format!("{STRUCT} {} 4", size_of::<Mixed>()));
    assert_eq!(text(Unit::LAYOUT), "4 0 0");
    assert_eq!(text(<Generic<'_, f64, 2>>::LAYOUT), "4 32 2");
    assert_eq!(text(List::LAYOUT), "4 16 2");
    assert_eq!((text(Node::LAYOUT), text(Edge::LAYOUT)), ("4 32 2".into(), "4 32 2".into()));
    assert_eq!(text(Packed::LAYOUT), "4 9 2");
    assert_eq!(text(Kind::LAYOUT), "1 1 0");
    assert_eq!(text(Never::LAYOUT), "1 0 0");
    assert_eq!(text(Shape::LAYOUT), format!("0 {} 0", size_of::<Shape>()));
    assert_eq!(text(Agreeing::LAYOUT), "4 16 1");
    assert_eq!(text(Disagreeing::LAYOUT), "0 8 0");
    assert_eq!(text(renamed::Renamed::LAYOUT), "4 8 1");
    assert!(!Probe::<Mixed>::LAYOUT.is_null() && Probe::<Rc<f64>>::LAYOUT.is_null());
}

#[test]
fn shapes() {
    let mixed = |length| Mixed { _weight: 1.0, _count: 1, data: vec![0.0; length], _shared: Rc::new(1.0) };
    assert_eq!(mixed(2).difference(&mixed(2)), None);
    let difference = Difference::Length { expected: 2, found: 0 };
    assert_eq!(mixed(2).difference(&mixed(0)), Some(difference));
    assert_eq!(mixed(2).data.len(), 2);

    let list = |next| List { value: 1.0, next };
    let two = list(Some(Box::new(list(None))));
    assert_eq!(two.difference(&two), None);
    assert_eq!(two.difference(&list(None)), Some(Difference::Variant));
    assert!(two.value > 0.0 && two.next.is_some());

    let edge = |nodes| Edge(1.0, nodes);
    let node = |edges| Node(1.0, edges);
    assert_eq!(edge(vec![]).difference(&edge(vec![node(vec![])])), None);
    assert!(node(vec![]).difference(&node(vec![edge(vec![])])).is_some());
    assert!(edge(vec![]).0 + node(vec![]).0 > 0.0);

    let (circle, polygon) = (Shape::Circle(1.0), |n| Shape::Polygon { corners: vec![[0.0; 2]; n] });
    assert_eq!(circle.difference(&Shape::Circle(2.0)), None);
    assert_eq!(circle.difference(&Shape::Nothing), Some(Difference::Variant));
    assert_eq!(polygon(2).difference(&polygon(0)), Some(difference));
    assert_eq!(Kind::_One.difference(&Kind::_Two), None);
    assert!(Generic(&[1.0], [2.0]).difference(&Generic(&[], [0.0])).is_some());
    assert_eq!(Generic(&[1.0], [2.0]).1.len(), 1);
    assert!(renamed::Renamed { value: 1.0 }.value > 0.0);

    assert_eq!(hostile::Choice::One(1.0).difference(&hostile::Choice::None), Some(Difference::Variant));
    const { assert!(<Generic<'_, f64, 1>>::SHARED && !<Generic<'_, u8, 1>>::SHARED && !Shape::SHARED) }
    const { assert!(Mixed::FLOATS && Shape::FLOATS && List::FLOATS && Agreeing::FLOATS && !Kind::FLOATS) }
    const { assert!(Mixed::SHAPED && Shape::SHAPED && List::SHAPED && !Packed::SHAPED && !Kind::SHAPED) }
}
