//! Which provider draws what.
use std::time::Duration;

use linepress_model::Aspect;

use super::{Candidate, Candidates, UNTIL_LOADED};

/// What a drawing asks of a provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub aspect: Aspect,
    /// How many of its characters have reference images.
    pub references: usize,
    /// Whether it is drawn from a picture of the customer's.
    pub source: bool,
    /// A provider that failed to draw it more than once: another is preferred.
    pub avoided: Option<&'a str>,
}

/// Who draws it.
pub(crate) enum Choice<'a> {
    Candidate(&'a Candidate),
    /// Nobody may be asked for so long.
    Later(Duration),
    /// No provider of the settings can.
    Nobody,
}

/// What decides which of several providers draws: the smaller, the better.
type Rank = (bool, bool, usize);

impl Candidates {
    /// Of those that draw the aspect and may be asked now: those that failed it come last, then those that would leave
    /// references out; else the order of the settings decides.
    pub(crate) fn choose(&self, wanted: Wanted<'_>) -> Choice<'_> {
        let able: Vec<(Rank, &Candidate)> = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| {
                let description = candidate.provider.description();
                description.aspects.contains(&wanted.aspect) && description.draws(wanted.source)
            })
            .map(|(place, candidate)| (rank(wanted, place, candidate), candidate))
            .collect();
        let open = able.iter().filter(|(_, candidate)| candidate.closed_for.is_zero());
        if let Some((_, candidate)) = open.min_by_key(|(rank, _)| *rank) {
            return Choice::Candidate(candidate);
        }
        match able.iter().map(|(_, candidate)| candidate.closed_for).min() {
            Some(shortest) => Choice::Later(shortest),
            None if self.some_are_missing => Choice::Later(UNTIL_LOADED),
            None => Choice::Nobody,
        }
    }

    /// Whether none of them works, as far as is known, or none is loaded.
    pub(crate) fn are_all_down(&self) -> bool {
        self.candidates.iter().all(|candidate| candidate.on_trial)
    }

    /// Those that some drawing would go to now. While they are all at work there is nothing to claim: a drawing waits
    /// for its provider, and does not go to the next one because the first has much to do.
    pub(crate) fn first_choices(&self) -> Vec<&Candidate> {
        let most = self
            .candidates
            .iter()
            .map(|candidate| candidate.provider.description().max_references as usize);
        let references: Vec<usize> = std::iter::once(0).chain(most).collect();
        let mut chosen: Vec<&Candidate> = Vec::new();
        for aspect in [Aspect::Square, Aspect::Portrait, Aspect::Landscape] {
            for (&references, source) in references.iter().flat_map(|most| [(most, false), (most, true)]) {
                let wanted = Wanted {
                    aspect,
                    references,
                    source,
                    avoided: None,
                };
                if let Choice::Candidate(candidate) = self.choose(wanted)
                    && !chosen.iter().any(|other| std::ptr::eq(*other, candidate))
                {
                    chosen.push(candidate);
                }
            }
        }
        chosen
    }
}

fn rank(wanted: Wanted<'_>, place: usize, candidate: &Candidate) -> Rank {
    let description = candidate.provider.description();
    (
        wanted.avoided == Some(description.id.as_str()),
        (description.max_references_with_source(wanted.source) as usize) < wanted.references,
        place,
    )
}
