//! The choice of the provider for a drawing.
use std::time::Duration;

use linepress_model::Aspect;
use linepress_plugin_host::ImageProvider;

use super::{Candidate, Candidates, UNLOADED_PROVIDER_DELAY};

/// The requirements of a drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requirements<'a> {
    pub aspect: Aspect,
    /// The number of its characters that have reference images.
    pub references: usize,
    /// True when it is drawn from a customer's picture.
    pub source: bool,
    /// A provider that failed to draw it more than once; another one is preferred.
    pub avoided: Option<&'a str>,
}

/// The provider of a drawing, or the reason why none may be called.
#[derive(Clone)]
pub(crate) enum Route {
    Call(ChosenProvider),
    /// Every provider that can draw it is paused or switched off, and at least one is only paused; the first may be called
    /// again after this time.
    Paused(Duration),
    /// An operator switched every provider off that can draw it; the drawing is tried again after this time.
    SwitchedOff(Duration),
    /// No provider of the settings can draw it, or its request cannot be read.
    NoProvider,
}

/// The provider that draws a drawing.
#[derive(Clone)]
pub(crate) struct ChosenProvider {
    pub provider: ImageProvider,
    /// The provider failed repeatedly, and this call tests whether it works again.
    pub is_probe: bool,
    /// True when the call must first wait for the provider's rate limit, as [`super::admit`] decides.
    pub waits_for_rate: bool,
}

impl ChosenProvider {
    fn new(candidate: &Candidate) -> Self {
        Self {
            provider: candidate.provider.clone(),
            is_probe: candidate.on_trial,
            waits_for_rate: false,
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.provider.description().id
    }
}

/// The criteria by which providers are compared; the smallest rank wins.
type Rank = (bool, bool, usize);

impl Candidates {
    /// Chooses among the providers that can draw the request and may be called now. A provider that failed this drawing
    /// comes last, then one that would ignore some of its reference images; otherwise the order of the settings
    /// decides.
    pub(crate) fn choose(&self, requirements: Requirements<'_>) -> Route {
        if let Some(candidate) = self.best(requirements) {
            return Route::Call(ChosenProvider::new(candidate));
        }
        let able = || self.able(requirements).map(|(_, candidate)| candidate);
        match able().map(|candidate| candidate.closed_for).min() {
            Some(shortest) if able().all(|candidate| candidate.is_off) => Route::SwitchedOff(shortest),
            Some(shortest) => Route::Paused(shortest),
            None if self.some_are_missing => Route::Paused(UNLOADED_PROVIDER_DELAY),
            None => Route::NoProvider,
        }
    }

    /// The first choice among the providers that can draw the request and are not paused.
    fn best(&self, requirements: Requirements<'_>) -> Option<&Candidate> {
        self.able(requirements)
            .filter(|(_, candidate)| candidate.closed_for.is_zero())
            .min_by_key(|(place, candidate)| rank(requirements, *place, candidate))
            .map(|(_, candidate)| candidate)
    }

    /// The providers that can draw the request, with their places in the order of the settings.
    fn able(&self, requirements: Requirements<'_>) -> impl Iterator<Item = (usize, &Candidate)> {
        self.candidates.iter().enumerate().filter(move |(_, candidate)| {
            let description = candidate.provider.description();
            description.aspects.contains(&requirements.aspect) && description.draws(requirements.source)
        })
    }

    /// Returns whether every loaded provider has failed often enough to be paused or is switched off, or none is loaded.
    pub(crate) fn are_all_down(&self) -> bool {
        self.candidates
            .iter()
            .all(|candidate| candidate.on_trial || candidate.is_off)
    }

    /// The providers that are the choice for at least one kind of drawing now. While all of them are busy there is
    /// nothing to claim: a drawing waits for its provider and does not go to the next one because the first is busy.
    pub(crate) fn first_choices(&self) -> Vec<&Candidate> {
        let max_references = self
            .candidates
            .iter()
            .map(|candidate| candidate.provider.description().max_references as usize);
        let references: Vec<usize> = std::iter::once(0).chain(max_references).collect();
        let mut chosen: Vec<&Candidate> = Vec::new();
        for aspect in [Aspect::Square, Aspect::Portrait, Aspect::Landscape] {
            for (&references, source) in references
                .iter()
                .flat_map(|max_references| [(max_references, false), (max_references, true)])
            {
                let requirements = Requirements {
                    aspect,
                    references,
                    source,
                    avoided: None,
                };
                if let Some(candidate) = self.best(requirements)
                    && !chosen.iter().any(|other| std::ptr::eq(*other, candidate))
                {
                    chosen.push(candidate);
                }
            }
        }
        chosen
    }
}

fn rank(requirements: Requirements<'_>, place: usize, candidate: &Candidate) -> Rank {
    let description = candidate.provider.description();
    (
        requirements.avoided == Some(description.id.as_str()),
        (description.max_references_with_source(requirements.source) as usize) < requirements.references,
        place,
    )
}
