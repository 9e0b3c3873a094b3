//! Image providers: their order, and the limits of each.
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The table `[providers."<id>"]`: the limits of calls to a provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSettings {
    /// Concurrent calls on each node.
    pub concurrency: Option<u32>,
    /// Calls per minute of all nodes together.
    pub per_minute: Option<u32>,
    /// The time limit of a call in seconds; the manifest's limit when omitted.
    pub deadline_seconds: Option<u32>,
}

/// The image provider that draws for test keys, whatever the settings name. It calls no service.
pub const TEST_PROVIDER: &str = "linepress.sketchbook";

/// The number of image providers that the setting may name.
pub const MAX_PROVIDERS: usize = 16;
/// The largest `concurrency` of a provider. Each call has an instance in the pool, which reserves address space.
pub(super) const MAX_CONCURRENT_CALLS: u32 = 256;

/// Trims the order and checks it and the settings; an error is the name of the invalid setting and the problem.
pub(super) fn check(
    order: &mut Vec<String>,
    providers: &BTreeMap<String, ProviderSettings>,
) -> Result<(), (&'static str, String)> {
    // An environment variable cannot express an empty list: an empty variable is a list of one empty element.
    for id in order.iter_mut() {
        *id = id.trim().to_owned();
    }
    order.retain(|id| !id.is_empty());
    if !(1..=MAX_PROVIDERS).contains(&order.len()) {
        let problem = format!("must name 1 to {MAX_PROVIDERS} plugins");
        return Err(("image_providers", problem));
    }
    if let Some(id) = order.iter().find(|id| id.contains(['[', ']', '"', '\'', ' '])) {
        let problem =
            format!("{id:?} is not the id of a plugin. In the environment, write ids with commas between: a,b");
        return Err(("image_providers", problem));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = order.iter().find(|id| !seen.insert(*id)) {
        return Err(("image_providers", format!("names {twice} twice")));
    }
    for (id, settings) in providers {
        for (name, value, most) in [
            ("concurrency", settings.concurrency, MAX_CONCURRENT_CALLS),
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
