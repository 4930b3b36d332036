//! The example `gradbench`: the protocol is spoken with inputs of our own, and derivatives are compared with closed
//! forms and with central differences of what the example itself says the values are.

use std::f64::consts::PI;
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
        let varies = gradient.is_empty() || gradient.iter().any(|slope| slope.abs() > 1e-3);
        assert!(varies, "{primal:?} does not vary");
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
        Value::Object(members) => members.values().flat_map(flat).collect(),
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

fn table(rows: usize, width: usize, phase: f64) -> Value {
    json!(wave(rows * width, phase, 0.9).chunks(width).take(rows).collect::<Vec<_>>())
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
    assert_close(&session.numbers("kmeans", "dir", &input), &[0.75, -0.25, 5.0 - 5.5, 4.0 - 5.0], "step");
    let cost = 1.0 + 0.25 + 0.25 + 1.0 + 1.0 + 0.25 + 4.0;
    assert_close(&session.numbers("kmeans", "cost", &input), &[cost], "cost");
    let lonely = json!({ "points": points, "centroids": [[1.0, 1.0], [5.0, 4.0], [90.0, 90.0]] });
    assert!(session.failure("kmeans", "dir", &lonely).contains("not a finite number"));
}

#[test]
fn mixtures_have_right_gradients() {
    let mut session = Session::new();
    for (d, k, n, m) in [(3, 2, 4, 2), (1, 3, 2, 0)] {
        let below = d * (d - 1) / 2;
        let table =
            |phase, width| if width == 0 { json!(vec![json!([]); k]) } else { table(k, width, phase) };
        let input = json!({
            "d": d, "k": k, "n": n, "m": m, "gamma": 0.8, "x": self::table(n, d, 0.3), "alpha": wave(k, 0.1, 1.0),
            "mu": table(0.7, d), "q": table(1.9, d), "l": table(2.5, below),
        });
        let gradient = session.output("gmm", "jacobian", &input);
        for (name, width) in [("alpha", None), ("mu", Some(d)), ("q", Some(d)), ("l", Some(below))] {
            let pointers = pointers(name, k, width);
            session.check_gradient(("gmm", "objective"), &input, &pointers, &flat(&gradient[name]));
        }
        assert_eq!(gradient.as_object().map(serde_json::Map::len), Some(4));
        assert_eq!(gradient["l"].as_array().map(Vec::len), Some(k));
    }
    // One Gaussian in one dimension: its density, and the prior's, can be written down.
    let (x, mu, q, gamma): (f64, f64, f64, f64) = (0.4, 1.1, 0.3, 1.5);
    let input = json!({
        "d": 1, "k": 1, "n": 1, "m": 1, "gamma": gamma, "x": [[x]], "alpha": [0.6], "mu": [[mu]], "q": [[q]], "l": [[]],
    });
    let scale = f64::exp(q);
    let likelihood = -0.5 * (2.0 * PI).ln() + q - 0.5 * (scale * (x - mu)).powi(2);
    let ln_gamma = 0.5 * PI.ln() - 2f64.ln();
    let prior = 3.0 * (gamma.ln() - 0.5 * 2f64.ln()) - ln_gamma - 0.5 * (gamma * scale).powi(2) + q;
    assert_close(&session.numbers("gmm", "objective", &input), &[likelihood + prior], "density");
}

#[test]
fn recurrent_network_has_a_right_gradient() {
    let mut session = Session::new();
    let (layers, b) = (2, 3);
    let input = json!({
        "main_params": table(2 * layers, 4 * b, 0.2), "extra_params": table(3, b, 1.3),
        "state": table(2 * layers, b, 0.9), "sequence": table(4, b, 2.2),
    });
    let gradient = session.numbers("lstm", "jacobian", &input);
    let parameters =
        [pointers("main_params", 2 * layers, Some(4 * b)), pointers("extra_params", 3, Some(b))].concat();
    session.check_gradient(("lstm", "objective"), &input, &parameters, &gradient);
    // Without weights all gates are half open and nothing is added: the loss is that of a uniform guess.
    let input = json!({
        "main_params": ([[0.0; 4]; 2]), "extra_params": ([[0.0]; 3]), "state": [[0.5], [0.5]],
        "sequence": [[1.0], [2.0], [4.0]],
    });
    assert_close(&session.numbers("lstm", "objective", &input), &[3.0 * 3f64.ln()], "loss");
}

#[test]
fn bundles_have_right_jacobians() {
    let mut session = Session::new();
    for (rotation, turned) in [([0.3, -0.2, 0.4], true), ([0.0; 3], false)] {
        let mut camera = [0.0, 0.0, 0.0, 0.2, -0.1, 0.3, 1.4, 0.5, -0.6, 0.07, -0.03];
        camera[..3].copy_from_slice(&rotation);
        let (n, m, p) = (2, 3, 5);
        let input = json!({
            "n": n, "m": m, "p": p, "cam": camera, "x": [0.6, -0.8, 2.5], "w": 0.7, "feat": [0.25, -0.35],
        });
        let value = session.output("ba", "objective", &input);
        assert_eq!((&value["reproj_error"]["repeated"], &value["w_err"]["repeated"]), (&json!(p), &json!(p)));
        assert_close(&flat(&value["w_err"]["element"]), &[1.0 - 0.49], "error of the weight");
        let jacobian = session.output("ba", "jacobian", &input);
        let values = flat(&jacobian["vals"]);
        assert_eq!(values.len(), 31);
        let pointers = [pointers("cam", 11, None), pointers("x", 3, None), vec!["/w".to_owned()]].concat();
        for (i, pointer) in pointers.iter().enumerate() {
            // Near no rotation the formula has another branch, whose only derivative is that at the point itself.
            if turned || i >= 3 {
                let differences = session.differences(("ba", "objective"), &input, pointer);
                assert_close(&[values[i], values[15 + i]], &differences[..2], pointer);
            }
        }
        assert_close(&values[30..], &[-1.4], "the weight's own");
        let columns: Vec<usize> = [(0..11).collect(), vec![22, 23, 24, 31]].concat();
        assert_eq!(jacobian["cols"], json!([&columns[..], &columns, &[35]].concat()));
        // Where rows start: two of 15 for each observation, then one number for each weight, and the end.
        let starts: Vec<usize> = (0..=10).map(|row| 15 * row).chain(151..=155).collect();
        let last = starts.last().copied();
        assert_eq!(jacobian["rows"], json!(starts.into_iter().take(30).chain(last).collect::<Vec<_>>()));
    }
}

/// A hand of six vertices, for three points, which belong to triangles or, if not `placed`, to vertices.
fn hand(placed: bool, mirrored: bool) -> Value {
    let bones = 22;
    let transform = |phase: f64| {
        let mut rows = table(4, 4, phase);
        rows[3] = json!([0.0, 0.0, 0.0, 1.0]);
        rows
    };
    let transforms =
        |phase: f64| -> Vec<Value> { (0..bones).map(|i| transform(phase + f64::from(i))).collect() };
    let positions: Vec<_> = (0..6).map(|i| [wave(3, f64::from(i), 1.0), vec![1.0]].concat()).collect();
    let parents: Vec<i32> = (0..bones).map(|i| if i % 4 == 2 { 0 } else { i - 1 }).collect();
    json!({
        "theta": wave(26, 0.4, 0.8),
        "us": if placed { json!([[0.2, 0.3], [0.5, 0.1], [0.4, 0.4]]) } else { json!([]) },
        "data": {
            "correspondences": if placed { [1, 0, 1] } else { [5, 0, 3] },
            "points": table(3, 3, 0.8),
            "model": {
                "bone_count": bones, "bone_names": vec!["bone"; 22], "parents": parents,
                "base_relatives": transforms(0.1), "inverse_base_absolutes": transforms(0.6),
                "base_positions": positions, "weights": table(6, 22, 1.4),
                "triangles": [[0, 2, 4], [5, 3, 1]], "is_mirrored": mirrored,
            },
        },
    })
}

#[test]
fn hands_have_right_jacobians() {
    let mut session = Session::new();
    for (placed, mirrored) in [(true, false), (false, true)] {
        let input = hand(placed, mirrored);
        let jacobian = session.output("ht", "jacobian", &input);
        let rows: Vec<Vec<f64>> = jacobian.as_array().expect("rows").iter().map(flat).collect();
        let first = if placed { 2 } else { 0 };
        assert_eq!((rows.len(), rows[0].len()), (9, first + 26));
        let column = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<f64>>();
        for (i, pointer) in pointers("theta", 26, None).iter().enumerate() {
            let differences = session.differences(("ht", "objective"), &input, pointer);
            assert_close(&column(first + i), &differences, pointer);
            assert!(differences.iter().any(|slope| slope.abs() > 1e-3), "{pointer} has no effect");
        }
        for (point, pointers) in pointers("us", 3 * first / 2, Some(2)).chunks(2).enumerate() {
            for (i, pointer) in pointers.iter().enumerate() {
                let differences = session.differences(("ht", "objective"), &input, pointer);
                assert_close(&column(i)[3 * point..][..3], &differences[3 * point..][..3], pointer);
            }
        }
    }
    // A hand at rest, whose bones neither move nor turn, is where its vertices are.
    let mut input = hand(false, false);
    let rest =
        json!([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    let model = &mut input["data"]["model"];
    model["base_relatives"] = json!(vec![&rest; 22]);
    model["inverse_base_absolutes"] = json!(vec![&rest; 22]);
    model["weights"] = json!(vec![vec![1.0 / 22.0; 22]; 6]);
    input["theta"] = json!([vec![0.0; 3], vec![1.0, 2.0, 3.0], vec![0.0; 20]].concat());
    let vertices: Vec<Vec<f64>> = [5.0, 0.0, 3.0].iter().map(|i| wave(3, *i, 1.0)).collect();
    let points = flat(&input["data"]["points"]);
    let expected: Vec<f64> =
        (0..9).map(|i| points[i] - vertices[i / 3][i % 3] - (i % 3 + 1) as f64).collect();
    assert_close(&session.numbers("ht", "objective", &input), &expected, "a hand at rest");
    input["data"]["model"]["parents"][3] = json!(3);
    assert!(session.failure("ht", "objective", &input).contains("a parent is not an earlier bone"));
}

/// Where the particle crosses the axis, with the force written down.
fn crossing(w: f64) -> f64 {
    let (mut x, mut speed) = ([0.0, 8.0], [0.75, 0.0]);
    loop {
        let mut force = [0.0; 2];
        for charge in [[10.0, 10.0 - w], [10.0, 0.0]] {
            let away = [x[0] - charge[0], x[1] - charge[1]];
            let cube = f64::hypot(away[0], away[1]).powi(3);
            force = [force[0] + away[0] / cube, force[1] + away[1] / cube];
        }
        x = [x[0] + 0.1 * speed[0], x[1] + 0.1 * speed[1]];
        if x[1] <= 0.0 {
            return x[0] - x[1] / speed[1] * speed[0];
        }
        speed = [speed[0] + 0.1 * force[0], speed[1] + 0.1 * force[1]];
    }
}

/// Derivatives inside of derivatives, in all four orders of forward and reverse mode.
#[test]
fn descents_find_the_published_points() {
    let mut session = Session::new();
    for order in ["ff", "fr", "rf", "rr"] {
        let w = session.numbers("particle", order, &json!({ "w": 0.0 }));
        assert!((w[0] - 0.207_191_874_648_611_6).abs() < 1e-12, "{order}: {w:?}");
        assert!(crossing(w[0]).abs() < 1e-3, "{order}: the particle misses by {}", crossing(w[0]));
        let points = session.numbers("saddle", order, &json!({ "start": [1.0, 1.0] }));
        assert_eq!(points.len(), 4);
        for x in points {
            assert!((x - 8.246_324_826_140_356e-6).abs() < 1e-15, "{order}: {x}");
        }
    }
    assert!(
        session.failure("saddle", "ff", &json!({ "start": [1e200, 0.0] })).contains("not a finite number")
    );
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
        (
            "kmeans",
            "cost",
            &json!({ "points": [[1.0], [2.0, 3.0]], "centroids": [[1.0]] }),
            "row 1 has 2 numbers",
        ),
        ("kmeans", "cost", &json!({ "points": [[1.0]], "centroids": [[1.0, 2.0]] }), "same dimension"),
    ] {
        let found = session.failure(module, function, input);
        assert!(found.contains(why), "{module} {function}: {found:?} lacks {why:?}");
    }
    let missing = session.say(json!({ "kind": "evaluate", "module": "lse", "function": "primal" }));
    assert_eq!(missing["error"], "the message has no `input`");
    // Python writes what is not JSON.
    let line =
        r#"{"id": 77, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [NaN]}}"#;
    let reply = session.line(line);
    assert_eq!((&reply["id"], &reply["success"]), (&json!(77), &json!(false)));
    // And still it answers.
    assert_eq!(session.output("lse", "gradient", &ok), json!([1.0]));
}
