//! The reading direction of a book, which decides on which side it is bound.
use crate::edition::Edition;

/// The reading direction of a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    LeftToRight,
    /// The direction of Hebrew and Arabic. The book is bound on the right, and its front is where other books have
    /// their back.
    RightToLeft,
}

impl Direction {
    /// Returns the direction of a language, given its BCP 47 tag. The script decides: the one in the tag, or the
    /// usual script of the language when the tag names none.
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

    /// Returns true when the printer binds books of this direction.
    ///
    /// KDP offers the page-turn direction as a setting of a paperback. Lulu binds only on the left.
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
    fn the_script_of_a_language_decides_its_direction() {
        for tag in ["he", "HE-IL", "ar", "fa-IR", "ur", "yi", "az-Arab", "ar-EG"] {
            assert_eq!(Direction::of_language(tag), Direction::RightToLeft, "{tag}");
        }
        for tag in ["en", "pa", "zh-Hant", "ja", "ar-Latn", "he-Latn-IL", "hi", ""] {
            assert_eq!(Direction::of_language(tag), Direction::LeftToRight, "{tag}");
        }
    }
}
