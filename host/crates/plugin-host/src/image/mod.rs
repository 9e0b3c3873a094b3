//! Image providers: from a prompt to line art.

/// The contract of an image provider, in the version that its component exports.
mod contract;
/// The check of the words that an image provider cannot draw.
mod vocabulary;

use std::sync::Arc;

use image::ImageFormat;
use serde_json::{Value, json};

use self::contract::{Contract, Vocabulary};
use crate::calls::{PluginVersion, brief, character, picture};
use crate::compiled::CompiledPlugin;
use crate::contract::{DrawOptions, DrawRequest, Drawing, ImageProviderDescription, Wording};
use crate::description::check_identity;
use crate::error::CallError;
use crate::limits::Limits;
use crate::log_text::excerpt;
use crate::options::CallOptions;
use crate::responses::Responses;
use crate::sandbox::{CallKind, Called, Sandbox, Usage};
use linepress_model::Aspect;

/// Image formats that a provider may return, by media type.
const FORMATS: [(&str, ImageFormat); 3] = [
    ("image/png", ImageFormat::Png),
    ("image/jpeg", ImageFormat::Jpeg),
    ("image/webp", ImageFormat::WebP),
];

/// Number of aspects: square, portrait and landscape.
const MAX_ASPECTS: usize = 3;

/// A loaded image provider. Cheap to clone.
#[derive(Clone)]
pub struct ImageProvider(Arc<Provider>);

struct Provider {
    description: ImageProviderDescription,
    digest: String,
    uses_network: bool,
    sandbox: Sandbox,
    contract: Arc<Contract>,
    /// Present if the provider exports the vocabulary interface.
    vocabulary: Option<Arc<Vocabulary>>,
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
        let version = sandbox.world.version;
        let vocabulary = Vocabulary::find(version, component.clone()).map(Arc::new);
        let contract = Contract::new(version, component).map_err(|error| format!("{error:#}"))?;
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

    /// The limits of its calls, and their peak memory.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// The version of the plugin that is called.
    pub fn version(&self) -> &PluginVersion {
        &self.0.sandbox.version
    }

    /// The SHA-256 of the component in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// Returns true if the plugin's manifest asks for network access. Such a plugin mostly waits for a remote API.
    pub fn uses_network(&self) -> bool {
        self.0.uses_network
    }

    /// Draws one picture. References beyond the provider's maximum are left out.
    pub async fn draw(&self, request: DrawRequest) -> Result<Drawing, CallError> {
        self.draw_with(request, &CallOptions::default()).await
    }

    /// Draws one picture like [`ImageProvider::draw`], with options.
    pub async fn draw_with(&self, mut request: DrawRequest, options: &CallOptions) -> Result<Drawing, CallError> {
        let provider = &*self.0;
        let takes = provider
            .description
            .max_references_with_source(request.source.is_some());
        let references = request
            .characters
            .iter_mut()
            .filter(|character| character.reference.is_some());
        references
            .skip(takes as usize)
            .for_each(|character| character.reference = None);

        let limits = &provider.sandbox.limits;
        let limit = limits.response_bytes();
        let _reserved = provider.responses.reserve(limits.max_copied_drawing_bytes()).await;
        let (called, receipt) = (self.clone(), options.receipt.clone());
        provider
            .sandbox
            .call(
                Called {
                    function: "draw",
                    kind: CallKind::Work,
                    request: provider.sandbox.described(|| described(&request)),
                    result: drawn,
                },
                options,
                limits.max_copied_drawing_bytes(),
                |store| async move {
                    let reply = called.0.contract.draw(store, request).await?;
                    Ok(reply.and_then(|(drawing, report)| {
                        report.log_invalid_cost(&called.0.description.id);
                        receipt.note(report);
                        check(drawing, limit)
                    }))
                },
            )
            .await
    }
}

impl ImageProvider {
    /// Returns true if the provider can report which words it cannot draw.
    pub fn has_vocabulary(&self) -> bool {
        self.0.vocabulary.is_some()
    }

    /// Returns, for each text in order, the words that the provider cannot draw, or `None` for a provider without a
    /// vocabulary. The call uses separate permits, so it does not wait for drawings.
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
            Called {
                function: "unknown_words",
                kind: CallKind::Question,
                // Only calls that do work are logged.
                request: None,
                result: |_| Value::Null,
            },
            options,
            Limits::max_copied_text_bytes(),
            |store| async move {
                let answer = contract.unknown_words(store, wordings).await?;
                Ok(vocabulary::check(answer, texts))
            },
        );
        words.await.map(Some)
    }
}

/// A request to a provider, for the log of calls.
fn described(request: &DrawRequest) -> Value {
    let DrawOptions {
        change,
        look,
        book_seed,
    } = &request.options;
    json!({
        "purpose": format!("{:?}", request.purpose),
        "prompt": brief(&request.prompt),
        "title": brief(&request.title),
        "aspect": request.aspect.as_str(),
        "audience": request.audience.as_str(),
        "width": request.width,
        "height": request.height,
        "seed": request.seed,
        "characters": request.characters.iter().map(character).collect::<Vec<_>>(),
        "source": request.source.as_ref().map(|media| picture(&media.media_type, &media.bytes)),
        "instruction": change.as_ref().map(|change| brief(&change.instruction)),
        "present_prompt": change.as_ref().map(|change| brief(&change.present_prompt)),
        "look": (!look.is_usual()).then_some(look),
        "book_seed": book_seed,
    })
}

/// The drawing of a provider, for the log of calls.
fn drawn(drawing: &Drawing) -> Value {
    let mut fields = json!({
        "picture": picture(&drawing.media_type, &drawing.bytes),
        "model": drawing.model.as_deref().map(brief),
        "cost_microdollars": drawing.cost_microdollars,
    });
    if !drawing.unknown_words.is_empty() {
        fields["unknown_words"] = drawing.unknown_words.clone().into();
    }
    fields
}

fn check_aspects(aspects: &[Aspect]) -> Result<(), String> {
    if aspects.is_empty() {
        return Err("it names no aspect: an image provider needs at least one".into());
    }
    if aspects.len() > MAX_ASPECTS {
        return Err(format!(
            "it names {} aspects, but only {MAX_ASPECTS} exist",
            aspects.len()
        ));
    }
    Ok(())
}

fn check(drawing: Drawing, limit: u64) -> Result<Drawing, CallError> {
    let bytes = drawing.bytes.len() as u64;
    if bytes > limit {
        return Err(CallError::ResponseTooLarge { limit });
    }
    let Some((_, promised)) = FORMATS.iter().find(|(media_type, _)| *media_type == drawing.media_type) else {
        let media_type = excerpt(drawing.media_type, 100);
        return Err(CallError::InvalidResponse(format!(
            "the media type {media_type:?} is not PNG, JPEG or WebP"
        )));
    };
    if image::guess_format(&drawing.bytes).ok() != Some(*promised) {
        return Err(CallError::InvalidResponse(format!(
            "{bytes} bytes that are not {}",
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
            unknown_words: Vec::new(),
            model: None,
            cost_microdollars: None,
        }
    }

    #[test]
    fn a_provider_draws_one_to_three_aspects() {
        assert_eq!(check_aspects(&[Aspect::Square; 3]), Ok(()));
        assert!(check_aspects(&[Aspect::Square; 4]).unwrap_err().contains("4 aspects"));
        assert!(check_aspects(&[]).is_err());
    }

    #[test]
    fn a_drawing_must_match_its_media_type() {
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
    fn the_size_of_a_drawing_is_checked_before_its_media_type() {
        let error = check(drawing("text/html", &[0; 101]), 100).unwrap_err();
        assert_eq!(error, CallError::ResponseTooLarge { limit: 100 });
    }
}
