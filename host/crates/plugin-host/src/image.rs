//! Image providers: from a prompt to line art.
use std::fmt;
use std::sync::Arc;

use image::ImageFormat;

use crate::description::check_identity;
use crate::error::CallError;
use crate::limits::Limits;
use crate::load::CompiledPlugin;
use crate::log_text::excerpt;
use crate::options::CallOptions;
use crate::responses::Responses;
use crate::sandbox::{CallKind, Sandbox, Usage};
use crate::v0;
use crate::vocabulary::{self, Wording};
use linepress_model::{Aspect, Audience};

/// The kinds of image a provider may return, by their media types.
const FORMATS: [(&str, ImageFormat); 3] = [
    ("image/png", ImageFormat::Png),
    ("image/jpeg", ImageFormat::Jpeg),
    ("image/webp", ImageFormat::WebP),
];

/// Square, portrait and landscape.
const MAX_ASPECTS: usize = 3;

/// What a provider says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageProviderDescription {
    pub id: String,
    /// For people.
    pub name: String,
    pub version: String,
    /// The aspects it can draw; at least one.
    pub aspects: Vec<Aspect>,
    /// How many character reference images it takes at most.
    pub max_references: u32,
    pub sources: Sources,
}

/// Whether a provider draws from a picture of the customer's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    #[default]
    None,
    /// Beside its references.
    Taken,
    /// It draws nothing else.
    Required,
    /// As one of its references.
    AsReference,
}

impl ImageProviderDescription {
    /// Whether it draws a page with, or without, a picture of the customer's.
    pub fn draws(&self, with_source: bool) -> bool {
        match self.sources {
            Sources::None => !with_source,
            Sources::Required => with_source,
            Sources::Taken | Sources::AsReference => true,
        }
    }

    /// How many references of characters it takes beside a source, if there is one.
    pub fn references_beside(&self, source: bool) -> u32 {
        let taken = u32::from(source && self.sources == Sources::AsReference);
        self.max_references.saturating_sub(taken)
    }
}

/// What a drawing is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Page,
    Cover,
    /// The reference image of the one character in the request.
    Character,
}

/// What to draw.
#[derive(Clone, Debug)]
pub struct DrawRequest {
    pub purpose: Purpose,
    pub prompt: String,
    pub title: String,
    /// The recommended size in pixels.
    pub width: u32,
    pub height: u32,
    pub aspect: Aspect,
    pub audience: Audience,
    /// In order of importance.
    pub characters: Vec<CharacterSketch>,
    /// The customer's picture to draw from.
    pub source: Option<Media>,
    pub seed: u64,
}

/// A recurring character, as a plugin sees it.
#[derive(Clone, Debug)]
pub struct CharacterSketch {
    pub name: String,
    pub description: String,
    pub style: String,
    /// Stays the same for the life of the character.
    pub seed: u64,
    pub reference: Option<Media>,
}

/// A file in memory.
#[derive(Clone)]
pub struct Media {
    pub media_type: String,
    pub bytes: Vec<u8>,
}

// A picture has no place in a log.
impl fmt::Debug for Media {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.media_type, self.bytes.len())
    }
}

/// What a provider drew: begins as a file of its media type does, but is not yet decoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Drawing {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub media_type: String,
    pub bytes: Vec<u8>,
    /// One line for the customer.
    pub note: Option<String>,
    /// What drew it, where the provider says so: one line of 100 characters at most.
    pub model: Option<String>,
    /// What it cost, where the provider says so, in millionths of a US dollar.
    pub cost_microdollars: Option<i64>,
}

impl fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} bytes", self.media_type, self.bytes.len())
    }
}

/// A loaded image provider. Cheap to clone.
#[derive(Clone)]
pub struct ImageProvider(Arc<Provider>);

struct Provider {
    description: ImageProviderDescription,
    digest: String,
    uses_network: bool,
    sandbox: Sandbox,
    contract: Arc<v0::image::Contract>,
    /// For providers that say which words they cannot show.
    vocabulary: Option<Arc<v0::vocabulary::Contract>>,
    responses: Responses,
}

impl ImageProvider {
    pub(crate) async fn load(compiled: CompiledPlugin) -> Result<Self, String> {
        let CompiledPlugin {
            id,
            digest,
            uses_network,
            sandbox,
            responses,
            component,
            ..
        } = compiled;
        let vocabulary = v0::vocabulary::Contract::find(component.clone()).map(Arc::new);
        let contract = v0::image::Contract::new(component).map_err(|error| format!("{error:#}"))?;
        let contract = Arc::new(contract);
        let description = sandbox
            .describe({
                let contract = contract.clone();
                |store| async move { contract.describe(store).await }
            })
            .await?;
        check_identity(&id, &description.id, &description.name, &description.version)?;
        check_aspects(&description.aspects)?;
        Ok(Self(Arc::new(Provider {
            description,
            digest,
            uses_network,
            sandbox,
            contract,
            vocabulary,
            responses,
        })))
    }

    pub fn description(&self) -> &ImageProviderDescription {
        &self.0.description
    }

    /// What its calls may use, and have used.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// The SHA-256 of the component, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// Whether it asks for a way out: then it waits for others more than it computes.
    pub fn uses_network(&self) -> bool {
        self.0.uses_network
    }

    /// Draws one picture. References beyond what the provider takes are left out.
    pub async fn draw(&self, request: DrawRequest) -> Result<Drawing, CallError> {
        self.draw_with(request, &CallOptions::default()).await
    }

    /// The same with options.
    pub async fn draw_with(&self, mut request: DrawRequest, options: &CallOptions) -> Result<Drawing, CallError> {
        let provider = &*self.0;
        let takes = provider.description.references_beside(request.source.is_some());
        let references = request
            .characters
            .iter_mut()
            .filter(|character| character.reference.is_some());
        references
            .skip(takes as usize)
            .for_each(|character| character.reference = None);

        let limits = &provider.sandbox.limits;
        let limit = limits.response_bytes();
        let _room = provider.responses.room_for(limits.copied_of_drawing()).await;
        let called = self.clone();
        provider
            .sandbox
            .call(
                "draw",
                CallKind::Work,
                options,
                limits.copied_of_drawing(),
                |store| async move {
                    let reply = called.0.contract.draw(store, request).await?;
                    Ok(reply.and_then(|(drawing, extras)| {
                        if let Some(cost) = extras.strange_cost {
                            let plugin = &called.0.description.id;
                            tracing::warn!(plugin, cost, "what the plugin calls a cost is no amount of US dollars");
                        }
                        check(drawing, limit)
                    }))
                },
            )
            .await
    }
}

impl ImageProvider {
    /// Whether it says which words it cannot show.
    pub fn has_vocabulary(&self) -> bool {
        self.0.vocabulary.is_some()
    }

    /// The words of each text that a drawing would not show, in the order of the texts; nothing from a provider without a
    /// vocabulary. The call does not wait for drawings: it has a place of its own.
    pub async fn unknown_words(
        &self,
        wordings: Vec<Wording>,
        options: &CallOptions,
    ) -> Result<Option<Vec<Vec<String>>>, CallError> {
        let Some(contract) = self.0.vocabulary.clone() else {
            return Ok(None);
        };
        let texts = wordings.len();
        let words = self.0.sandbox.call(
            "unknown-words",
            CallKind::Question,
            options,
            Limits::copied_of_text(),
            |store| async move {
                let answer = contract.unknown_words(store, wordings).await?;
                Ok(vocabulary::check(answer, texts))
            },
        );
        words.await.map(Some)
    }
}

fn check_aspects(aspects: &[Aspect]) -> Result<(), String> {
    if aspects.is_empty() {
        return Err("it describes itself as drawing no aspect at all".into());
    }
    if aspects.len() > MAX_ASPECTS {
        return Err(format!("it names {} aspects; there are {MAX_ASPECTS}", aspects.len()));
    }
    Ok(())
}

/// What the extra values of a description say of sources. A provider that takes references takes a source as one.
pub(crate) fn sources_of(extra: &[(String, String)], max_references: u32) -> Sources {
    let value = extra.iter().find(|(name, _)| name == "sources");
    match value.map(|(_, value)| value.as_str()) {
        Some("1") => Sources::Taken,
        Some("required") => Sources::Required,
        _ if max_references > 0 => Sources::AsReference,
        _ => Sources::None,
    }
}

fn check(drawing: Drawing, limit: u64) -> Result<Drawing, CallError> {
    let bytes = drawing.bytes.len() as u64;
    if bytes > limit {
        return Err(CallError::ResponseTooLarge { limit });
    }
    let Some((_, promised)) = FORMATS.iter().find(|(media_type, _)| *media_type == drawing.media_type) else {
        let media_type = excerpt(drawing.media_type, 100);
        return Err(CallError::InvalidResponse(format!(
            "the media type {media_type:?} is no PNG, JPEG or WebP"
        )));
    };
    if image::guess_format(&drawing.bytes).ok() != Some(*promised) {
        return Err(CallError::InvalidResponse(format!(
            "{bytes} bytes that are no {}",
            drawing.media_type
        )));
    }
    Ok(drawing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(media_type: &str, bytes: &[u8]) -> Drawing {
        Drawing {
            media_type: media_type.into(),
            bytes: bytes.into(),
            note: None,
            model: None,
            cost_microdollars: None,
        }
    }

    #[test]
    fn a_source_takes_the_place_of_a_reference_unless_the_provider_says_more() {
        let description = |max_references: u32, sources: &str| {
            let extra = [("sources".to_owned(), sources.to_owned())];
            let sources = sources_of(&extra, max_references);
            ImageProviderDescription {
                id: "acme.flux".into(),
                name: "Flux".into(),
                version: "1.0.0".into(),
                aspects: vec![Aspect::Square],
                max_references,
                sources,
            }
        };
        // What it draws without and with a source, and the references beside one.
        for (max_references, sources, draws, beside) in [
            (0, "", [true, false], 0),
            (0, "yes", [true, false], 0),
            (0, "1", [true, true], 0),
            (0, "required", [false, true], 0),
            (3, "", [true, true], 2),
            (3, "1", [true, true], 3),
        ] {
            let description = description(max_references, sources);
            assert_eq!(
                [false, true].map(|source| description.draws(source)),
                draws,
                "{description:?}"
            );
            assert_eq!(description.references_beside(true), beside, "{description:?}");
            assert_eq!(description.references_beside(false), max_references);
        }
    }

    #[test]
    fn a_provider_draws_one_to_three_aspects() {
        assert_eq!(check_aspects(&[Aspect::Square; 3]), Ok(()));
        assert!(check_aspects(&[Aspect::Square; 4]).unwrap_err().contains("4 aspects"));
        assert!(check_aspects(&[]).is_err());
    }

    #[test]
    fn a_drawing_is_what_it_says_it_is() {
        let png = b"\x89PNG\r\n\x1a\n....";
        assert!(check(drawing("image/png", png), 100).is_ok());
        for (media_type, bytes) in [
            ("image/jpeg", &png[..]),
            ("image/png", b"GIF89a"),
            ("image/png", b""),
            ("image/gif", b"GIF89a"),
        ] {
            assert!(
                matches!(
                    check(drawing(media_type, bytes), 100),
                    Err(CallError::InvalidResponse(_))
                ),
                "{media_type}"
            );
        }
    }

    #[test]
    fn a_drawing_beyond_the_limit_is_weighed_before_it_is_looked_at() {
        let error = check(drawing("text/html", &[0; 101]), 100).unwrap_err();
        assert_eq!(error, CallError::ResponseTooLarge { limit: 100 });
    }
}
