//! A parsed request: the subjects to draw, the audience, the size and the seed.

use linepress_plugin_sdk::v1::image::{Coloring, DrawError, DrawRequest, FrameStyle, Purpose};

use crate::change::Change;
use crate::characters::{Portrait, mixed_seed};
use crate::edit::{Edit, Kind};
use crate::figure::sketch::Sketch;
use crate::figure::traits::Trait;
use crate::player::shows;
use crate::style::Style;
use crate::words::{ADULTS, Wish};

/// The maximum side of a page, in pixels. Larger pages would exceed the memory of a plugin.
const MAX_SIDE_PIXELS: u32 = 4096;
/// The minimum side of a page, in pixels. Smaller pages cannot hold a drawing.
const MIN_SIDE_PIXELS: u32 = 64;

/// Distinguishes the seed of the people of a book from that of its frame.
const CAST: &str = "cast";

/// People who are often together. Neighbors in this list wear different clothes.
const RELATIVES: &[&str] = &["woman", "man", "girl", "boy", "child", "baby"];

/// Returns the place of a person in a list of people whose neighbors look different.
fn position(label: &str, copy: usize) -> u64 {
    let known = RELATIVES.iter().position(|known| *known == label);
    // Only the labels of other people may fall together.
    let place = known.map_or_else(|| mixed_seed(0, label) % 64, |place| place as u64);
    place + 5 * copy as u64
}

#[derive(Debug)]
pub struct Brief {
    pub purpose: Purpose,
    pub width: u32,
    pub height: u32,
    pub style: Style,
    /// The frame of a page that the customer asked for.
    pub frame: Option<FrameStyle>,
    /// The seed of what all pages of a book and of its series have in common.
    pub book_seed: Option<u64>,
    pub wish: Wish,
    pub characters: Vec<Portrait>,
    pub seed: u64,
    /// The seed of the appearance of people without a name, who look the same on all pages of a book.
    cast_seed: u64,
    /// The clauses of the customer's instruction that change a composed picture.
    pub edits: Vec<Edit>,
    /// Postures and motions of the prompt that the page does not show.
    pub undone: Vec<String>,
    /// The words for features of the subjects and characters that the picture does not show.
    pub featureless: Vec<String>,
    /// Subjects of a cover in color that are not in the catalog.
    pub sketches: Vec<Sketch>,
}

impl Brief {
    pub fn read(request: &DrawRequest) -> Result<Self, DrawError> {
        let (width, height) = (request.size.width, request.size.height);
        let allowed = MIN_SIDE_PIXELS..=MAX_SIDE_PIXELS;
        if !allowed.contains(&width) || !allowed.contains(&height) {
            return Err(DrawError::Invalid(format!(
                "cannot draw {width}x{height}: sides are {MIN_SIDE_PIXELS} to {MAX_SIDE_PIXELS} pixels"
            )));
        }
        if width.max(height) > width.min(height) * 4 {
            return Err(DrawError::Invalid(format!(
                "cannot draw {width}x{height}: the longer side is more than 4 times the shorter"
            )));
        }
        let colored = request.purpose == Purpose::Cover && request.coloring == Coloring::Color;
        // Colors are printed without a threshold, so their edges need the pixels that line art gains by enlarging.
        let fineness = if colored && width.max(height) * 2 <= MAX_SIDE_PIXELS {
            2
        } else {
            1
        };
        let (width, height) = (width * fineness, height * fineness);
        let mut style = Style::for_request(request, width, height);
        if colored {
            style = style.in_color();
        }
        let names: Vec<&str> = request
            .characters
            .iter()
            .map(|character| character.name.as_str())
            .collect();
        let change = Change::of(request);
        let prompt = change.prompt(request);
        let mut wish = Wish::within(&prompt, &names, &request.title);
        if wish.subjects.is_empty() && !wish.pattern {
            let title = Wish::about(&request.title, &names);
            wish.subjects = title.subjects;
            if wish.settings.is_empty() {
                wish.settings = title.settings;
            }
        }
        if colored && wish.subjects.is_empty() && names.is_empty() && !wish.pattern {
            wish.add_stars(&prompt);
        }
        if colored && names.is_empty() {
            wish.name_helpers(&prompt);
        }
        let is_scene = colored && !wish.pattern;
        if is_scene && names.is_empty() {
            wish.take_gear();
        }
        let sketches = if is_scene { wish.take_sketches() } else { Vec::new() };
        let mut characters: Vec<Portrait> = request
            .characters
            .iter()
            .map(|character| Portrait::for_character(character, &style))
            .collect();
        let known: Vec<(&str, &Portrait)> = names.into_iter().zip(&characters).collect();
        let edits = change.apply(&mut wish, &known);
        // The prompt often repeats the species of a character: "Pip the fox" must not become two foxes.
        wish.subjects.retain(|subject| {
            let same = characters
                .iter()
                .position(|portrait| portrait.label == subject.label && subject.count == 1);
            if let Some(index) = same {
                wish.named[index].extend(&subject.has);
            }
            same.is_none()
        });
        let labels: Vec<&str> = characters.iter().map(|portrait| portrait.label.as_str()).collect();
        let undone = wish.drop_impossible_postures(&labels);
        for (portrait, possessions) in characters.iter_mut().zip(&wish.named) {
            portrait.take(possessions, &style, request.seed);
        }
        let of_subjects = wish.subjects.iter().flat_map(|subject| {
            let features = subject.has.features.iter();
            let unshown = features.filter(|named| !shows(&subject.label, named.feature));
            unshown.map(|named| named.words.clone())
        });
        let of_characters = characters.iter().flat_map(|portrait| portrait.unshown.iter().cloned());
        let featureless = of_subjects.chain(of_characters).collect();
        if style.colored {
            // The title on the cover is all that is to be read there.
            wish.spelled.clear();
        }
        // A change keeps the composition of the picture as it is now.
        let seed = mixed_seed(request.seed, Change::present(request));
        Ok(Self {
            purpose: request.purpose,
            width,
            height,
            style,
            frame: request.look.frame,
            book_seed: request.book_seed,
            wish,
            characters,
            seed,
            cast_seed: request.book_seed.map_or(seed, |seed| mixed_seed(seed, CAST)),
            edits,
            undone,
            featureless,
            sketches,
        })
    }

    /// Returns the number that chooses the appearance of a person without a name: of the first with its label, or of
    /// another.
    pub fn number_of(&self, label: &str, copy: usize) -> u64 {
        (self.cast_seed >> 7).wrapping_add(position(label, copy))
    }

    /// Returns the number of the skin of such a person on a cover in color. The members of a family have the same skin.
    pub fn skin_of(&self, label: &str, copy: usize) -> u64 {
        let position = if self.is_family() { 0 } else { position(label, copy) };
        self.cast_seed.wrapping_add(2 * position)
    }

    /// Returns true if the subjects are adults and children.
    pub fn is_family(&self) -> bool {
        let any = |labels: &[&str]| {
            let mut subjects = self.wish.subjects.iter();
            subjects.any(|subject| labels.contains(&subject.label.as_str()))
        };
        any(ADULTS) && any(&["girl", "boy", "child", "baby"])
    }

    /// Returns true if a subject is dressed as a pirate.
    pub fn has_pirates(&self) -> bool {
        let is_pirate = |worn: &[Trait]| worn.contains(&Trait::PirateHat);
        let subjects = &self.wish.subjects;
        subjects
            .iter()
            .any(|subject| is_pirate(&subject.has.worn) || is_pirate(&subject.usual.worn))
            || self.characters.iter().any(|character| is_pirate(character.worn()))
    }

    /// Removes from the wish the subjects that the instruction removes, for a pattern, which has no separate things.
    pub fn remove_subjects(&mut self) {
        for edit in self.edits.iter_mut().filter(|edit| edit.kind == Kind::Remove) {
            let before = self.wish.subjects.len();
            self.wish.subjects.retain(|subject| !edit.is_about(&subject.label));
            edit.is_done |= self.wish.subjects.len() < before;
        }
    }
}
