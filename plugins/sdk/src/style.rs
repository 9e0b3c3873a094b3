//! Prompts that describe the content and the style of a coloring page to an image model. All providers that use a model
//! share these prompts, so that pages of different providers look alike.

use crate::image::{Audience, Character, DrawRequest, Media, Purpose};

/// The negative prompt, for models that take one: a list of things that must not be in the picture.
pub const NEGATIVE: &str = "color, colors, gray, grayscale, shading, shadows, gradient, hatching, cross-hatching, \
    stippling, halftone, texture, solid black areas, filled areas, sketch lines, broken lines, open outlines, blurry \
    lines, photo, realistic, 3d render, paper texture, background tone, text, letters, numbers, caption, logo, \
    watermark, signature, frame, border, page edge";

const LINES: &str = "Style: line art to be colored in. Only clean, continuous, solid black outlines on a pure white \
    background. Every shape is closed, so that it can be filled with one color. No shading, no shadows, no gray, no \
    color, no hatching, no textures, and no areas filled with black, not even pupils or hair. No text, letters, \
    numbers, signature or watermark anywhere. No frame around the picture: it fills the page, and nothing important is \
    cut off at the edges.";

/// Returns the prompt for an image model.
pub fn prompt(request: &DrawRequest) -> String {
    let style = format!("{LINES} {}", audience(request.audience));
    let mut paragraphs = vec![
        subject(request),
        characters(request),
        references(request),
        source(request),
        style,
    ];
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}

/// Returns the pictures to send with the prompt, in the order in which the prompt mentions them: references of
/// characters, then the customer's picture.
pub fn reference_images(request: &DrawRequest) -> Vec<&Media> {
    with_reference(request)
        .map(|(_, media)| media)
        .chain(&request.source)
        .collect()
}

fn with_reference(request: &DrawRequest) -> impl Iterator<Item = (&Character, &Media)> {
    let characters = request.characters.iter();
    characters.filter_map(|character| character.reference.as_ref().map(|media| (character, media)))
}

fn subject(request: &DrawRequest) -> String {
    let prompt = sentence(&request.prompt);
    match request.purpose {
        Purpose::Page => format!("Draw a page of a coloring book: {prompt}"),
        Purpose::Cover => format!(
            "Draw the picture for the front cover of a coloring book: {prompt} One clear, inviting scene with its main \
             subject large in the middle. Keep the top of the picture calm: the title is printed there later, so do \
             not write it."
        ),
        Purpose::Character => {
            let about = request.characters.first().map(description).unwrap_or_default();
            let parts = [about, prompt].into_iter().filter(|part| !part.is_empty());
            format!(
                "Draw a character of a coloring book, as a model for the pages on which it appears: {} The whole \
                 figure from head to feet, standing, seen from the front, alone on an empty background, drawn once.",
                parts.collect::<Vec<_>>().join(" ")
            )
        }
    }
}

/// The paragraph that describes the characters of a page or cover.
fn characters(request: &DrawRequest) -> String {
    if request.characters.is_empty() || request.purpose == Purpose::Character {
        return String::new();
    }
    let list: Vec<_> = request.characters.iter().map(description).collect();
    format!(
        "The characters in it, the most important first; draw each exactly once and give each every feature that is \
         named here:\n- {}",
        list.join("\n- ")
    )
}

fn description(character: &Character) -> String {
    let mut text = format!("{}: {}", character.name.trim(), sentence(&character.description));
    let style = character.style.trim();
    if !style.is_empty() {
        text = format!("{text} Drawn in this manner: {}", sentence(style));
    }
    text
}

fn references(request: &DrawRequest) -> String {
    let names: Vec<_> = with_reference(request)
        .map(|(character, _)| character.name.trim())
        .collect();
    match names[..] {
        [] => String::new(),
        [name] => format!(
            "The attached picture shows {name}. Keep the same face, proportions, hair, clothes and markings, but give \
             {name} the pose and place that the page needs, in the style below."
        ),
        _ => format!(
            "The attached pictures show, in this order: {}. Keep the same faces, proportions, hair, clothes and \
             markings, but give each the pose and place that the page needs, in the style below.",
            names.join(", ")
        ),
    }
}

/// The paragraph about the customer's picture that the page is to be drawn from.
fn source(request: &DrawRequest) -> String {
    let which = match (&request.source, with_reference(request).next()) {
        (None, _) => return String::new(),
        (Some(_), None) => "The attached picture",
        (Some(_), Some(_)) => "The last attached picture",
    };
    format!(
        "{which} is the customer's own. Draw what it shows as this page: keep who and what is in it, how they look and \
         where they stand, and leave out what is small and out of focus behind them."
    )
}

fn audience(audience: Audience) -> &'static str {
    match audience {
        Audience::Toddler => {
            "For toddlers: very thick lines, one or two big simple shapes, hardly any detail, no small areas, an empty \
             or very plain background."
        }
        Audience::Child => {
            "For children of four to nine: thick lines, a clear main subject with large areas to color, some simple \
             details and a simple background."
        }
        Audience::Teen => {
            "For teenagers: medium lines, a composed scene with many details, areas of different sizes and a full \
             background."
        }
        Audience::Adult => {
            "For adults: fine lines, a rich and intricate scene with ornaments and patterns, many small areas, all of \
             them still closed and large enough for a pencil."
        }
    }
}

/// Appends a full stop to a text, unless it already ends like a sentence.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', '…', '。']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::draw_request;

    fn request(purpose: Purpose, references: u8) -> DrawRequest {
        DrawRequest {
            purpose,
            ..draw_request(references)
        }
    }

    #[test]
    fn the_customers_picture_is_last_and_distinguished_from_the_characters() {
        let source = || {
            Some(Media {
                media_type: "image/jpeg".to_owned(),
                bytes: vec![0xFF, 0xD8],
            })
        };
        for (references, words) in [
            (0, "The attached picture is the customer's"),
            (2, "The last attached picture is"),
        ] {
            let request = DrawRequest {
                source: source(),
                ..request(Purpose::Page, references)
            };
            assert!(prompt(&request).contains(words), "{}", prompt(&request));
            let last = reference_images(&request).pop().map(|media| media.media_type.as_str());
            assert_eq!(last, Some("image/jpeg"));
        }
        assert!(!prompt(&request(Purpose::Page, 2)).contains("customer's"));
    }

    #[test]
    fn the_prompt_of_a_page_contains_its_style_and_audience() {
        let prompt = prompt(&request(Purpose::Page, 0));
        let beginning = "Draw a page of a coloring book: A fox finds a key in the snow.\n\nStyle:";
        assert!(prompt.starts_with(beginning), "{prompt}");
        assert!(prompt.contains("pure white") && prompt.contains("No text") && prompt.contains("children"));
        assert!(!prompt.contains("attached") && !prompt.contains("The key"));
    }

    #[test]
    fn characters_are_described_and_their_references_listed_in_order() {
        let mut request = request(Purpose::Page, 3);
        request.characters[1].reference = None;
        let text = prompt(&request);
        assert!(text.contains("- Fox 1: a small fox with a bell.\n- Fox 2: "), "{text}");
        assert!(text.contains("in this order: Fox 1, Fox 3."), "{text}");
        let last_bytes: Vec<_> = reference_images(&request)
            .iter()
            .map(|media| media.bytes.last().copied())
            .collect();
        assert_eq!(last_bytes, [Some(1), Some(3)]);
    }

    #[test]
    fn a_character_is_drawn_alone_and_a_cover_without_its_title() {
        let character = prompt(&request(Purpose::Character, 1));
        assert!(
            character.contains("Fox 1: a small fox with a bell. A fox finds"),
            "{character}"
        );
        assert!(character.contains("alone") && !character.contains("The characters in it"));
        assert!(prompt(&request(Purpose::Cover, 1)).contains("do not write it"));
    }
}
