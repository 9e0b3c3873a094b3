//! Prompts that describe the content and the style of a coloring page to an image model. All providers that use a model
//! share these prompts, so that pages of different providers look alike.

mod frame;

pub use frame::{FrameStyle, frame};

use crate::image::{Audience, Character, DrawRequest, Media, Purpose};

/// The negative prompt for line art, for models that take one: a list of things that must not be in the picture.
const NEGATIVE: &str = "color, colors, gray, grayscale, shading, shadows, gradient, hatching, cross-hatching, \
    stippling, halftone, texture, solid black areas, filled areas, sketch lines, broken lines, open outlines, blurry \
    lines, photo, realistic, 3d render, paper texture, background tone, text, letters, numbers, caption, logo, \
    watermark, signature, frame, border, page edge";

/// The end of the negative prompt that a page with a frame does not have.
const NEGATIVE_FRAME: &str = ", frame, border, page edge";

const LINES: &str = "Style: line art to be colored in. Only clean, continuous, solid black outlines on a pure white \
    background. Every shape is closed, so that it can be filled with one color. No shading, no shadows, no gray, no \
    color, no hatching, no textures, and no areas filled with black, not even pupils or hair. No text, letters, \
    numbers, signature or watermark anywhere.";

/// The negative prompt for a cover in color.
const NEGATIVE_IN_COLOR: &str = "black and white, uncolored areas, photo, realistic, 3d render, blurry, text, letters, \
    numbers, title, caption, logo, watermark, signature, frame, border, page edge, book mockup";

const COLORS: &str = "Style: a finished full-color book cover illustration with bold, clean black outlines and \
    saturated flat colors, a harmonious palette, and simple flat tones for light and shade, like the cover of a \
    coloring book in a shop window. Every area is colored, and the picture covers its whole area up to the edges, \
    without a frame or a white margin. No text, letters, numbers, signature or watermark anywhere. Nothing important \
    is near the edges.";

/// Returns true if the request is for a cover in color. Only a provider whose description announces it gets one.
pub fn is_in_color(request: &DrawRequest) -> bool {
    let asked = request
        .extra
        .iter()
        .any(|(name, value)| name == "color" && value == "1");
    asked && request.purpose == Purpose::Cover
}

/// Returns the negative prompt for a model that takes one.
pub fn negative(request: &DrawRequest) -> &'static str {
    if is_in_color(request) {
        NEGATIVE_IN_COLOR
    } else if frame::has_line(request) {
        NEGATIVE.strip_suffix(NEGATIVE_FRAME).unwrap_or(NEGATIVE)
    } else {
        NEGATIVE
    }
}

/// Returns the prompt for an image model. For an edit, the model gets the present picture and the instruction.
pub fn prompt(request: &DrawRequest) -> String {
    let style = if is_in_color(request) {
        COLORS.to_owned()
    } else {
        format!("{LINES} {} {}", frame::sentence(request), lines_and_shapes(request))
    };
    let style = match manner(request) {
        Some(manner) => format!("{style} {manner}"),
        None => style,
    };
    let mut paragraphs = match edit(request) {
        Some(instruction) => vec![
            change(request, instruction),
            characters(request),
            references(request),
            style,
        ],
        None => vec![
            subject(request),
            characters(request),
            references(request),
            source(request),
            style,
        ],
    };
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}

/// Returns the pictures to send with the prompt, in the order in which the prompt mentions them: the picture to change,
/// references of characters, then the customer's picture. A model that accepts a single picture therefore gets the one
/// to change.
pub fn reference_images(request: &DrawRequest) -> Vec<&Media> {
    let references = with_reference(request).map(|(_, media)| media);
    match edit(request) {
        Some(_) => request.source.iter().chain(references).collect(),
        None => references.chain(&request.source).collect(),
    }
}

/// Returns what to change in the picture that the request contains as its source. `None` if the request contains no
/// picture, or its picture is not to be changed.
pub fn edit(request: &DrawRequest) -> Option<&str> {
    request.source.as_ref().and(instruction(request))
}

/// Returns the change that the customer asked for. With a source, the source is to be changed; without one, the page is
/// to be drawn again with the change.
pub fn instruction(request: &DrawRequest) -> Option<&str> {
    extra(request, "instruction")
}

/// Returns the prompt without the instruction: that of the present picture if it is to be changed.
pub fn present_prompt(request: &DrawRequest) -> &str {
    extra(request, "present-prompt").unwrap_or(&request.prompt)
}

fn extra<'a>(request: &'a DrawRequest, wanted: &str) -> Option<&'a str> {
    let found = request.extra.iter().find(|(name, _)| name == wanted);
    found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

fn with_reference(request: &DrawRequest) -> impl Iterator<Item = (&Character, &Media)> {
    let characters = request.characters.iter();
    characters.filter_map(|character| character.reference.as_ref().map(|media| (character, media)))
}

/// The paragraph about the picture to change.
fn change(request: &DrawRequest, instruction: &str) -> String {
    let which = match with_reference(request).next() {
        None => "The attached picture",
        Some(_) => "The first attached picture",
    };
    format!(
        "{which} is a page of a coloring book as it is now. Change it as follows: {} Keep everything else as it is: the \
         same composition, the same things at the same places, the same lines. The page shows: {}",
        sentence(instruction),
        sentence(present_prompt(request))
    )
}

fn subject(request: &DrawRequest) -> String {
    let prompt = match instruction(request) {
        // Without the picture, the model draws the page again.
        Some(instruction) => format!(
            "{} With this change: {}",
            sentence(present_prompt(request)),
            sentence(instruction)
        ),
        None => sentence(&request.prompt),
    };
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
        _ if edit(request).is_some() => format!(
            "The other attached pictures show, in this order: {}. They must still look like that.",
            names.join(", ")
        ),
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

/// The paragraph about the customer's picture that the page or character is to be drawn from.
fn source(request: &DrawRequest) -> String {
    let which = match (&request.source, with_reference(request).next()) {
        (None, _) => return String::new(),
        (Some(_), None) => "The attached picture",
        (Some(_), Some(_)) => "The last attached picture",
    };
    if request.purpose == Purpose::Character {
        return format!(
            "{which} is the customer's own and shows this character. Keep the same face, proportions, hair or fur, \
             clothes and markings, and leave out everything around it."
        );
    }
    format!(
        "{which} is the customer's own. Draw what it shows as this page: keep who and what is in it, how they look and \
         where they stand, and leave out what is small and out of focus behind them."
    )
}

/// The sentence about the audience, its lines and its shapes, as far as the customer did not ask for others.
fn lines_and_shapes(request: &DrawRequest) -> String {
    let (who, mut lines, mut shapes) = match request.audience {
        Audience::Toddler => ("toddlers", "very thick lines", FEW_SHAPES),
        Audience::Child => ("children of four to nine", "thick lines", SOME_SHAPES),
        Audience::Teen => (
            "teenagers",
            "medium lines",
            "a composed scene with many details, areas of different sizes and a full background",
        ),
        Audience::Adult => ("adults", "fine lines", MANY_SHAPES),
    };
    lines = match line_weight(request) {
        None => lines,
        Some(LineWeight::Thin) => "thin, fine lines everywhere",
        Some(LineWeight::Medium) => "lines of medium thickness everywhere",
        Some(LineWeight::Bold) => "very thick, bold lines everywhere",
    };
    shapes = match detail(request) {
        None => shapes,
        Some(Detail::Simple) => FEW_SHAPES,
        Some(Detail::Medium) => SOME_SHAPES,
        Some(Detail::Detailed) => MANY_SHAPES,
    };
    format!("For {who}: {lines}, {shapes}.")
}

const FEW_SHAPES: &str =
    "one or two big simple shapes, hardly any detail, no small areas, an empty or very plain background";

const SOME_SHAPES: &str = "a clear main subject with large areas to color, some simple details and a simple background";

const MANY_SHAPES: &str = "a rich and intricate scene with ornaments and patterns, many small areas, all of them still \
    closed and large enough for a pencil";

/// The sentence about the style that the customer asked for.
fn manner(request: &DrawRequest) -> Option<String> {
    let wish = sentence(extra(request, "style")?);
    Some(if is_in_color(request) {
        format!("In this manner: {wish}")
    } else {
        format!("In this manner, as far as black outlines around white areas can show it: {wish}")
    })
}

/// The thickness of lines that a customer asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineWeight {
    Thin,
    Medium,
    Bold,
}

/// The amount of detail that a customer asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Simple,
    Medium,
    Detailed,
}

/// Returns the thickness of lines that the customer asked for. Without a wish, it follows from the audience.
pub fn line_weight(request: &DrawRequest) -> Option<LineWeight> {
    Some(match extra(request, "line-weight")? {
        "thin" => LineWeight::Thin,
        "medium" => LineWeight::Medium,
        "bold" => LineWeight::Bold,
        _ => return None,
    })
}

/// Returns the amount of detail that the customer asked for. Without a wish, it follows from the audience.
pub fn detail(request: &DrawRequest) -> Option<Detail> {
    Some(match extra(request, "detail")? {
        "simple" => Detail::Simple,
        "medium" => Detail::Medium,
        "detailed" => Detail::Detailed,
        _ => return None,
    })
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
    use crate::testing::{draw_request, refine_request};

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
    fn a_character_is_drawn_from_the_customers_picture_without_what_is_around_it() {
        let request = DrawRequest {
            source: Some(Media {
                media_type: "image/jpeg".to_owned(),
                bytes: vec![0xFF, 0xD8],
            }),
            ..request(Purpose::Character, 0)
        };
        let text = prompt(&request);
        let words = "The attached picture is the customer's own and shows this character. Keep the same face";
        assert!(text.contains(words) && text.contains("alone"), "{text}");
        assert!(!text.contains("where they stand"), "{text}");
    }

    #[test]
    fn a_picture_to_change_is_first_and_the_prompt_asks_to_keep_the_rest() {
        let edit = refine_request(0);
        let text = prompt(&edit);
        assert!(text.starts_with("The attached picture is a page"), "{text}");
        assert!(
            text.contains("as follows: Remove the key. Keep everything else"),
            "{text}"
        );
        assert!(
            text.contains("The page shows: A fox finds a key in the snow."),
            "{text}"
        );
        assert!(
            text.contains("pure white") && !text.contains("customer's own"),
            "{text}"
        );

        let edit = refine_request(2);
        let text = prompt(&edit);
        assert!(text.starts_with("The first attached picture"), "{text}");
        assert!(
            text.contains("The other attached pictures show, in this order: Fox 1, Fox 2."),
            "{text}"
        );
        let types: Vec<_> = reference_images(&edit)
            .iter()
            .map(|media| media.media_type.as_str())
            .collect();
        assert_eq!(types, ["image/jpeg", "image/png", "image/png"]);

        let again = prompt(&DrawRequest {
            source: None,
            ..refine_request(0)
        });
        let beginning = "Draw a page of a coloring book: A fox finds a key in the snow. With this change: Remove the \
                         key.\n\nStyle:";
        assert!(again.starts_with(beginning), "{again}");
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

    #[test]
    fn wishes_about_the_look_replace_what_the_audience_has() {
        let looking = |extra: &[(&str, &str)]| {
            let extra = extra
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            prompt(&DrawRequest {
                extra: extra.collect(),
                ..request(Purpose::Page, 0)
            })
        };
        let usual = looking(&[]);
        assert!(
            usual.contains("For children of four to nine: thick lines, a clear main subject"),
            "{usual}"
        );
        assert_eq!(
            looking(&[("line-weight", "huge"), ("detail", ""), ("style", " ")]),
            usual
        );
        let wished = looking(&[("line-weight", "thin"), ("detail", "detailed"), ("style", "Woodcut")]);
        assert!(
            wished.contains("For children of four to nine: thin, fine lines everywhere, a rich and intricate"),
            "{wished}"
        );
        assert!(wished.ends_with("can show it: Woodcut."), "{wished}");
        let simple = looking(&[("detail", "simple")]);
        assert!(simple.contains("nine: thick lines, one or two big"), "{simple}");
    }

    #[test]
    fn only_a_cover_is_described_in_color_and_only_on_request() {
        for (purpose, color, in_color) in [
            (Purpose::Cover, "1", true),
            (Purpose::Cover, "0", false),
            (Purpose::Page, "1", false),
        ] {
            let request = DrawRequest {
                extra: vec![("color".to_owned(), color.to_owned())],
                ..request(purpose, 0)
            };
            let text = prompt(&request);
            assert_eq!(text.contains("full-color"), in_color, "{text}");
            assert_eq!(text.contains("pure white"), !in_color, "{text}");
            assert_eq!(negative(&request).contains("grayscale"), !in_color);
        }
    }
}
