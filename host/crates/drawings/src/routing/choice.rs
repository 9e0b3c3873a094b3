//! The choice of the provider for a drawing.
use std::time::Duration;

use linepress_model::Aspect;
use linepress_plugin_host::{ImageProvider, ImageProviderDescription};

use super::{Candidate, Candidates, UNLOADED_PROVIDER_DELAY};

/// What a drawing is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    Text,
    /// A customer's picture.
    Source,
    /// The present picture of a page, which is changed as an instruction says. If no provider can change a picture, the
    /// drawing is made from text.
    Edit,
}

impl Basis {
    fn suits(self, description: &ImageProviderDescription) -> bool {
        match self {
            Self::Text => description.draws(false),
            Self::Source => description.draws(true),
            Self::Edit => description.edits,
        }
    }
}

/// The requirements of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct Requirements<'a> {
    pub aspect: Aspect,
    /// The number of its characters that have reference images.
    pub references: usize,
    pub basis: Basis,
    /// True for a cover in color. If no provider of the settings draws in color, any other one draws line art.
    pub in_color: bool,
    /// A provider that failed to draw it more than once; another one is preferred.
    pub avoided: Option<&'a str>,
    /// True for the order of a test key.
    pub is_test: bool,
}

/// The provider of a drawing, or the reason why none may be called.
#[derive(Clone)]
pub enum Route {
    Call(ChosenProvider),
    /// Every provider that can draw it is paused or switched off, and at least one is only paused; the first may be
    /// called again after this time.
    Paused(Duration),
    /// An operator switched every provider off that can draw it; the drawing is tried again after this time.
    SwitchedOff(Duration),
    /// No provider of the settings can draw it, or its request cannot be read.
    NoProvider,
}

/// The provider that draws a drawing.
#[derive(Clone)]
pub struct ChosenProvider {
    pub provider: ImageProvider,
    /// The provider failed repeatedly, and this call tests whether it works again.
    pub is_probe: bool,
    /// True when the call must first wait for the provider's rate limit, as `routing::admit` decides.
    pub waits_for_rate: bool,
    /// True when the provider changes the present picture.
    pub edits: bool,
    /// True when the provider draws for a test key: whatever is asked for, it draws a sample from the text.
    pub is_test: bool,
}

impl ChosenProvider {
    fn new(candidate: &Candidate, basis: Basis) -> Self {
        Self {
            provider: candidate.provider.clone(),
            is_probe: candidate.on_trial,
            waits_for_rate: false,
            edits: basis == Basis::Edit,
            is_test: false,
        }
    }

    fn for_test(candidate: &Candidate) -> Self {
        Self {
            is_test: true,
            ..Self::new(candidate, Basis::Text)
        }
    }

    pub fn id(&self) -> &str {
        &self.provider.description().id
    }
}

/// The criteria by which providers are compared; the smallest rank wins.
type Rank = (bool, bool, usize);

impl Candidates {
    /// Chooses among the providers that can draw the request and may be called now. A provider that failed this drawing
    /// comes last, then one that would ignore some of its reference images; otherwise the order of the settings
    /// decides.
    pub fn choose(&self, requirements: Requirements<'_>) -> Route {
        if requirements.is_test {
            let chosen = self.test.as_ref().map(ChosenProvider::for_test);
            return chosen.map_or(Route::Paused(UNLOADED_PROVIDER_DELAY), Route::Call);
        }
        let requirements = self.feasible(requirements);
        if let Some(candidate) = self.best(requirements) {
            return Route::Call(ChosenProvider::new(candidate, requirements.basis));
        }
        let able = || self.able(requirements).map(|(_, candidate)| candidate);
        match able().map(|candidate| candidate.closed_for).min() {
            Some(shortest) if able().all(|candidate| candidate.is_off) => Route::SwitchedOff(shortest),
            Some(shortest) => Route::Paused(shortest),
            None if self.some_are_missing => Route::Paused(UNLOADED_PROVIDER_DELAY),
            None => Route::NoProvider,
        }
    }

    /// Returns true if a provider that is switched on can change a picture of this aspect. A paused one is waited for.
    pub fn can_edit(&self, aspect: Aspect) -> bool {
        let requirements = self.feasible(Requirements {
            aspect,
            references: 0,
            basis: Basis::Edit,
            in_color: false,
            avoided: None,
            is_test: false,
        });
        requirements.basis == Basis::Edit
    }

    /// The requirements with an edit replaced by a drawing from text if no provider that is switched on can edit. A
    /// paused one is waited for.
    fn feasible<'a>(&self, requirements: Requirements<'a>) -> Requirements<'a> {
        let is_edit = requirements.basis == Basis::Edit;
        if !is_edit || self.able(requirements).any(|(_, candidate)| !candidate.is_off) {
            return requirements;
        }
        Requirements {
            basis: Basis::Text,
            ..requirements
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
        let in_color = requirements.in_color && self.draw_color(requirements.aspect);
        self.candidates.iter().enumerate().filter(move |(_, candidate)| {
            let description = candidate.provider.description();
            let draws = description.aspects.contains(&requirements.aspect) && requirements.basis.suits(description);
            draws && (!in_color || description.draws_color)
        })
    }

    /// Returns whether a loaded provider draws covers of this aspect in color.
    fn draw_color(&self, aspect: Aspect) -> bool {
        self.candidates.iter().any(|candidate| {
            let description = candidate.provider.description();
            description.draws_color && description.aspects.contains(&aspect) && description.draws(false)
        })
    }

    /// The provider for test keys, if it is loaded.
    pub fn test_provider(&self) -> Option<&ImageProvider> {
        self.test.as_ref().map(|candidate| &candidate.provider)
    }

    /// Returns whether every loaded provider has failed often enough to be paused or is switched off, or none is
    /// loaded.
    pub fn are_all_down(&self) -> bool {
        self.candidates
            .iter()
            .all(|candidate| candidate.on_trial || candidate.is_off)
    }

    /// The providers that are the choice for at least one kind of drawing now. While all of them are busy there is
    /// nothing to claim: a drawing waits for its provider and does not go to the next one because the first is busy.
    pub fn first_choices(&self) -> Vec<&Candidate> {
        let max_references = self
            .candidates
            .iter()
            .map(|candidate| candidate.provider.description().max_references as usize);
        let references: Vec<usize> = std::iter::once(0).chain(max_references).collect();
        let mut chosen: Vec<&Candidate> = Vec::new();
        for aspect in [Aspect::Square, Aspect::Portrait, Aspect::Landscape] {
            for (&references, basis, in_color) in references.iter().flat_map(|max_references| {
                [
                    (max_references, Basis::Text, false),
                    (max_references, Basis::Source, false),
                    (max_references, Basis::Edit, false),
                    (max_references, Basis::Text, true),
                ]
            }) {
                let requirements = Requirements {
                    aspect,
                    references,
                    basis,
                    in_color,
                    avoided: None,
                    is_test: false,
                };
                if let Some(candidate) = self.best(self.feasible(requirements))
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
        (description.max_references_with_source(requirements.basis != Basis::Text) as usize) < requirements.references,
        place,
    )
}
