//! The drawing of a page, from the request to the PNG.

use linepress_plugin_sdk::v1::image::{DrawError, DrawRequest, Purpose};

use crate::brief::Brief;
use crate::canvas::{Gray, Picture};
use crate::edit::ignored;
use crate::measure::close_specks;
use crate::scene::Sheet;
use crate::setting::Ground;
use crate::{pattern, scene};

/// A finished page.
#[derive(Debug)]
pub struct Page {
    /// The page as an 8-bit gray PNG of exactly the requested size; a cover in color is an sRGB PNG with twice
    /// the width and height.
    pub png: Vec<u8>,
    /// A note to the customer about anything that the page does not show.
    pub note: Option<String>,
    /// The words that the page does not show, in the spelling of the prompt, or of the description of a character.
    pub unknown: Vec<String>,
}

pub fn draw(request: &DrawRequest) -> Result<Page, DrawError> {
    let brief = read(request)?;
    let sheet = sheet(&brief);
    let png = if brief.style.colored {
        in_color(&brief, &sheet)?.png()
    } else {
        paint(&brief, &sheet)?.png()
    };
    let png = png.map_err(|error| DrawError::Other(format!("the PNG could not be written: {error}")))?;
    let unshown = unshown(&brief);
    let absent = absent(&brief, &sheet);
    Ok(Page {
        png,
        note: note(
            &brief,
            &ignored(&brief.edits, &sheet.labels),
            &absent,
            &with_omitted(&unshown, &sheet, &absent),
        ),
        unknown: unknown(&brief).iter().cloned().chain(unshown).collect(),
    })
}

/// Reads the request. A pattern is drawn without the subjects that the customer's instruction removes.
fn read(request: &DrawRequest) -> Result<Brief, DrawError> {
    let mut brief = Brief::read(request)?;
    if !is_scene(&brief) {
        brief.remove_subjects();
    }
    Ok(brief)
}

/// Returns the contents of the picture.
fn sheet(brief: &Brief) -> Sheet {
    match brief.purpose {
        Purpose::Character => scene::portrait(brief),
        Purpose::Cover | Purpose::Page if is_scene(brief) => scene::draw(brief),
        Purpose::Cover => pattern::draw_in_color(brief),
        Purpose::Page => pattern::draw(brief),
    }
}

/// Returns true if the picture is a scene, and neither a pattern nor a character alone.
fn is_scene(brief: &Brief) -> bool {
    match brief.purpose {
        Purpose::Character => false,
        Purpose::Cover => !brief.style.colored || !(brief.wish.pattern || nothing_known(brief)),
        Purpose::Page => !wants_pattern(brief),
    }
}

/// Renders a cover in color, which covers its whole sheet.
fn in_color(brief: &Brief, sheet: &Sheet) -> Result<Picture, DrawError> {
    sheet
        .render_in_color(brief)
        .ok_or_else(|| DrawError::Other("the cover is too large to be rendered".to_string()))
}

/// Draws a page like [`draw`], but returns the image before encoding.
pub fn draw_gray(request: &DrawRequest) -> Result<Gray, DrawError> {
    let brief = read(request)?;
    paint(&brief, &sheet(&brief))
}

fn paint(brief: &Brief, sheet: &Sheet) -> Result<Gray, DrawError> {
    let mut image = sheet
        .render(brief, 1.0)
        .ok_or_else(|| DrawError::Other("the page is too large to be rendered".to_string()))?;
    // The area of a circle 0.4 mm wide: a gap between lines, too small to color.
    let speck = (brief.style.pen * brief.style.pen * 0.9).max(6.0) as usize;
    close_specks(&mut image, speck);
    Ok(image)
}

fn wants_pattern(brief: &Brief) -> bool {
    // A book for adults is mostly ornaments, with an occasional scene.
    let ornamental = brief.style.ornamental && !brief.seed.is_multiple_of(5);
    brief.wish.pattern || nothing_known(brief) || ornamental
}

fn nothing_known(brief: &Brief) -> bool {
    let wish = &brief.wish;
    let names_nothing = wish.subjects.is_empty() && wish.settings.is_empty() && brief.sketches.is_empty();
    names_nothing && brief.characters.is_empty()
}

/// Returns the words that no drawing is known for.
fn unknown(brief: &Brief) -> &[String] {
    match &brief.characters[..] {
        // The prompt is only the character's name; the subjects come from its description.
        [character] if brief.purpose == Purpose::Character => &character.unknown,
        _ => &brief.wish.unknown,
    }
}

/// Returns the words for actions, landmarks, places and features that the picture does not show.
fn unshown(brief: &Brief) -> Vec<String> {
    if brief.purpose == Purpose::Character {
        return brief.featureless.clone();
    }
    if !is_scene(brief) {
        return Vec::new();
    }
    let wish = &brief.wish;
    let place = scene::place(brief);
    let mut words: Vec<&String> = wish.unshown.iter().chain(&brief.undone).collect();
    if !matches!(place.ground, Ground::Seabed | Ground::OpenSea | Ground::Pond) {
        words.extend(&wish.swimming);
    }
    for (setting, word) in &wish.place_words {
        let is_meant = wish.settings.iter().any(|known| known.name == setting.name);
        let is_lost = setting.is_a_place(word) && !setting.is_part_of(&place) && !wish.shows(word);
        if is_meant && is_lost && !wish.unknown.contains(word) {
            words.push(word);
        }
    }
    words.extend(&brief.featureless);
    let mut found: Vec<String> = Vec::new();
    for word in words {
        if !found.contains(word) {
            found.push(word.clone());
        }
    }
    found
}

/// Returns the names of the characters that did not fit into the picture, or are too many for it.
fn absent(brief: &Brief, sheet: &Sheet) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in brief.characters.iter().map(|portrait| &portrait.name) {
        let is_absent = sheet.missing.contains(name) || sheet.omitted.contains(name);
        if is_absent && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Adds the subjects that did not fit into the picture, or are too many for it. The names of absent characters are not
/// among them.
fn with_omitted(unshown: &[String], sheet: &Sheet, absent: &[String]) -> Vec<String> {
    let mut words = unshown.to_vec();
    for label in sheet.missing.iter().chain(&sheet.omitted) {
        let is_shown = sheet.labels.contains(label) && !sheet.missing.contains(label);
        if !is_shown && !words.contains(label) && !absent.contains(label) {
            words.push(label.clone());
        }
    }
    words
}

/// Returns the note: the clauses of the instruction that the page does not follow, and what it does not show, with the
/// names of all absent characters.
fn note(brief: &Brief, ignored: &[String], absent: &[String], unshown: &[String]) -> Option<String> {
    const MAX_QUOTED_CLAUSES: usize = 2;
    const MAX_QUOTED_WORDS: usize = 3;
    let said = |what: &str, words: Vec<String>| (!words.is_empty()).then(|| format!("{what}: {}.", words.join(", ")));
    let not_done = said("Not done", quoted(ignored, MAX_QUOTED_CLAUSES));
    let mut not_shown = quoted(absent, absent.len());
    not_shown.extend(quoted(unshown, MAX_QUOTED_WORDS));
    let not_shown = said("Not shown", not_shown);
    let parts: Vec<String> = [not_done, undrawn(brief), not_shown].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Returns the first `most` words, each in quotation marks.
fn quoted(words: &[String], most: usize) -> Vec<String> {
    words.iter().take(most).map(|word| format!("\"{word}\"")).collect()
}

/// Returns the part of the note about subjects that have no drawing.
fn undrawn(brief: &Brief) -> Option<String> {
    let unknown = no_drawing_of(unknown(brief));
    if let ([character], Purpose::Character) = (&brief.characters[..], brief.purpose)
        && character.is_stand_in
    {
        let unknown = unknown
            .as_deref()
            .unwrap_or("The description names no animal or person that is known");
        return Some(format!("{unknown}: a {} stands in.", character.label));
    }
    if let (Some(unknown), [_, ..], Purpose::Page | Purpose::Cover) =
        (&unknown, brief.wish.spelled.as_slice(), brief.purpose)
    {
        let shown = if brief.wish.spelled.len() == 1 { "word" } else { "words" };
        return Some(format!("{unknown}: the page shows the {shown}."));
    }
    let pattern = nothing_known(brief) && !brief.wish.pattern;
    match (unknown, pattern) {
        (Some(unknown), true) if brief.purpose == Purpose::Page => Some(format!("{unknown}: the page is a pattern.")),
        (Some(unknown), _) => Some(format!("{unknown}.")),
        (None, true) if brief.purpose == Purpose::Page => {
            Some("The prompt names nothing that is known as a drawing: the page is a pattern.".to_string())
        }
        (None, _) => None,
    }
}

/// Returns a clause such as `No drawings of "zeppelin" and "harpsichord" are known`, with a limited number of words.
fn no_drawing_of(words: &[String]) -> Option<String> {
    const MAX_QUOTED_WORDS: usize = 4;
    match quoted(words, MAX_QUOTED_WORDS).as_slice() {
        [] => None,
        [word] => Some(format!("No drawing of {word} is known")),
        [before @ .., last] => Some(format!("No drawings of {} and {last} are known", before.join(", "))),
    }
}
