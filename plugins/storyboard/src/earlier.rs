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

    /// The earlier pages that show the lead.
    pub(crate) fn pages_with(&self, lead: &Who) -> PagesWithLead<'_> {
        let lead = lead.called().to_lowercase();
        let prompts = self.prompts.iter().filter(|prompt| prompt.contains(&lead));
        PagesWithLead(prompts.map(String::as_str).collect())
    }
}

/// The prompts of the earlier pages that show a subject, in lower case.
pub(crate) struct PagesWithLead<'a>(Vec<&'a str>);

impl PagesWithLead<'_> {
    /// Returns true if one of them is set at the place and shows the companion, if there is one.
    pub(crate) fn show(&self, place: &str, companion: Option<&Who>) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let place = place.to_lowercase();
        let companion = companion.map(|who| who.called().to_lowercase());
        self.0.iter().any(|prompt| {
            prompt.contains(&place) && companion.as_ref().is_none_or(|companion| prompt.contains(companion))
        })
    }
}
