//! The direction that a book is read in, which decides the side it is bound on.
use crate::edition::Edition;

/// The direction of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    LeftToRight,
    /// As Hebrew and Arabic: the book is bound on the right, and its front lies where others have their back.
    RightToLeft,
}

impl Direction {
    /// The direction of a language, by its BCP 47 tag: of the script that the tag names, or that the language is usually
    /// written in.
    pub fn of_language(tag: &str) -> Self {
        let tag = tag.to_ascii_lowercase();
        let mut subtags = tag.split('-');
        let language = subtags.next().unwrap_or_default();
        let is_from_right =
            match subtags.find(|subtag| subtag.len() == 4 && subtag.bytes().all(|byte| byte.is_ascii_lowercase())) {
                Some(script) => ["arab", "aran", "hebr", "syrc", "thaa", "nkoo", "rohg", "adlm"].contains(&script),
                None => [
                    "ar", "arc", "ckb", "dv", "fa", "he", "iw", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
                ]
                .contains(&language),
            };
        if is_from_right {
            Self::RightToLeft
        } else {
            Self::LeftToRight
        }
    }

    /// Whether the printer binds such books.
    ///
    /// KDP has the page-turn direction as a setting of a paperback; Lulu binds on the left alone.
    pub fn is_bound_by(self, edition: Edition) -> bool {
        match self {
            Self::LeftToRight => true,
            Self::RightToLeft => edition != Edition::Lulu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_read_as_its_script_is() {
        for tag in ["he", "HE-IL", "ar", "fa-IR", "ur", "yi", "az-Arab", "ar-EG"] {
            assert_eq!(Direction::of_language(tag), Direction::RightToLeft, "{tag}");
        }
        for tag in ["en", "pa", "zh-Hant", "ja", "ar-Latn", "he-Latn-IL", "hi", ""] {
            assert_eq!(Direction::of_language(tag), Direction::LeftToRight, "{tag}");
        }
    }
}
