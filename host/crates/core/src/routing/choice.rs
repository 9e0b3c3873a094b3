//! The choice of the provider for a drawing.
use std::time::Duration;

use linepress_model::Aspect;

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

/// The provider for a drawing.
pub(crate) enum Choice<'a> {
    Candidate(&'a Candidate),
    /// Every provider that can draw it is paused; the shortest pause ends after this time.
    Later(Duration),
    /// No provider of the settings can draw it.
    NoProvider,
}

/// The criteria by which providers are compared; the smallest rank wins.
type Rank = (bool, bool, usize);

impl Candidates {
    /// Chooses among the providers that can draw the request and may be called now. A provider that failed this drawing
    /// comes last, then one that would ignore some of its reference images; otherwise the order of the settings
    /// decides.
    pub(crate) fn choose(&self, requirements: Requirements<'_>) -> Choice<'_> {
        let able: Vec<(Rank, &Candidate)> = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| {
                let description = candidate.provider.description();
                description.aspects.contains(&requirements.aspect) && description.draws(requirements.source)
            })
            .map(|(place, candidate)| (rank(requirements, place, candidate), candidate))
            .collect();
        let open = able.iter().filter(|(_, candidate)| candidate.closed_for.is_zero());
        if let Some((_, candidate)) = open.min_by_key(|(rank, _)| *rank) {
            return Choice::Candidate(candidate);
        }
        match able.iter().map(|(_, candidate)| candidate.closed_for).min() {
            Some(shortest) => Choice::Later(shortest),
            None if self.some_are_missing => Choice::Later(UNLOADED_PROVIDER_DELAY),
            None => Choice::NoProvider,
        }
    }

    /// Returns whether every loaded provider has failed often enough to be paused, or none is loaded.
    pub(crate) fn are_all_down(&self) -> bool {
        self.candidates.iter().all(|candidate| candidate.on_trial)
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
                if let Choice::Candidate(candidate) = self.choose(requirements)
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
