//! A provider that fails when its settings say so, and draws otherwise.
//!
//! `{"fail": "unavailable", "seeds": "odd", "prompt": "storm", "words": "down"}`: `fail` is `unavailable`
//! (which is also what is taken without settings), `refused`, `invalid`, `rate-limited`, `other`, `trap`,
//! or `asked`, which is the one of these that the prompt names first, and none when it names none; `seeds`
//! is `odd` (the usual), `even` or `all`; with `prompt`, only requests whose prompt holds that text fail; with
//! `"without_reference": true`, only pages of a character that comes without its reference image;
//! `words` is what it says about a failure, where it is to be something else; `note`, `model` and `cost` are what it says
//! about each drawing; `aspects` are the aspects that it draws, where they are not all, and `references` how many reference
//! images it takes, where it is not one. `fail` may also be `empty`: then the drawing is one of no bytes; or `blank`: then it
//! is an empty page.
//! A component remembers nothing between calls, so who wants the second attempt to succeed gives it another seed.
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
            ..usual
        }
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        let settings = Settings::read();
        match settings.failure(&request) {
            Some("empty") if settings.concern(&request) => Ok(Drawing {
                image: Media {
                    media_type: "image/png".into(),
                    bytes: Vec::new(),
                },
                extra: Vec::new(),
            }),
            Some("blank") if settings.concern(&request) => Ok(testbed_parts::blank(&request)),
            Some(failure) if settings.concern(&request) => Err(settings.error(failure)),
            _ => Ok(Drawing {
                extra: settings.extra(),
                ..testbed_parts::drawing(&request)
            }),
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
}

fn aspect_of(name: &str) -> Aspect {
    match name {
        "square" => Aspect::Square,
        "portrait" => Aspect::Portrait,
        "landscape" => Aspect::Landscape,
        other => panic!("{other} is no aspect"),
    }
}

/// What the failures are called.
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
        }
    }
}

impl Settings {
    fn read() -> Self {
        serde_json::from_str(&config::get()).expect("the settings are as the head of this file says")
    }

    fn concern(&self, request: &DrawRequest) -> bool {
        let seed = match self.seeds.as_str() {
            "odd" => request.seed % 2 == 1,
            "even" => request.seed.is_multiple_of(2),
            "all" => true,
            other => panic!("seeds are odd, even or all, not {other}"),
        };
        let lacks_reference = matches!(request.purpose, Purpose::Page)
            && request.characters.iter().any(|character| character.reference.is_none());
        seed && request.prompt.contains(&self.prompt) && (lacks_reference || !self.without_reference)
    }

    /// The failure that is asked for.
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
                words(&format!("a provider that is told to fail by {other} traps"))
            ),
        }
    }
}
