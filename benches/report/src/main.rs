//! Measures what derivatives cost and writes `docs/performance.md` with its charts.
//!
//! ```console
//! $ cargo run -p bench-report
//! ```
//!
//! All is measured anew, in about ten minutes: the benchmarks of `benches`, run by the tool as it is in this
//! repository ([`measurement`]), and builds ([`build`]). Then the charts are drawn ([`chart`]) and the page is written
//! ([`page`]). Nothing else should run meanwhile.

mod build;
mod chart;
mod measurement;
mod page;

use std::path::Path;

use anyhow::{Context, Result};

fn main() -> Result<()> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let docs = repository.join("docs");
    let tool = build::tool(&repository)?;
    let problems = measurement::problems(&tool, &repository)?;
    let growth = measurement::growth(&tool, &repository)?;
    let builds = build::measure(&tool, &repository)?;
    chart::problems(&problems, &docs.join("performance-problems.png"))?;
    chart::growth(&growth, &docs.join("performance-growth.png"))?;
    let page = docs.join("performance.md");
    std::fs::write(&page, page::written(&problems, &growth, &builds))
        .with_context(|| format!("{} cannot be written", page.display()))?;
    println!("{}", page.display());
    Ok(())
}
