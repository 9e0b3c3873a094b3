//! A provider that fails according to its settings, and otherwise draws.
//!
//! Settings, such as `{"fail": "unavailable", "seeds": "odd", "prompt": "storm", "words": "down"}`:
//! - `fail`: the failure: `unavailable` (the default), `refused`, `invalid`, `rate-limited`, `other`, `trap`, `empty`
//!   (a drawing of zero bytes), `blank` (an empty page), or `asked` (the first of the failures up to `trap` that the
//!   prompt names, if any).
//! - `seeds`: the seeds that fail: `odd` (the default), `even` or `all`.
//! - `prompt`: a text; only requests whose prompt contains it fail.
//! - `without_reference`: if true, only pages with a character that lacks a reference image fail.
//! - `words`: the text of the failure, in place of the default text.
//! - `note`, `model`, `cost`: extra values of each drawing.
//! - `aspects`: the aspects that the provider draws, by default all.
//! - `color`: if true, the provider draws covers in color.
//! - `references`: the maximum number of reference images, by default one.
//!
//! A component has no memory between calls, so a test whose second attempt is to succeed must change the seed.
use linepress_plugin_sdk::image::config;
use linepress_plugin_sdk::image::{Aspect, Description, DrawError, DrawRequest, Drawing, Guest, Media, Purpose};
use serde::Deserialize;

pub struct Flaky;

impl Guest for Flaky {
    fn describe() -> Description {
        let settings = Settings::read();
        let usual = testbed_parts::describe("testbed.flaky");
        Description {
            aspects: settings.aspects.map_or(usual.aspects, |names| {
                names.iter().map(|name| aspect_of(name)).collect()
            }),
            max_references: settings.references.unwrap_or(usual.max_references),
            extra: settings.color.then(color).into_iter().collect(),
            ..usual
        }
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let settings = Settings::read();
        match settings.failure(&request) {
            Some("empty") if settings.applies_to(&request) => Ok(Drawing {
                image: Media {
                    media_type: "image/png".into(),
                    bytes: Vec::new(),
                },
                extra: Vec::new(),
            }),
            Some("blank") if settings.applies_to(&request) => Ok(testbed_parts::blank(&request)),
            Some(failure) if settings.applies_to(&request) => Err(settings.error(failure)),
            _ => {
                let drawing = if request.extra.contains(&color()) {
                    testbed_parts::drawing_in_color(&request)
                } else {
                    testbed_parts::drawing(&request)
                };
                Ok(Drawing {
                    extra: settings.extra(),
                    ..drawing
                })
            }
        }
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::image::export!(Flaky);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    fail: String,
    seeds: String,
    prompt: String,
    without_reference: bool,
    words: Option<String>,
    note: Option<String>,
    model: Option<String>,
    cost: Option<String>,
    aspects: Option<Vec<String>>,
    references: Option<u32>,
    color: bool,
}

fn color() -> (String, String) {
    ("color".into(), "1".into())
}

fn aspect_of(name: &str) -> Aspect {
    match name {
        "square" => Aspect::Square,
        "portrait" => Aspect::Portrait,
        "landscape" => Aspect::Landscape,
        other => panic!("unknown aspect: {other}"),
    }
}

/// Failures that a prompt can name.
const FAILURES: [&str; 6] = ["unavailable", "refused", "invalid", "rate-limited", "other", "trap"];

impl Default for Settings {
    fn default() -> Self {
        Self {
            fail: "unavailable".into(),
            seeds: "odd".into(),
            prompt: String::new(),
            without_reference: false,
            words: None,
            note: None,
            model: None,
            cost: None,
            aspects: None,
            references: None,
            color: false,
        }
    }
}

impl Settings {
    fn read() -> Self {
        serde_json::from_str(&config::get()).expect("the settings match the documentation of this crate")
    }

    /// Returns true if this request is to fail.
    fn applies_to(&self, request: &DrawRequest) -> bool {
        let seed = match self.seeds.as_str() {
            "odd" => request.seed % 2 == 1,
            "even" => request.seed.is_multiple_of(2),
            "all" => true,
            other => panic!("seeds must be odd, even or all, not {other}"),
        };
        let lacks_reference = matches!(request.purpose, Purpose::Page)
            && request.characters.iter().any(|character| character.reference.is_none());
        seed && request.prompt.contains(&self.prompt) && (lacks_reference || !self.without_reference)
    }

    /// The configured failure, or the one that the prompt names.
    fn failure<'a>(&'a self, request: &DrawRequest) -> Option<&'a str> {
        if self.fail != "asked" {
            return Some(&self.fail);
        }
        request
            .prompt
            .split_whitespace()
            .find_map(|word| FAILURES.into_iter().find(|failure| *failure == word))
    }

    fn extra(&self) -> Vec<(String, String)> {
        let values = [("note", &self.note), ("model", &self.model), ("cost-usd", &self.cost)];
        values
            .into_iter()
            .filter_map(|(name, value)| Some((name.into(), value.clone()?)))
            .collect()
    }

    fn error(&self, failure: &str) -> DrawError {
        let words = |usual: &str| self.words.clone().unwrap_or_else(|| usual.into());
        match failure {
            "unavailable" => DrawError::Unavailable(words("down for the night")),
            "refused" => DrawError::Refused(words("not a picture for children")),
            "invalid" => DrawError::Invalid(words("nothing to draw")),
            "rate-limited" => DrawError::RateLimited(Some(7)),
            "other" => DrawError::Other(words("the pencil broke")),
            other => panic!(
                "{}",
                words(&format!("the settings ask this provider to fail with {other}"))
            ),
        }
    }
}
