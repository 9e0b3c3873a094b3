//! A reviewer of version 1 of the contract, which describes pictures. Everything follows from words of the prompt or
//! the title.
//!
//! `forbidden` refuses the prompt with the sentence "Not here."; `wonky` has the picture drawn once more with the hint
//! "Fewer legs.". The alternative text of a picture is its title after the language, with the text of its prompt if the
//! host sends one, and its title is the caption. In a title, `mute` makes the description empty, `dear` reports an
//! impossible cost, `speechless` fails, and `hurried` reports a rate limit of 7 seconds.
use linepress_plugin_sdk::v1::reviewer::{
    Description, FinishedPicture, Guest, Picture, PictureDescription, PictureReview, Prompt, PromptReview, ReviewError,
    Usage, Verdict,
};

pub struct Narrator;

impl Guest for Narrator {
    fn describe() -> Description {
        Description {
            id: "testbed.narrator".into(),
            name: "Narrator".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            describes_pictures: true,
            extra: Vec::new(),
        }
    }

    fn review_prompt(prompt: Prompt) -> Result<PromptReview, ReviewError> {
        Ok(PromptReview {
            refusal: prompt.text.contains("forbidden").then(|| "Not here.".to_owned()),
            usage: usage(2_000),
        })
    }

    fn review_picture(picture: Picture) -> Result<PictureReview, ReviewError> {
        let verdict = match picture.prompt.text.contains("wonky") && !picture.redrawn {
            true => Verdict::Redraw("Fewer legs.".into()),
            false => Verdict::Pass,
        };
        Ok(PictureReview {
            verdict,
            usage: usage(2_000),
        })
    }

    fn describe_picture(picture: FinishedPicture) -> Result<PictureDescription, ReviewError> {
        let FinishedPicture {
            prompt,
            image,
            language,
            ..
        } = picture;
        let says = |word: &str| prompt.title.contains(word);
        if says("hurried") {
            return Err(ReviewError::RateLimited(Some(7)));
        }
        if says("speechless") || !image.media_type.starts_with("image/") {
            return Err(ReviewError::Unavailable("no words".into()));
        }
        let cost = if says("dear") { u64::MAX } else { 3_000 };
        let alternative_text = match says("mute") {
            true => String::new(),
            false => format!("{language}: {}{}", prompt.title, prompt.text),
        };
        Ok(PictureDescription {
            alternative_text,
            caption: prompt.title,
            usage: usage(cost),
        })
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::v1::reviewer::export!(Narrator);

fn usage(cost_microdollars: u64) -> Usage {
    Usage {
        model: Some("eye-2".into()),
        cost_microdollars: Some(cost_microdollars),
        extra: Vec::new(),
    }
}
