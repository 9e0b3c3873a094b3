//! The pages of the earlier volumes of a series, which a plan does not repeat.

use std::collections::HashSet;

use linepress_plugin_sdk::planner::PlanRequest;
use linepress_plugin_sdk::planning::earlier_pages;

use crate::who::Who;

/// The titles and prompts of the earlier pages, in lower case.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    pub titles: Vec<String>,
    prompts: HashSet<String>,
}

impl Earlier {
    pub(crate) fn of_request(request: &PlanRequest) -> Self {
        let pages = earlier_pages(request);
        Self {
            titles: pages.iter().map(|(title, _)| title.to_lowercase()).collect(),
            prompts: pages.iter().map(|(_, prompt)| prompt.to_lowercase()).collect(),
        }
    }

    /// Returns true if an earlier page has this prompt.
    pub(crate) fn has_prompt(&self, prompt: &str) -> bool {
        self.prompts.contains(&prompt.to_lowercase())
    }

    /// Returns true if an earlier page shows the lead at the place, with the companion if there is one.
    pub(crate) fn shows(&self, lead: &Who, place: &str, companion: Option<&Who>) -> bool {
        let lead = lead.called().to_lowercase();
        let place = place.to_lowercase();
        let companion = companion.map(|who| who.called().to_lowercase());
        self.prompts.iter().any(|prompt| {
            prompt.contains(&lead)
                && prompt.contains(&place)
                && companion.as_ref().is_none_or(|companion| prompt.contains(companion))
        })
    }
}
