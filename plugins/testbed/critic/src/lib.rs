//! A reviewer whose verdicts follow from words of the prompt, and that fails according to its settings.
//!
//! Words: `forbidden` refuses the prompt with the sentence "Not here."; `silent` refuses it without a sentence. `ugly`
//! refuses the picture with the sentence "Too ugly."; `wonky` has it drawn once more with the hint "Fewer legs.";
//! `hopeless` has every picture drawn once more; `hintless` has it drawn once more without a hint. `endless` refuses
//! the prompt with a sentence of 5 MiB. Any other prompt passes.
//!
//! Settings, such as `{"fail": "unavailable", "call": "picture"}`:
//! - `fail`: `rate-limited`, `unavailable`, `other`, `slow` (never returns) or `trap`; by default, calls do not fail.
//! - `call`: `prompt` or `picture`: the only calls that fail; by default, both do.
use linepress_plugin_sdk::reviewer::config;
use linepress_plugin_sdk::reviewer::{
    Description, Guest, Picture, PictureReview, Prompt, PromptReview, ReviewError, Verdict,
};
use serde::Deserialize;

pub struct Critic;

impl Guest for Critic {
    fn describe() -> Description {
        Description {
            id: "testbed.critic".into(),
            name: "Critic".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            extra: Vec::new(),
        }
    }

    fn review_prompt(prompt: Prompt) -> Result<PromptReview, ReviewError> {
        fail_on_demand("prompt")?;
        let refusal = match prompt.text {
            text if text.contains("forbidden") => Some("Not here.".to_owned()),
            text if text.contains("silent") => Some(String::new()),
            text if text.contains("endless") => Some("x".repeat(5 << 20)),
            _ => None,
        };
        Ok(PromptReview {
            refusal,
            extra: extra(),
        })
    }

    fn review_picture(picture: Picture) -> Result<PictureReview, ReviewError> {
        fail_on_demand("picture")?;
        if !picture.image.bytes.starts_with(b"\x89PNG") || picture.image.media_type != "image/png" {
            return Err(ReviewError::Other("the picture is not a PNG".into()));
        }
        let says = |word: &str| picture.prompt.text.contains(word);
        let verdict = if says("ugly") {
            Verdict::Refuse("Too ugly.".into())
        } else if says("hopeless") || says("wonky") && !picture.redrawn {
            Verdict::Redraw("Fewer legs.".into())
        } else if says("hintless") {
            Verdict::Redraw(String::new())
        } else {
            Verdict::Pass
        };
        Ok(PictureReview {
            verdict,
            extra: extra(),
        })
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::reviewer::export!(Critic);

fn extra() -> Vec<(String, String)> {
    [("model", "eye-1"), ("cost-usd", "0.002")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    fail: String,
    call: String,
}

/// Fails if the settings say so for this call.
fn fail_on_demand(call: &str) -> Result<(), ReviewError> {
    let settings: Settings =
        serde_json::from_str(&config::get()).map_err(|error| ReviewError::Unavailable(error.to_string()))?;
    if !settings.call.is_empty() && settings.call != call {
        return Ok(());
    }
    match settings.fail.as_str() {
        "" => Ok(()),
        "rate-limited" => Err(ReviewError::RateLimited(Some(7))),
        "unavailable" => Err(ReviewError::Unavailable("not today".into())),
        "other" => Err(ReviewError::Other("not today".into())),
        "slow" => loop {
            std::hint::spin_loop();
        },
        _ => panic!("not today"),
    }
}
