//! The look of drawings, where it differs from what the audience needs.
use serde::{Deserialize, Serialize};

use crate::Audience;

crate::text_enum! {
    /// Line thickness; `usual` suits the audience.
    #[derive(Default)]
    pub enum LineWeight {
        #[default]
        Usual = "usual",
        Thin = "thin",
        Medium = "medium",
        Bold = "bold",
    }
}

crate::text_enum! {
    /// Amount to color; `usual` suits the audience.
    #[derive(Default)]
    pub enum DetailLevel {
        #[default]
        Usual = "usual",
        /// A few large shapes.
        Simple = "simple",
        /// Some details.
        Medium = "medium",
        /// Many small shapes.
        Detailed = "detailed",
    }
}

crate::text_enum! {
    /// The frame around pages.
    #[derive(Default)]
    pub enum FrameStyle {
        /// The provider's own: the same on all pages of a book and of its series, if it draws frames.
        #[default]
        Usual = "usual",
        /// No frame.
        None = "none",
        /// A single line.
        Plain = "plain",
        /// Rounded corners.
        Rounded = "rounded",
        /// Two lines.
        Doubled = "doubled",
        /// Square notches at the corners.
        Notched = "notched",
        /// Corners that curve inwards.
        Scooped = "scooped",
        /// An edge of small waves.
        Scalloped = "scalloped",
        /// A band of beads.
        Beaded = "beaded",
        /// A band of stitches.
        Stitched = "stitched",
    }
}

/// How drawings are to look. The default is what the audience needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    pub line_weight: LineWeight,
    pub detail: DetailLevel,
    /// A style in words; may be empty.
    pub style: String,
    pub frame: FrameStyle,
}

impl Look {
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The look of the cover of a book with this look. Covers have no frame to choose.
    pub fn of_cover(self) -> Self {
        Self {
            frame: FrameStyle::Usual,
            ..self
        }
    }

    /// The audience by whose limits a drawing for `audience` is judged: a customer who asks for finer or bolder lines,
    /// or for more detail, does not want them corrected.
    pub fn judged_as(&self, audience: Audience) -> Audience {
        match (self.line_weight, self.detail, audience) {
            (LineWeight::Thin | LineWeight::Bold, _, _) | (_, DetailLevel::Detailed, _) => Audience::Adult,
            (_, DetailLevel::Medium, Audience::Toddler) => Audience::Child,
            (_, _, audience) => audience,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_has_the_look_of_its_book_without_the_frame() {
        let look = Look {
            line_weight: LineWeight::Bold,
            frame: FrameStyle::None,
            ..Look::default()
        };
        let cover = Look {
            line_weight: LineWeight::Bold,
            ..Look::default()
        };
        assert_eq!(look.of_cover(), cover);
    }

    #[test]
    fn a_look_that_was_stored_before_there_were_frames_is_readable() {
        let stored: Look = serde_json::from_str(r#"{"line_weight": "bold", "detail": "usual", "style": ""}"#).unwrap();
        assert_eq!(stored.frame, FrameStyle::Usual);
    }

    #[test]
    fn only_what_deviates_from_the_audience_is_judged_by_other_limits() {
        let look = |line_weight, detail| Look {
            line_weight,
            detail,
            style: "Woodcut".into(),
            frame: FrameStyle::Beaded,
        };
        for (look, toddler, teen) in [
            (Look::default(), Audience::Toddler, Audience::Teen),
            (
                look(LineWeight::Medium, DetailLevel::Simple),
                Audience::Toddler,
                Audience::Teen,
            ),
            (
                look(LineWeight::Usual, DetailLevel::Medium),
                Audience::Child,
                Audience::Teen,
            ),
            (
                look(LineWeight::Thin, DetailLevel::Usual),
                Audience::Adult,
                Audience::Adult,
            ),
            (
                look(LineWeight::Usual, DetailLevel::Detailed),
                Audience::Adult,
                Audience::Adult,
            ),
        ] {
            assert_eq!(look.judged_as(Audience::Toddler), toddler, "{look:?}");
            assert_eq!(look.judged_as(Audience::Teen), teen, "{look:?}");
        }
    }
}
