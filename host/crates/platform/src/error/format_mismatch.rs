//! The reasons why a book cannot be printed as requested.
use linepress_printers::{Edition, Part, Unprintable};

use crate::field::Field;

/// The reason why a book cannot be printed in a format. Aspects and formats are given by name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatMismatch {
    #[error("This server has no print format for {aspect} books.")]
    NoFormat { aspect: &'static str },
    /// The layout plugin declines the combination.
    #[error("{format} cannot print this book as it is. This server prints: {}.", known.join(", "))]
    Declined { format: String, known: Vec<String> },
    #[error(
        "{format} is for {format_aspect} books and this one is {book_aspect}. It can be printed as: {}.", known.join(", ")
    )]
    OtherAspect {
        format: String,
        format_aspect: &'static str,
        book_aspect: &'static str,
        known: Vec<String>,
    },
    /// `fitting` lists the formats in which the printer accepts this book.
    #[error("{reason}. {}", other_formats(reason, fitting))]
    Unprintable { reason: Unprintable, fitting: Vec<String> },
    #[error("{0}")]
    MissingCharacters(MissingCharacters),
    #[error("The cover is printed from its drawing, and this book has none. Draw or upload a cover first.")]
    NoCoverDrawing,
    #[error("The layout of {format} has no wraparound cover. Choose another format.")]
    NoWraparound { format: String },
    #[error("{printer} binds books on the left, and this one is read from right to left.")]
    ReadFromRight { printer: &'static str },
    #[error("A printer at home prints no wraparound cover.")]
    NoCoverAtHome,
    #[error("{printer} takes a book as two files.")]
    TwoFiles { printer: &'static str },
}

impl FormatMismatch {
    /// The option that the client has to change.
    pub(super) fn field(&self) -> Field {
        match self {
            Self::NoFormat { .. } | Self::Declined { .. } | Self::OtherAspect { .. } | Self::NoWraparound { .. } => {
                Field::format()
            }
            Self::Unprintable { fitting, .. } if !fitting.is_empty() => Field::format(),
            Self::Unprintable { .. } | Self::ReadFromRight { .. } => Field::edition(),
            Self::MissingCharacters(_) => Field::language(),
            Self::NoCoverDrawing | Self::NoCoverAtHome | Self::TwoFiles { .. } => Field::part(),
        }
    }

    /// The choices that print the book; `None` if the reason names what to do.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::ReadFromRight { .. } => Some(Remedy::Editions([Edition::Kdp, Edition::Home])),
            Self::NoCoverAtHome => Some(Remedy::Editions([Edition::Kdp, Edition::Lulu])),
            Self::TwoFiles { .. } => Some(Remedy::Parts([Part::Interior, Part::Cover])),
            Self::NoFormat { .. }
            | Self::Declined { .. }
            | Self::OtherAspect { .. }
            | Self::Unprintable { .. }
            | Self::MissingCharacters(_)
            | Self::NoCoverDrawing
            | Self::NoWraparound { .. } => None,
        }
    }
}

/// The choices that print a book. Each interface words them as its own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// One of these editions.
    Editions([Edition; 2]),
    /// All of these parts, each as a file.
    Parts([Part; 2]),
}

/// Characters of a book that no font of this server has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "No font of this server has the characters {}. Change the texts that contain them, or {}.",
    self.listed(),
    self.font_advice()
)]
pub struct MissingCharacters {
    pub characters: Vec<char>,
    /// The texts of the book that contain them.
    pub texts: Vec<UnprintableText>,
}

impl MissingCharacters {
    /// The first characters as a comma-separated list, followed by the number of the others.
    pub fn listed(&self) -> String {
        list_characters(&self.characters)
    }

    /// What the operator can do, as the end of a sentence.
    pub fn font_advice(&self) -> String {
        let package = if self.characters.iter().copied().any(is_east_asian) {
            "fonts-noto-cjk"
        } else {
            "fonts-noto-core"
        };
        format!("have the operator install a font with them, such as those of Debian's package {package}")
    }
}

fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}

/// A text of a book with characters that no font of this server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnprintableText {
    /// The place of the text in the book.
    pub field: Field,
    /// The characters of this text without a font.
    pub characters: Vec<char>,
}

impl UnprintableText {
    /// The first characters as a comma-separated list, followed by the number of the others.
    pub fn listed(&self) -> String {
        list_characters(&self.characters)
    }
}

fn other_formats(reason: &Unprintable, fitting: &[String]) -> String {
    let printer = reason.edition().name();
    if fitting.is_empty() {
        return format!("{printer} accepts this book in none of this server's formats.");
    }
    format!("{printer} accepts this book as: {}.", fitting.join(", "))
}

/// The first characters as a comma-separated list, followed by the number of the others.
fn list_characters(characters: &[char]) -> String {
    const MAX_LISTED: usize = 20;
    let mut listed: Vec<String> = characters.iter().take(MAX_LISTED).map(char::to_string).collect();
    if characters.len() > MAX_LISTED {
        listed.push(format!("and {} more", characters.len() - MAX_LISTED));
    }
    listed.join(", ")
}
