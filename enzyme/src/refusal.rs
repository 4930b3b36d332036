//! What an engine's words mean to the user.

use crate::protocol::{Refusal, Site};

/// A refusal of `site`, from what the engine wrote.
pub(crate) fn explain(site: &Site, text: &str) -> Refusal {
    let line = text
        .lines()
        .find(|line| line.contains("error:") || line.contains("Assertion"))
        .unwrap_or("the engine failed");
    Refusal {
        site: site.symbol.clone(),
        message: format!("cannot differentiate {}: {line}", site.name),
        chain: Vec::new(),
        location: site.location.clone(),
        help: None,
    }
}
