//! A reviewer that refuses prompts with certain words, and has an almost empty page drawn once more.
wit_bindgen::generate!({ path: "wit", world: "reviewer", generate_all });

use exports::linepress::review::review::{
    Description, Guest, Picture, PictureReview, Prompt, PromptReview, ReviewError, Verdict,
};
use linepress::types::types::Media;

struct Quilt;

/// The words that are refused unless the settings name others.
const WORDS: [&str; 1] = ["gun"];

/// The size below which the PNG of a page shows almost nothing, in bytes per 1,000 pixels. An empty page has fewer than
/// 8, a drawing about 50.
const MIN_BYTES_PER_1000_PIXELS: u64 = 8;

/// What the picture must show, for the image provider.
const HINT: &str = "The picture was almost empty: draw the subject large, with a background that fills the page.";

impl Guest for Quilt {
    fn describe() -> Description {
        Description {
            id: "acme.quilt".into(),
            name: "Quilt".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            extra: Vec::new(),
        }
    }

    fn review_prompt(prompt: Prompt) -> Result<PromptReview, ReviewError> {
        use linepress::host::{config, log};
        let refusal = refusal_of(&prompt, &words_of(&config::get())?);
        if refusal.is_some() {
            log::write(log::Level::Debug, "a prompt is refused");
        }
        Ok(PromptReview {
            refusal,
            // A reviewer that asks a model also names `model` and `cost-usd` here.
            extra: Vec::new(),
        })
    }

    fn review_picture(picture: Picture) -> Result<PictureReview, ReviewError> {
        Ok(PictureReview {
            verdict: verdict_of(&picture),
            extra: Vec::new(),
        })
    }
}

#[cfg(target_family = "wasm")] // native linkers reject the names of the exports
export!(Quilt);

/// The sentence for the customer if the prompt or the title contains one of the words.
fn refusal_of(prompt: &Prompt, words: &[String]) -> Option<String> {
    let text = format!("{} {}", prompt.title, prompt.text).to_lowercase();
    let parts = text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    let mut parts = parts.filter(|part| !part.is_empty());
    let word = parts.find(|part| words.iter().any(|word| word == part))?;
    Some(format!("Please leave this word out: {word}."))
}

/// Asks for another picture if there is almost nothing in this one. A reviewer that looks at the lines themselves
/// decodes the picture first, for example with the crate `png`.
fn verdict_of(picture: &Picture) -> Verdict {
    // The server takes another redraw as a pass.
    if !picture.redrawn && is_almost_empty(&picture.image) {
        return Verdict::Redraw(HINT.into());
    }
    Verdict::Pass
}

/// Line art is a PNG, whose size grows with the lines. A cover in color may be a JPEG, and passes.
fn is_almost_empty(image: &Media) -> bool {
    let Some((width, height)) = png_size(&image.bytes) else {
        return false;
    };
    let pixels = u64::from(width) * u64::from(height);
    image.bytes.len() as u64 * 1000 < pixels * MIN_BYTES_PER_1000_PIXELS
}

/// The width and the height in the header of a PNG.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.get(..24)?;
    if !header.starts_with(b"\x89PNG") {
        return None;
    }
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_be_bytes).ok();
    Some((number(&header[16..20])?, number(&header[20..24])?))
}

/// Reads the only setting, which `config.json` documents.
fn words_of(settings: &str) -> Result<Vec<String>, ReviewError> {
    let settings: serde_json::Value = serde_json::from_str(settings).unwrap_or_default();
    match &settings["words"] {
        serde_json::Value::Null => Ok(WORDS.map(str::to_owned).to_vec()),
        serde_json::Value::Array(words) => {
            let words = words.iter().map(|word| word.as_str().map(str::to_lowercase));
            words.collect::<Option<_>>().ok_or_else(wrong_words)
        }
        _ => Err(wrong_words()),
    }
}

fn wrong_words() -> ReviewError {
    ReviewError::Unavailable("the setting words must be a list of words".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use exports::linepress::review::review::Purpose;
    use linepress::types::types::{Aspect, Audience};

    fn prompt(text: &str) -> Prompt {
        Prompt {
            purpose: Purpose::Page,
            text: text.into(),
            title: "Fox".into(),
            audience: Audience::Child,
            extra: Vec::new(),
        }
    }

    /// A page of 1,152 x 1,536 pixels whose file has this size.
    fn picture(bytes: usize, redrawn: bool) -> Picture {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x04\x80\0\0\x06\0".to_vec();
        png.resize(bytes, 0);
        Picture {
            prompt: prompt("A fox"),
            aspect: Aspect::Portrait,
            image: Media {
                media_type: "image/png".into(),
                bytes: png,
            },
            redrawn,
            extra: Vec::new(),
        }
    }

    #[test]
    fn a_word_is_refused_in_any_case_but_not_within_another_word() {
        let words = words_of(r#"{"words": ["Sword"]}"#).unwrap();
        for (text, is_refused) in [
            ("A fox with a SWORD.", true),
            ("sword-fighting foxes", true),
            ("A swordfish", false),
            ("A fox with a gun", false),
            ("", false),
        ] {
            assert_eq!(refusal_of(&prompt(text), &words).is_some(), is_refused, "{text}");
        }
        let sentence = refusal_of(&prompt("A gun"), &words_of("{}").unwrap());
        assert_eq!(sentence.as_deref(), Some("Please leave this word out: gun."));
    }

    #[test]
    fn an_almost_empty_page_is_drawn_once_more() {
        for (bytes, redrawn, is_redraw) in [
            (3_000, false, true),
            (3_000, true, false),
            (60_000, false, false),
            (10, false, false),
        ] {
            let verdict = verdict_of(&picture(bytes, redrawn));
            assert_eq!(matches!(verdict, Verdict::Redraw(_)), is_redraw, "{bytes} {redrawn}");
        }
    }

    #[test]
    fn the_words_are_a_setting() {
        assert_eq!(words_of(r#"{"words": []}"#).unwrap(), Vec::<String>::new());
        for wrong in [r#"{"words": "gun"}"#, r#"{"words": [1]}"#] {
            assert!(matches!(words_of(wrong), Err(ReviewError::Unavailable(_))), "{wrong}");
        }
    }
}
