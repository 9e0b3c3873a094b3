//! The look of drawings: what books and pages store of it, and how requests change it.
use linepress_model::{DetailLevel, FrameStyle, LineWeight, Look};
use linepress_platform::text::DrawingStyle;

/// The parts of a look that a request names. The others remain as they are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LookChange<'a> {
    pub line_weight: Option<LineWeight>,
    pub detail: Option<DetailLevel>,
    pub style: Option<&'a DrawingStyle>,
    pub frame: Option<FrameStyle>,
}

impl LookChange<'_> {
    /// The look after the change.
    pub(crate) fn over(self, present: &Look) -> Look {
        Look {
            line_weight: self.line_weight.unwrap_or(present.line_weight),
            detail: self.detail.unwrap_or(present.detail),
            style: self
                .style
                .map_or_else(|| present.style.clone(), |style| style.to_string()),
            frame: self.frame.unwrap_or(present.frame),
        }
    }
}

/// The columns of a look.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct LookColumns {
    #[sqlx(try_from = "String")]
    line_weight: LineWeight,
    #[sqlx(try_from = "String")]
    detail: DetailLevel,
    style: String,
    #[sqlx(try_from = "String")]
    frame: FrameStyle,
}

impl From<LookColumns> for Look {
    fn from(columns: LookColumns) -> Self {
        let LookColumns {
            line_weight,
            detail,
            style,
            frame,
        } = columns;
        Self {
            line_weight,
            detail,
            style,
            frame,
        }
    }
}

/// A look in words, for providers that know it only from the prompt; empty if all of it is usual.
pub(crate) fn in_words(look: &Look) -> String {
    let lines = match look.line_weight {
        LineWeight::Usual => None,
        LineWeight::Thin => Some("Thin lines."),
        LineWeight::Medium => Some("Lines of medium thickness."),
        LineWeight::Bold => Some("Bold, thick lines."),
    };
    let shapes = match look.detail {
        DetailLevel::Usual => None,
        DetailLevel::Simple => Some("Few, large shapes."),
        DetailLevel::Medium => Some("A moderate number of shapes."),
        DetailLevel::Detailed => Some("Many small shapes and much detail."),
    };
    let style = (!look.style.is_empty()).then(|| format!("Style: {}", look.style));
    let others = [lines, shapes, frame_in_words(look.frame)];
    let others = others.into_iter().flatten().map(str::to_owned);
    others.chain(style).collect::<Vec<_>>().join(" ")
}

fn frame_in_words(frame: FrameStyle) -> Option<&'static str> {
    Some(match frame {
        FrameStyle::Usual => return None,
        FrameStyle::None => "No frame around the picture.",
        FrameStyle::Plain => "A plain frame around the picture.",
        FrameStyle::Rounded => "A frame with rounded corners around the picture.",
        FrameStyle::Doubled => "A frame of two lines around the picture.",
        FrameStyle::Notched => "A frame with notched corners around the picture.",
        FrameStyle::Scooped => "A frame with corners that curve inwards around the picture.",
        FrameStyle::Scalloped => "A scalloped frame around the picture.",
        FrameStyle::Beaded => "A frame of beads around the picture.",
        FrameStyle::Stitched => "A frame of stitches around the picture.",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_replaces_what_it_names() {
        let present = Look {
            line_weight: LineWeight::Bold,
            detail: DetailLevel::Simple,
            style: "Woodcut".into(),
            frame: FrameStyle::Beaded,
        };
        assert_eq!(LookChange::default().over(&present), present);
        let change = LookChange {
            line_weight: Some(LineWeight::Usual),
            style: Some(&"".into()),
            frame: Some(FrameStyle::None),
            ..LookChange::default()
        };
        let after = Look {
            line_weight: LineWeight::Usual,
            style: String::new(),
            frame: FrameStyle::None,
            ..present
        };
        assert_eq!(change.over(&present), after);
    }

    #[test]
    fn only_what_is_not_usual_is_put_into_words() {
        assert_eq!(in_words(&Look::default()), "");
        let look = Look {
            line_weight: LineWeight::Thin,
            detail: DetailLevel::Usual,
            style: "woodcut".into(),
            frame: FrameStyle::Usual,
        };
        assert_eq!(in_words(&look), "Thin lines. Style: woodcut");
        let frameless = Look {
            frame: FrameStyle::None,
            ..look
        };
        assert_eq!(
            in_words(&frameless),
            "Thin lines. No frame around the picture. Style: woodcut"
        );
    }
}
