//! A request to a plugin that is written as JSON, with the fields that the log of calls has.
use std::path::Path;

use anyhow::{Context as _, bail};
use linepress_core::books::MAX_PAGES;
use linepress_model::{Aspect, Audience, Look};
use linepress_plugin_host::{
    CallError, Change, CharacterSketch, DrawOptions, DrawRequest, ImageProvider, Layout, LayoutBook, LayoutDrawing,
    Media, PictureToDescribe, PictureToReview, PlanRequest, Planner, PromptToReview, Purpose, Reviewer, is_cut_text,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::source;
use crate::workbench::Plugin;

/// A call of a plugin.
pub(super) enum Call {
    Draw(ImageProvider, DrawRequest),
    Plan(Planner, PlanRequest),
    LayOut(Layout, LayoutBook, String),
    ReviewPrompt(Reviewer, PromptToReview),
    ReviewPicture(Reviewer, PictureToReview),
    DescribePicture(Reviewer, PictureToDescribe),
}

/// A call that was read from JSON.
pub(super) struct Request {
    pub(super) call: Call,
    /// The parts of a logged request that the log does not contain.
    pub(super) missing: Vec<String>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DrawFields {
    purpose: String,
    prompt: String,
    title: String,
    aspect: Option<Aspect>,
    audience: Audience,
    width: Option<u32>,
    height: Option<u32>,
    characters: Vec<CharacterFields>,
    source: Option<Value>,
    seed: u64,
    instruction: Option<String>,
    present_prompt: Option<String>,
    look: Option<Look>,
    book_seed: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CharacterFields {
    name: String,
    description: String,
    style: String,
    seed: u64,
    reference: Option<Value>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PlanFields {
    theme: String,
    page_count: u32,
    aspect: Aspect,
    audience: Audience,
    title: Option<String>,
    characters: Vec<CharacterFields>,
    language: String,
    notes: Option<String>,
    mismatch: Option<String>,
    earlier_pages: usize,
    seed: u64,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LayOutFields {
    title: String,
    format: Option<String>,
    audience: Audience,
    language: String,
    has_cover: bool,
    drawings: usize,
    options: Vec<(String, String)>,
}

/// The fields of a review of a prompt, and of a picture if there is one. With a language, the picture is to be
/// described.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ReviewFields {
    purpose: String,
    prompt: String,
    title: String,
    audience: Audience,
    aspect: Aspect,
    picture: Option<Value>,
    redrawn: bool,
    language: Option<String>,
}

impl Default for DrawFields {
    fn default() -> Self {
        Self {
            purpose: format!("{:?}", Purpose::Page),
            prompt: "A fox builds a snowman in front of a hut in the woods".into(),
            title: String::new(),
            aspect: None,
            audience: Audience::default(),
            width: None,
            height: None,
            characters: Vec::new(),
            source: None,
            seed: 1,
            instruction: None,
            present_prompt: None,
            look: None,
            book_seed: None,
        }
    }
}

impl Default for PlanFields {
    fn default() -> Self {
        Self {
            theme: "A year in the woods".into(),
            page_count: 8,
            aspect: Aspect::default(),
            audience: Audience::default(),
            title: None,
            characters: Vec::new(),
            language: "en".into(),
            notes: None,
            mismatch: None,
            earlier_pages: 0,
            seed: 1,
        }
    }
}

impl Default for LayOutFields {
    fn default() -> Self {
        Self {
            title: "A year in the woods".into(),
            format: None,
            audience: Audience::default(),
            language: "en".into(),
            has_cover: true,
            drawings: 8,
            options: Vec::new(),
        }
    }
}

impl Default for ReviewFields {
    fn default() -> Self {
        let DrawFields {
            purpose, prompt, title, ..
        } = DrawFields::default();
        Self {
            purpose,
            prompt,
            title,
            audience: Audience::default(),
            aspect: Aspect::default(),
            picture: None,
            redrawn: false,
            language: None,
        }
    }
}

impl Request {
    /// Reads a request to this plugin. A field that is absent has the value of a sample. `folder` is the folder of the
    /// pictures that the request names.
    pub(super) fn read(plugin: &Plugin, fields: Value, folder: &Path) -> anyhow::Result<Self> {
        let mut missing = cut_texts(&fields);
        let call = match plugin {
            Plugin::ImageProvider(provider) => {
                let request = draw_request(provider, parsed(fields)?, folder, &mut missing)?;
                Call::Draw(provider.clone(), request)
            }
            Plugin::Planner(planner) => Call::Plan(planner.clone(), plan_request(parsed(fields)?, &mut missing)?),
            Plugin::Layout(layout) => {
                let (book, format) = lay_out_request(layout, parsed(fields)?)?;
                Call::LayOut(layout.clone(), book, format)
            }
            Plugin::Reviewer(reviewer) => review_request(reviewer, parsed(fields)?, folder)?,
        };
        Ok(Self { call, missing })
    }
}

impl Call {
    pub(super) async fn make(self) -> Result<(), CallError> {
        match self {
            Self::Draw(provider, request) => provider.draw(request).await.map(drop),
            Self::Plan(planner, request) => planner.plan(request).await.map(drop),
            Self::LayOut(layout, book, format) => layout.lay_out(book, &format).await.map(drop),
            Self::ReviewPrompt(reviewer, prompt) => reviewer.review_prompt(prompt).await.map(drop),
            Self::ReviewPicture(reviewer, picture) => reviewer.review_picture(picture).await.map(drop),
            Self::DescribePicture(reviewer, picture) => reviewer.describe_picture(picture).await.map(drop),
        }
    }
}

fn parsed<Fields: DeserializeOwned>(fields: Value) -> anyhow::Result<Fields> {
    serde_json::from_value(fields).context("the request is not one for this kind of plugin")
}

/// The names of the texts that the log has cut.
fn cut_texts(fields: &Value) -> Vec<String> {
    let is_cut = |value: &Value| value.as_str().is_some_and(is_cut_text);
    let mut names = Vec::new();
    for (name, value) in fields.as_object().into_iter().flatten() {
        let parts = value.as_array().into_iter().flatten().filter_map(Value::as_object);
        if is_cut(value) || parts.flat_map(|part| part.values()).any(is_cut) {
            names.push(format!("the end of {name}"));
        }
    }
    names
}

fn draw_request(
    provider: &ImageProvider,
    fields: DrawFields,
    folder: &Path,
    missing: &mut Vec<String>,
) -> anyhow::Result<DrawRequest> {
    let aspect = fields.aspect.unwrap_or(provider.description().aspects[0]);
    let (width, height) = aspect.recommended_pixels();
    let source = picture("the source picture", fields.source, folder, missing)?;
    if !provider.description().draws(source.is_some()) {
        match source {
            None => bail!("this plugin draws from pictures only: name a file as `source` in the request"),
            Some(_) => bail!("this plugin draws from text only: leave `source` out of the request"),
        }
    }
    let change = fields.instruction.map(|instruction| Change {
        instruction,
        present_prompt: fields.present_prompt.unwrap_or_default(),
    });
    Ok(DrawRequest {
        purpose: purpose(&fields.purpose)?,
        prompt: fields.prompt,
        title: fields.title,
        width: fields.width.unwrap_or(width),
        height: fields.height.unwrap_or(height),
        aspect,
        audience: fields.audience,
        characters: characters(fields.characters, folder, missing)?,
        source,
        seed: fields.seed,
        options: DrawOptions {
            change,
            look: fields.look.unwrap_or_default(),
            book_seed: fields.book_seed,
        },
    })
}

fn plan_request(fields: PlanFields, missing: &mut Vec<String>) -> anyhow::Result<PlanRequest> {
    if fields.earlier_pages > 0 {
        missing.push("the pages of earlier volumes".into());
    }
    Ok(PlanRequest {
        theme: fields.theme,
        page_count: fields.page_count,
        aspect: fields.aspect,
        audience: fields.audience,
        title: fields.title,
        // Planners get no pictures.
        characters: characters(without_references(fields.characters), Path::new(""), missing)?,
        language: fields.language,
        notes: fields.notes,
        seed: fields.seed,
        mismatch: fields.mismatch,
        earlier: Vec::new(),
    })
}

fn lay_out_request(layout: &Layout, fields: LayOutFields) -> anyhow::Result<(LayoutBook, String)> {
    let formats = &layout.description().formats;
    let format = match &fields.format {
        None => formats.first(),
        Some(id) => formats.iter().find(|format| format.id == *id),
    };
    let format = format.with_context(|| {
        let ids: Vec<&str> = formats.iter().map(|format| format.id.as_str()).collect();
        format!(
            "the layout does not have this format; its formats are {}",
            ids.join(", ")
        )
    })?;
    if fields.drawings > MAX_PAGES {
        bail!("a book has at most {MAX_PAGES} drawings");
    }
    let drawing = |number| LayoutDrawing {
        title: format!("Drawing {number}"),
        caption: String::new(),
    };
    let book = LayoutBook {
        title: fields.title,
        subtitle: String::new(),
        author: String::new(),
        description: String::new(),
        audience: fields.audience,
        aspect: format.aspect,
        has_cover: fields.has_cover,
        drawings: (1..=fields.drawings).map(drawing).collect(),
        language: fields.language,
        extra: fields.options,
    };
    Ok((book, format.id.clone()))
}

fn review_request(reviewer: &Reviewer, fields: ReviewFields, folder: &Path) -> anyhow::Result<Call> {
    let prompt = PromptToReview {
        purpose: purpose(&fields.purpose)?,
        text: fields.prompt,
        title: fields.title,
        audience: fields.audience,
    };
    let image = match fields.picture {
        None | Some(Value::Null) if fields.language.is_some() => {
            bail!("a description in a language needs a picture: name a file as `picture` in the request")
        }
        None | Some(Value::Null) => return Ok(Call::ReviewPrompt(reviewer.clone(), prompt)),
        Some(Value::String(file)) => {
            source::read_drawing(&folder.join(file), prompt.purpose, fields.aspect, prompt.audience)?
        }
        Some(Value::Object(_)) => {
            bail!("a call with a picture cannot be repeated: the log contains the digest of the picture only")
        }
        Some(_) => bail!("the picture must be the name of a file"),
    };
    if let Some(language) = fields.language {
        if !reviewer.description().describes_pictures {
            bail!("this reviewer describes no pictures: leave `language` out of the request");
        }
        let finished = PictureToDescribe {
            purpose: prompt.purpose,
            title: prompt.title,
            audience: prompt.audience,
            aspect: fields.aspect,
            image,
            language,
        };
        return Ok(Call::DescribePicture(reviewer.clone(), finished));
    }
    let picture = PictureToReview {
        prompt,
        aspect: fields.aspect,
        image,
        is_redrawn: fields.redrawn,
    };
    Ok(Call::ReviewPicture(reviewer.clone(), picture))
}

fn purpose(text: &str) -> anyhow::Result<Purpose> {
    let all = [Purpose::Page, Purpose::Cover, Purpose::CoverInColor, Purpose::Character];
    let found = all.into_iter().find(|purpose| format!("{purpose:?}") == text);
    found.with_context(|| format!("the purpose must be one of {all:?}"))
}

fn without_references(mut fields: Vec<CharacterFields>) -> Vec<CharacterFields> {
    fields.iter_mut().for_each(|character| character.reference = None);
    fields
}

fn characters(
    fields: Vec<CharacterFields>,
    folder: &Path,
    missing: &mut Vec<String>,
) -> anyhow::Result<Vec<CharacterSketch>> {
    let mut characters = Vec::new();
    for character in fields {
        let what = format!("the reference image of {}", character.name);
        characters.push(CharacterSketch {
            reference: picture(&what, character.reference, folder, missing)?,
            name: character.name,
            description: character.description,
            style: character.style,
            seed: character.seed,
        });
    }
    Ok(characters)
}

/// The picture that a request names by its file. The log has the digest of a picture instead, which is noted as
/// missing.
fn picture(
    what: &str,
    field: Option<Value>,
    folder: &Path,
    missing: &mut Vec<String>,
) -> anyhow::Result<Option<Media>> {
    match field {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(file)) => source::read(&folder.join(file)).map(Some),
        Some(Value::Object(_)) => {
            missing.push(what.to_owned());
            Ok(None)
        }
        Some(_) => bail!("{what} must be the name of a file"),
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::FrameStyle;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_empty_request_is_a_sample_and_an_unknown_field_an_error() {
        let sample: DrawFields = parsed(json!({})).unwrap();
        assert!(sample.prompt.contains("fox"));
        assert_eq!(purpose(&sample.purpose).unwrap(), Purpose::Page);
        // A call that was logged before looks had a frame and requests a seed of the book.
        let logged: DrawFields = parsed(json!({"prompt": "A fox", "look": {"line_weight": "bold"}})).unwrap();
        assert_eq!(
            (logged.look.unwrap().frame, logged.book_seed),
            (FrameStyle::Usual, None)
        );
        assert!(parsed::<PlanFields>(json!({"thema": "Woods"})).is_err());
        assert!(purpose("page").unwrap_err().to_string().contains("CoverInColor"));
    }

    #[test]
    fn what_the_log_does_not_contain_is_named() {
        let long = format!("{}…", "x".repeat(500));
        assert!(is_cut_text(&long));
        let logged = json!({"prompt": long, "title": "Fox", "characters": [{"name": "Mira", "description": long}]});
        assert_eq!(cut_texts(&logged), ["the end of characters", "the end of prompt"]);

        let mut missing = Vec::new();
        let digest = json!({"sha256": "00", "bytes": 1, "media_type": "image/png"});
        let fields: Vec<CharacterFields> = parsed(json!([{"name": "Mira", "reference": digest}])).unwrap();
        let sketches = characters(fields, Path::new(""), &mut missing).unwrap();
        assert!(sketches[0].reference.is_none());
        assert_eq!(missing, ["the reference image of Mira"]);
    }
}
