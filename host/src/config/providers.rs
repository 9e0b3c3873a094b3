//! Image providers: their order, and what one of them may take.
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// `[providers."<id>"]`: how a provider is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSettings {
    /// Calls at a time, on each node.
    pub concurrency: Option<u32>,
    /// Calls in a minute, of all nodes together.
    pub per_minute: Option<u32>,
    /// Seconds that a call may take; what its manifest says when it is left out.
    pub deadline_seconds: Option<u32>,
}

/// Nobody has more plugins than that.
const MOST_PROVIDERS: usize = 16;
/// Each call has a place in the pool, which reserves address space.
pub(super) const MOST_CALLS: u32 = 256;

/// The setting that is wrong, and how.
pub(super) fn check(
    order: &mut Vec<String>,
    providers: &BTreeMap<String, ProviderSettings>,
) -> Result<(), (&'static str, String)> {
    // The environment cannot say "no element": an empty variable is one empty element.
    for id in order.iter_mut() {
        *id = id.trim().to_owned();
    }
    order.retain(|id| !id.is_empty());
    if !(1..=MOST_PROVIDERS).contains(&order.len()) {
        let problem = format!("must name 1 to {MOST_PROVIDERS} plugins");
        return Err(("image_providers", problem));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = order.iter().find(|id| !seen.insert(*id)) {
        return Err(("image_providers", format!("names {twice} twice")));
    }
    for (id, settings) in providers {
        for (name, value, most) in [
            ("concurrency", settings.concurrency, MOST_CALLS),
            ("per_minute", settings.per_minute, 100_000),
            ("deadline_seconds", settings.deadline_seconds, 1_800),
        ] {
            if value.is_some_and(|value| !(1..=most).contains(&value)) {
                return Err(("providers", format!("{name} of {id} must be 1 to {most}")));
            }
        }
    }
    Ok(())
}
