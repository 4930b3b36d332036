//! Derivatives of the standard library's functions on floats, against closed forms and at the edges.
//!
//! `docs/math.md` says what they are. With `AUTODIFF_TESTS_BLESS` set, its table is written anew from what
//! `fixtures/math/edges.txt` wants and from the errors that are measured.

#[path = "math/number.rs"]
mod number;
#[path = "math/table.rs"]
mod table;

use std::collections::BTreeMap;
use std::{env, fs};

use autodiff_tests::{PROFILES, Project, repository};

use number::Number;

/// Where a function was asked for its partial derivatives, and what they are.
struct Point {
    function: String,
    precision: String,
    x: Vec<String>,
    slopes: Vec<Number>,
}

/// Reads `FUNCTION PRECISION X... : SLOPE...`, numbers by their bits.
fn points() -> Vec<Point> {
    let text = fs::read_to_string(repository().join("tests/fixtures/math/points.txt")).expect("points.txt");
    let point = |line: &str| {
        let (left, slopes) = line.split_once(" : ").expect("a colon");
        let mut words = left.split(' ').map(str::to_owned);
        let (function, precision) = (words.next().expect("a function"), words.next().expect("a precision"));
        let slopes = slopes.split(' ').map(|bits| Number::of_bits(bits, &precision)).collect();
        Point { x: words.collect(), function, precision, slopes }
    };
    text.lines().map(point).collect()
}

/// The edges, in words: `FUNCTION X... : SLOPE...`.
fn edges() -> Vec<(String, Vec<String>, Vec<String>)> {
    let text = fs::read_to_string(repository().join("tests/fixtures/math/edges.txt")).expect("edges.txt");
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let edge = |line: &str| {
        let (left, slopes) = line.split_once(" : ").expect("a colon");
        let left = words(left);
        (left[0].clone(), left[1..].to_vec(), words(slopes))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(edge).collect()
}

/// The edges as points, in both precisions.
fn edge_points() -> Vec<Point> {
    let mut points = Vec::new();
    for precision in ["f64", "f32"] {
        points.extend(edges().into_iter().map(|(function, x, slopes)| Point {
            function,
            precision: precision.to_owned(),
            x: x.iter().map(|word| Number::of_word(word, precision).bits()).collect(),
            slopes: slopes.iter().map(|word| Number::of_word(word, precision)).collect(),
        }));
    }
    points
}

/// What the program says of a point.
struct Answer {
    /// The function's value, by itself and from each derivative.
    values: [Number; 3],
    forward: Vec<Number>,
    reverse: Vec<Number>,
}

fn ask(points: &[Point], name: &str, profile: &[&str]) -> Vec<Answer> {
    let project = Project::fixture("math");
    let line = |point: &Point| format!("{} {} {}\n", point.function, point.precision, point.x.join(" "));
    let file = project.path(format!("{name}.asked"));
    fs::write(&file, points.iter().map(line).collect::<String>()).expect("file of points");
    let run = project.autodiff(["run", "--quiet"]).args(profile).arg("--").arg(&file).passes();
    let answer = |(line, point): (&str, &Point)| {
        let count = point.slopes.len();
        let words: Vec<_> = line.split(' ').map(|bits| Number::of_bits(bits, &point.precision)).collect();
        run.check(
            words.len() == 3 + 2 * count,
            &format!("{line:?} for {} is not of {count} slopes", point.function),
        );
        Answer {
            values: [words[0], words[1], words[2 + count]],
            forward: words[2..2 + count].to_vec(),
            reverse: words[3 + count..].to_vec(),
        }
    };
    let answers: Vec<_> = run.stdout.lines().zip(points).map(answer).collect();
    run.check(answers.len() == points.len(), "not a line for each point");
    answers
}

fn shown(point: &Point) -> String {
    let x: Vec<_> = point.x.iter().map(|bits| Number::of_bits(bits, &point.precision).to_string()).collect();
    format!("{}({}) in {}", point.function, x.join(", "), point.precision)
}

/// The largest error by function, in units of the last place; wrong values and slopes without a number are errors.
fn measure(profile: &[&str], worst: &mut BTreeMap<String, u64>) {
    let points = points();
    for (point, answer) in points.iter().zip(ask(&points, "points", profile)) {
        same_value(point, &answer);
        for slopes in [&answer.forward, &answer.reverse] {
            for (got, want) in slopes.iter().zip(&point.slopes) {
                let error = got.distance(*want);
                assert!(error <= table::LARGEST, "slopes of {}: {got}, want {want}", shown(point));
                let worst = worst.entry(point.function.clone()).or_default();
                *worst = error.max(*worst);
            }
        }
    }
}

fn same_value(point: &Point, answer: &Answer) {
    let [value, forward, reverse] = answer.values;
    assert!(value.is_same(forward), "value of {}: {forward} forward, {value} without", shown(point));
    assert!(value.is_same(reverse), "value of {}: {reverse} in reverse, {value} without", shown(point));
}

#[test]
fn derivatives_are_those_of_the_closed_forms() {
    let mut worst = BTreeMap::new();
    for profile in PROFILES {
        measure(profile, &mut worst);
    }
    let wanted = table::of(&worst, &edges());
    let file = repository().join("docs/math.md");
    let document = fs::read_to_string(&file).expect("docs/math.md");
    if env::var_os("AUTODIFF_TESTS_BLESS").is_some() {
        fs::write(&file, table::put(&document, &wanted)).expect("docs/math.md is written");
    } else {
        table::compare(&document, &wanted);
    }
}

#[test]
fn edges_are_as_agreed() {
    let points = edge_points();
    for profile in PROFILES {
        for (point, answer) in points.iter().zip(ask(&points, "edges", profile)) {
            same_value(point, &answer);
            for (mode, slopes) in [("forward", &answer.forward), ("reverse", &answer.reverse)] {
                let equal = slopes.iter().zip(&point.slopes).all(|(got, want)| got.equals(*want));
                let list =
                    |slopes: &[Number]| slopes.iter().map(Number::to_string).collect::<Vec<_>>().join(", ");
                let (got, want) = (list(slopes), list(&point.slopes));
                assert!(equal, "{mode} slopes of {}: {got}, want {want}", shown(point));
            }
        }
    }
}
