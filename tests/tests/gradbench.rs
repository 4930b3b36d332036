//! The example `gradbench`: the protocol is spoken with inputs of our own, and derivatives are compared with closed
//! forms and with central differences of what the example itself says the values are.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use autodiff_tests::{Invocation, repository, scratch, tool};
use serde_json::{Value, json};

/// The executable, built on first use.
fn executable() -> &'static Path {
    static EXECUTABLE: OnceLock<std::path::PathBuf> = OnceLock::new();
    EXECUTABLE.get_or_init(|| {
        let build = Invocation::new(tool(), repository())
            .args(["autodiff", "build", "--release", "-p", "gradbench", "--message-format", "json"])
            .env("CARGO_TARGET_DIR", scratch().join("target"));
        build.passes().artifact("gradbench", "gradbench")
    })
}

/// A conversation with the example.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: i64,
}

impl Session {
    fn new() -> Self {
        let mut child = Command::new(executable())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the example starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("standard output"));
        Self { child, input, output, id: -1 }
    }

    fn line(&mut self, line: &str) -> Value {
        writeln!(self.input.as_mut().expect("standard input"), "{line}").expect("the example reads");
        let mut reply = String::new();
        self.output.read_line(&mut reply).expect("the example answers");
        serde_json::from_str(&reply).unwrap_or_else(|_| panic!("not JSON: {reply:?}, in answer to {line}"))
    }

    /// Sends a message with the next number, which the answer must repeat.
    fn say(&mut self, mut message: Value) -> Value {
        self.id += 1;
        message["id"] = self.id.into();
        let reply = self.line(&message.to_string());
        assert_eq!(reply["id"], self.id, "{reply}");
        reply
    }

    fn evaluate(&mut self, module: &str, function: &str, input: &Value) -> Value {
        let kind = "evaluate";
        self.say(json!({ "kind": kind, "module": module, "function": function, "input": input }))
    }

    /// What a function returns.
    fn output(&mut self, module: &str, function: &str, input: &Value) -> Value {
        let mut reply = self.evaluate(module, function, input);
        assert_eq!(reply["success"], true, "{module} {function}: {}", reply["error"]);
        reply["output"].take()
    }

    /// All numbers that a function returns.
    fn numbers(&mut self, module: &str, function: &str, input: &Value) -> Vec<f64> {
        flat(&self.output(module, function, input))
    }

    /// Why a function fails.
    fn failure(&mut self, module: &str, function: &str, input: &Value) -> String {
        let reply = self.evaluate(module, function, input);
        assert_eq!(reply["success"], false, "{module} {function} succeeds: {reply}");
        reply["error"].as_str().expect("a reason").to_owned()
    }

    /// How what a function returns changes with the number that `pointer` points to, by differences of fourth order.
    fn differences(&mut self, (module, function): (&str, &str), input: &Value, pointer: &str) -> Vec<f64> {
        let step = 1e-3;
        let mut at = |steps: f64| {
            let mut input = input.clone();
            let number = input.pointer_mut(pointer).expect("a number of the input");
            *number = (number.as_f64().expect("a number") + steps * step).into();
            self.numbers(module, function, &input)
        };
        let (near, far) = ([at(1.0), at(-1.0)], [at(2.0), at(-2.0)]);
        let difference = |i: usize| 8.0 * (near[0][i] - near[1][i]) - (far[0][i] - far[1][i]);
        (0..near[0].len()).map(|i| difference(i) / (12.0 * step)).collect()
    }

    /// Compares derivatives of a function that returns one number, one for each pointer, with differences.
    fn check_gradient(&mut self, primal: (&str, &str), input: &Value, pointers: &[String], gradient: &[f64]) {
        assert_eq!(pointers.len(), gradient.len(), "{primal:?}");
        for (pointer, slope) in pointers.iter().zip(gradient) {
            let difference = self.differences(primal, input, pointer);
            assert_close(&[*slope], &difference, &format!("{primal:?} by {pointer}"));
        }
        assert!(gradient.iter().any(|slope| slope.abs() > 1e-3), "{primal:?} does not vary");
    }

    /// Ends the input, and with it the example.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().expect("the example ends").code()
    }
}

/// All numbers in a value, in order.
fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().unwrap_or_else(|| panic!("not a number: {number}"))],
    }
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error < 1e-8, "{what}: {found} is not {expected}");
    }
}

/// Numbers without order between `-scale` and `scale`.
fn wave(count: usize, phase: f64, scale: f64) -> Vec<f64> {
    (0..count).map(|i| scale * (phase + 1.7 * i as f64 + 0.3 * (i * i) as f64).sin()).collect()
}

fn rows(numbers: &[f64], width: usize) -> Vec<&[f64]> {
    numbers.chunks(width).collect()
}

/// Pointers to the numbers of a list, or of a table's rows.
fn pointers(name: &str, rows: usize, width: Option<usize>) -> Vec<String> {
    let pointer = |row: usize| match width {
        Some(width) => (0..width).map(|column| format!("/{name}/{row}/{column}")).collect(),
        None => vec![format!("/{name}/{row}")],
    };
    (0..rows).flat_map(pointer).collect()
}

#[test]
fn hello_is_answered() {
    let mut session = Session::new();
    assert_eq!(session.output("hello", "square", &json!(3.0)), 9.0);
    assert_eq!(session.output("hello", "double", &json!(3.0)), 6.0);
    assert_eq!(session.output("hello", "double", &json!(4)), 8.0);
}

#[test]
fn gradients_are_right() {
    let mut session = Session::new();
    let numbers = wave(5, 0.2, 2.0);
    let x = pointers("x", 5, None);
    let inputs = [
        ("lse", json!({ "x": numbers }), x.clone()),
        ("llsq", json!({ "x": numbers, "n": 7 }), x),
        ("det", json!({ "A": wave(16, 0.5, 1.5), "ell": 4 }), pointers("A", 16, None)),
    ];
    for (module, input, pointers) in inputs {
        let gradient = session.numbers(module, "gradient", &input);
        session.check_gradient((module, "primal"), &input, &pointers, &gradient);
    }
    let value = session.numbers("lse", "primal", &json!({ "x": [1000.0, 1000.0] }));
    assert_close(&value, &[1000.0 + 2f64.ln()], "logarithm of large exponentials");
    let value = session.numbers("det", "primal", &json!({ "A": [1.0, 2.0, 3.0, 4.0], "ell": 2 }));
    assert_close(&value, &[-2.0], "determinant");
}

/// The method is exact for up to four unknowns, whatever the number of steps.
#[test]
fn differential_equation_is_solved() {
    let mut session = Session::new();
    let x = [0.5, -1.5, 2.0, 0.7];
    let input = json!({ "x": x, "s": 3 });
    let y = session.numbers("ode", "primal", &input);
    let product = |n: usize| x[..n].iter().product::<f64>();
    let exact = [product(1) * 2.0, product(2) * 2.0, product(3) * 4.0 / 3.0, product(4) * 2.0 / 3.0];
    assert_close(&y, &exact, "solution");
    let gradient = session.numbers("ode", "gradient", &input);
    assert_close(&gradient, &x.map(|x| exact[3] / x), "gradient of the last");
    // The last of more numbers is not exact, but its gradient is that of the method.
    let input = json!({ "x": wave(7, 1.0, 2.0), "s": 2 });
    let gradient = session.numbers("ode", "gradient", &input);
    for (i, slope) in gradient.iter().enumerate() {
        let differences = session.differences(("ode", "primal"), &input, &format!("/x/{i}"));
        assert_close(&[*slope], &differences[6..], "gradient of the last of seven");
    }
}

#[test]
fn clusters_take_newtons_step() {
    let mut session = Session::new();
    let points = [[0.0, 1.0], [0.5, 1.5], [5.0, 5.0], [6.0, 4.0], [5.5, 6.0]];
    let input = json!({ "points": points, "centroids": [[1.0, 1.0], [5.0, 4.0]] });
    // From each centroid to the mean of its points.
    assert_close(
        &session.numbers("kmeans", "dir", &input),
        &[0.75, -0.25, 5.0 - 5.5, 4.0 - 5.0],
        "step",
    );
    let cost = 1.0 + 0.25 + 0.25 + 1.0 + 1.0 + 0.25 + 4.0;
    assert_close(&session.numbers("kmeans", "cost", &input), &[cost], "cost");
    let lonely = json!({ "points": points, "centroids": [[1.0, 1.0], [5.0, 4.0], [90.0, 90.0]] });
    assert!(session.failure("kmeans", "dir", &lonely).contains("not a finite number"));
}

#[test]
fn protocol_is_spoken() {
    let mut session = Session::new();
    assert_eq!(session.say(json!({ "kind": "start", "eval": "lse" }))["tool"], "cargo-autodiff");
    assert_eq!(session.say(json!({ "kind": "define", "module": "lse" }))["success"], true);
    let undefined = session.say(json!({ "kind": "define", "module": "nonsense" }));
    assert_eq!(undefined["success"], false);
    assert!(undefined["error"].as_str().is_some_and(|error| error.contains("nonsense")));
    let input = json!({ "x": [0.0, 0.0], "min_runs": 3, "min_seconds": 0.001 });
    let reply = session.evaluate("lse", "gradient", &input);
    assert_eq!(reply["output"], json!([0.5, 0.5]));
    let timings = reply["timings"].as_array().expect("timings");
    let evaluations = timings.iter().filter(|timing| timing["name"] == "evaluate");
    let times: Vec<u64> = evaluations.filter_map(|timing| timing["nanoseconds"].as_u64()).collect();
    assert!(times.len() >= 3 && times.iter().sum::<u64>() >= 1_000_000, "{times:?}");
    let valid = session.say(json!({ "kind": "analysis", "of": 3, "valid": true }));
    assert_eq!(valid.as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(session.say(json!({ "kind": "something new" }))["id"], session.id);
    assert_eq!(session.end(), Some(0));
}

#[test]
fn what_is_wrong_is_answered() {
    let mut session = Session::new();
    let ok = json!({ "x": [1.0] });
    for (module, function, input, why) in [
        ("nonsense", "gradient", &ok, "no module \"nonsense\""),
        ("lse", "nonsense", &ok, "module \"lse\" has no function \"nonsense\""),
        ("lse", "gradient", &json!({ "y": [1.0] }), "missing field `x`"),
        ("lse", "gradient", &json!({ "x": [] }), "`x` is empty"),
        ("lse", "gradient", &json!({ "x": [1.0, null] }), "invalid type: null"),
        ("lse", "gradient", &json!({ "x": [1.0], "min_runs": "many" }), "invalid type: string"),
        ("llsq", "primal", &json!({ "x": [1.0], "n": 1 }), "not a finite number"),
        ("det", "gradient", &json!({ "A": [1.0, 2.0], "ell": 2 }), "`ell` times `ell`"),
        ("ode", "primal", &json!({ "x": [1.0], "s": 0 }), "`s` is zero"),
        ("kmeans", "cost", &json!({ "points": [[1.0], [2.0, 3.0]], "centroids": [[1.0]] }), "row 1 has 2 numbers"),
        ("kmeans", "cost", &json!({ "points": [[1.0]], "centroids": [[1.0, 2.0]] }), "same dimension"),
    ] {
        let found = session.failure(module, function, input);
        assert!(found.contains(why), "{module} {function}: {found:?} lacks {why:?}");
    }
    let missing = session.say(json!({ "kind": "evaluate", "module": "lse", "function": "primal" }));
    assert_eq!(missing["error"], "the message has no `input`");
    // Python writes what is not JSON.
    let line = r#"{"id": 77, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [NaN]}}"#;
    let reply = session.line(line);
    assert_eq!((&reply["id"], &reply["success"]), (&json!(77), &json!(false)));
    // And still it answers.
    assert_eq!(session.output("lse", "gradient", &ok), json!([1.0]));
}
