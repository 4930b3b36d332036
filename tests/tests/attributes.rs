//! What attributes make of functions: the fixture `attributes` checks the derivatives, here it is built.

use std::fs;

use autodiff_tests::{PROFILES, Project, repository};

/// Behaviours that nightly documents, by number; the fixture prints a line for each.
const BEHAVIOURS: std::ops::RangeInclusive<u32> = 1..=35;

#[test]
fn derivatives_are_right() {
    for profile in PROFILES {
        let run = Project::fixture("attributes").autodiff(["run"]).args(profile).passes();
        run.prints(" right, 0 wrong");
        for number in BEHAVIOURS {
            let line = format!("ok {number:02} ");
            run.check(
                run.stdout.lines().any(|found| found.starts_with(&line)),
                &format!("no behaviour {number}"),
            );
        }
    }
}

/// Crates without the standard library, without unsafe code, without a single warning, of both editions, one of them
/// knowing the runtime by another name, the other one full of names that mean something else.
#[test]
fn strict_crates_stay_strict() {
    let strict = Project::fixture("strict");
    for profile in PROFILES {
        let run = strict.autodiff(["run", "-p", "app"]).args(profile).passes();
        run.prints(
            "method: 13 12 4 1\nbatch: [12.0, -24.0]\nsum: 9 [2.0, 8.0]\nsquares: [9.0, 16.0] [6.0, 8.0]\n",
        );
        run.prints("product: 12 4 [3.0]\npolynomial: 16 12 4 16\ntrait: (9.0, 6.0)\n")
            .never_reports("warning");
    }
    // Without the tool, too, and with lints that people do not write in their crates.
    let check = strict.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    check.passes().never_reports("warning");
}

/// The shadow of a result that owns memory is allocated by the derivative: a seed would not get there. And what a
/// shared reference leads to is not to be written.
#[test]
fn shadows_out_of_reach_are_refused() {
    let vector = "
#[autodiff::autodiff_reverse(d_vector, Active, Active)]
fn vector(x: f64) -> Vec<f64> {
    vec![x]
}

fn main() {
    d_vector(1.0, vec![1.0]);
}
";
    let project = Project::package("reach", &[("src/main.rs", vector)]);
    let build = project.autodiff(["build"]).exits_with(101);
    build.reports("a derivative cannot return a result that owns memory").reports("src/main.rs:3");
    let data = "
#[derive(autodiff::Differentiable)]
struct Data<'a> {
    name: &'a str,
    values: &'a [f64],
}

#[autodiff::autodiff_reverse(d_sum, Duplicated, Active)]
fn sum(data: &Data) -> f64 {
    data.values.iter().sum::<f64>() * data.name.len() as f64
}

fn main() {
    d_sum(&Data { name: \"a\", values: &[1.0] }, &mut Data { name: \"b\", values: &[0.0] }, 1.0);
}
";
    project.write("src/main.rs", data);
    let build = project.autodiff(["build"]).exits_with(101);
    build.reports("the gradient would be written through a shared reference").reports("src/main.rs:9:15");
}

/// What reverse mode allocates is freed with the derivative, so an argument that kept it would be freed twice.
#[test]
fn arguments_do_not_keep_new_memory() {
    let source = "
#[derive(autodiff::Differentiable)]
struct Log {
    entries: Vec<f64>,
}

impl Log {
    #[autodiff::autodiff_reverse(d_append, Duplicated)]
    fn append(&mut self) {
        self.entries.push(self.entries[0] * self.entries[0]);
    }
}

fn main() {
    let (mut log, mut shadow) = (Log { entries: vec![3.0] }, Log { entries: vec![0.5] });
    log.d_append(&mut shadow);
    println!(\"{:?}\", log.entries);
}
";
    let project = Project::package("memory", &[("src/main.rs", source)]);
    for profile in PROFILES {
        let run = project.autodiff(["run"]).args(profile).run();
        run.reports("`memory::d_append`: `self` got new memory");
        run.check(run.code != Some(0) && run.stdout.is_empty(), "the program ends");
    }
}

/// The examples that stand in code blocks, in Markdown or in documentation comments.
fn examples(text: &str) -> Vec<String> {
    let text = text.replace("```no_run", "```rust");
    let blocks = text.split("```rust\n").skip(1);
    blocks.map(|block| block.split_once("```").expect("the end of the code block").0.to_owned()).collect()
}

/// The documentation comments of a source file.
fn comments(source: &str) -> String {
    let lines =
        source.lines().filter_map(|line| line.strip_prefix("///").or_else(|| line.strip_prefix("//!")));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// Plain cargo, which cannot run derivatives, compiles these examples only.
#[test]
fn examples_in_documentation_run() {
    let read = |path: &str| fs::read_to_string(repository().join(path)).expect("a file of the repository");
    let sources = ["lib", "check", "checkpoint", "inactive", "parallel"]
        .into_iter()
        .chain(["transform/derivative", "transform/directional", "transform/gradient", "transform/hessian"])
        .chain(["transform/hvp", "transform/jacobian", "transform/jvp", "transform/vjp"])
        .map(|module| comments(&read(&format!("autodiff-runtime/src/{module}.rs"))));
    let texts = sources.chain([read("docs/std-autodiff.md"), read("docs/guide.md")]);
    let examples: Vec<String> = texts.flat_map(|text| examples(&text)).collect();
    assert!(examples.len() >= 42, "fewer examples than there are: {examples:#?}");
    let document = |(index, example): (usize, &String)| {
        let lines = example.trim_end().replace('\n', "\n/// ");
        format!("/// ```\n/// {lines}\n/// ```\npub struct Example{index};\n")
    };
    let library: String = examples.iter().enumerate().map(document).collect();
    let project = Project::package("documentation", &[("src/lib.rs", &library)]);
    let test = project.autodiff(["test", "--doc"]).passes();
    test.prints(&format!("ok. {} passed; 0 failed", examples.len()));
}
