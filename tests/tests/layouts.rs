//! Right derivatives where floats and integers lie side by side or in the same bytes: the fixture `layouts`.

use autodiff_tests::{Outcome, PROFILES, Project};

/// Functions whose derivatives cannot be made yet, in one of the modes at least.
const REFUSED: [&str; 6] = ["counted", "half_vector", "hash_map", "shapes", "shorts", "tree_map"];

fn check(outcome: &Outcome) {
    outcome.check(!outcome.stdout.contains("WRONG"), "a wrong derivative");
    let refused = outcome.stdout.lines().filter_map(|line| line.strip_prefix("REFUSED "));
    let unexpected = refused.filter(|line| !REFUSED.iter().any(|name| line.starts_with(name)));
    let unexpected: Vec<_> = unexpected.collect();
    outcome.check(unexpected.is_empty(), &format!("refused: {unexpected:#?}"));
    let right = outcome.stdout.lines().filter(|line| line.starts_with("ok ")).count();
    outcome.check(right >= 48, "fewer right than there were");
}

#[test]
fn structures_and_enums() {
    let layouts = Project::fixture("layouts");
    for profile in PROFILES {
        check(&layouts.autodiff(["run", "--defer-errors"]).args(profile).passes());
    }
}
