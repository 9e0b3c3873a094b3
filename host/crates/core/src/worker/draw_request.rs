//! The request that a provider gets.
use bytes::Bytes;
use linepress_model::Look;
use linepress_plugin_host::{CharacterSketch, DrawOptions, DrawRequest, Media, Purpose};

use super::draw::Session;
use super::refinement;
use crate::characters;
use crate::looks;
use linepress_drawings::queue::{CharacterSnapshot, MAX_ROUNDS, SourcePicture, TargetType};
use linepress_platform::app::App;
use linepress_platform::error::Result;

impl Session<'_> {
    /// The request that the provider gets. None when the source picture is missing.
    pub(super) async fn draw_request(&self, round: i64) -> Result<Option<DrawRequest>> {
        let request = self.request;
        let (width, height) = request.aspect.recommended_pixels();
        let edits = self.chosen.edits;
        let source = match (&request.source, &request.refinement) {
            // The provider for tests draws from text only.
            _ if self.chosen.is_test => None,
            (Some(picture), _) => Some(source(self.app, picture).await?),
            (None, Some(wish)) if edits => Some(refinement::present_picture(self.app, wish).await?),
            (None, _) => None,
        };
        // A picture that is needed but missing.
        if source.as_ref().is_some_and(Option::is_none) {
            return Ok(None);
        }
        let source = source.flatten();
        let takes = self
            .chosen
            .provider
            .description()
            .max_references_with_source(source.is_some());
        let mut characters = Vec::new();
        for snapshot in &request.characters {
            let wanted = takes as usize > characters.len();
            let reference = if wanted {
                reference(self.app, snapshot).await?
            } else {
                None
            };
            characters.push(sketch(snapshot, reference));
        }
        Ok(Some(DrawRequest {
            purpose: self.purpose(),
            prompt: self.prompt(),
            title: request.title.clone(),
            width,
            height,
            aspect: request.aspect,
            audience: request.audience,
            characters,
            source,
            seed: self.seed(round),
            options: DrawOptions {
                change: refinement::change(request, edits),
                look: match self.follows_looks() {
                    true => request.look.clone(),
                    false => Look::default(),
                },
                book_seed: request.book_seed(),
            },
        }))
    }

    /// The prompt. It contains the look in words if the provider does not know its values, and the reviewer's hint.
    fn prompt(&self) -> String {
        let prompt = self.words(!self.follows_looks());
        match &self.job.review_hint {
            None => prompt,
            Some(hint) => format!("{prompt}\n\nThe picture before was rejected. Correct this: {hint}"),
        }
    }

    /// What to draw, and the look in words on demand.
    pub(super) fn words(&self, with_look: bool) -> String {
        let prompt = refinement::prompt(self.request, self.chosen.edits);
        match looks::in_words(&self.request.look) {
            words if words.is_empty() || !with_look => prompt,
            words => format!("{prompt}\n\n{words}"),
        }
    }

    pub(super) fn purpose(&self) -> Purpose {
        match purpose(self.job.target.kind()) {
            Purpose::Cover if self.is_in_color() => Purpose::CoverInColor,
            purpose => purpose,
        }
    }

    /// The seed of a call. A picture that is drawn again with a hint has other seeds than the one before.
    fn seed(&self, round: i64) -> u64 {
        let redrawn = i64::from(self.job.review_hint.is_some());
        let first = refinement::first_seed(self.request, self.chosen.edits);
        (first + MAX_ROUNDS * redrawn + round).unsigned_abs()
    }

    fn follows_looks(&self) -> bool {
        self.chosen.provider.description().follows_looks
    }

    /// Returns whether a cover in color is drawn: it was ordered, and the provider can draw one.
    pub(super) fn is_in_color(&self) -> bool {
        self.request.in_color && self.chosen.provider.description().draws_color
    }
}

fn purpose(target: TargetType) -> Purpose {
    match target {
        TargetType::Character => Purpose::Character,
        TargetType::Page => Purpose::Page,
        TargetType::Cover => Purpose::Cover,
    }
}

/// The customer's picture to draw from. None when its object is missing.
async fn source(app: &App, source: &SourcePicture) -> Result<Option<Media>> {
    let Some(bytes) = app.storage.get(&source.key).await? else {
        tracing::error!(
            key = source.key,
            "the source picture of a drawing is missing in the object storage"
        );
        return Ok(None);
    };
    Ok(Some(Media {
        media_type: "image/jpeg".into(),
        bytes: bytes.to_vec(),
    }))
}

/// The character's reference image when the drawing was ordered. If that was deleted because the character was redrawn
/// since, the current one.
async fn reference(app: &App, snapshot: &CharacterSnapshot) -> Result<Option<Bytes>> {
    let Some(key) = &snapshot.reference else {
        return Ok(None);
    };
    if let Some(bytes) = app.storage.get(key).await? {
        return Ok(Some(bytes));
    }
    let current = match &snapshot.id {
        Some(id) => characters::reference_key(app, id).await?,
        None => None,
    };
    match current {
        Some(key) => app.storage.get(&key).await,
        None => Ok(None),
    }
}

fn sketch(snapshot: &CharacterSnapshot, reference: Option<Bytes>) -> CharacterSketch {
    CharacterSketch {
        name: snapshot.name.clone(),
        description: snapshot.description.clone(),
        style: snapshot.style.clone(),
        seed: snapshot.seed.unsigned_abs(),
        reference: reference.map(|bytes| Media {
            media_type: "image/png".into(),
            bytes: bytes.to_vec(),
        }),
    }
}
