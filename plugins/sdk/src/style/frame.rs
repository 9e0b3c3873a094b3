//! The frame around a page, where a customer asks for one.
use super::extra;
use crate::image::DrawRequest;

const NO_FRAME: &str = "No frame around the picture: it fills the page, and nothing important is cut off at the edges.";

/// The frame that a customer asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameStyle {
    /// No frame.
    None,
    Plain,
    Rounded,
    Doubled,
    Notched,
    Scooped,
    Scalloped,
    Beaded,
    Stitched,
}

/// Returns the frame that the customer asked for. Without a wish, the provider chooses whether a page has one.
pub fn frame(request: &DrawRequest) -> Option<FrameStyle> {
    Some(match extra(request, "frame")? {
        "none" => FrameStyle::None,
        "plain" => FrameStyle::Plain,
        "rounded" => FrameStyle::Rounded,
        "doubled" => FrameStyle::Doubled,
        "notched" => FrameStyle::Notched,
        "scooped" => FrameStyle::Scooped,
        "scalloped" => FrameStyle::Scalloped,
        "beaded" => FrameStyle::Beaded,
        "stitched" => FrameStyle::Stitched,
        _ => return None,
    })
}

/// The sentence about the frame around the picture.
pub(super) fn sentence(request: &DrawRequest) -> String {
    line(request).map_or_else(
        || NO_FRAME.to_owned(),
        |line| {
            format!(
                "A frame surrounds the picture near the edges of the page: {line}. Outside it, the page is white, and \
                 nothing important is cut off at the frame."
            )
        },
    )
}

/// Returns true if the customer asked for a frame.
pub(super) fn has_line(request: &DrawRequest) -> bool {
    line(request).is_some()
}

/// The line of the frame that the customer asked for. `None` without a frame.
fn line(request: &DrawRequest) -> Option<&'static str> {
    Some(match frame(request)? {
        FrameStyle::None => return None,
        FrameStyle::Plain => "a single straight line on each side",
        FrameStyle::Rounded => "a single line with rounded corners",
        FrameStyle::Doubled => "two parallel lines",
        FrameStyle::Notched => "a single line with square notches at the corners",
        FrameStyle::Scooped => "a single line with corners that curve inwards",
        FrameStyle::Scalloped => "a single line of small waves",
        FrameStyle::Beaded => "a row of round beads between two lines",
        FrameStyle::Stitched => "a row of stitches between two lines",
    })
}

#[cfg(test)]
mod tests {
    use crate::image::{DrawRequest, Purpose};
    use crate::style::{negative, prompt};
    use crate::testing::draw_request;

    #[test]
    fn a_page_has_a_frame_only_on_request() {
        let framed = |frame: &str| DrawRequest {
            extra: vec![("frame".to_owned(), frame.to_owned())],
            purpose: Purpose::Page,
            ..draw_request(0)
        };
        let usual = framed("");
        assert!(prompt(&usual).contains("watermark anywhere. No frame around the picture: it fills"));
        for frame in ["none", "dotted"] {
            assert_eq!(prompt(&framed(frame)), prompt(&usual), "{frame}");
            assert!(negative(&framed(frame)).ends_with("signature, frame, border, page edge"));
        }
        let beaded = framed("beaded");
        let text = prompt(&beaded);
        assert!(
            text.contains("a row of round beads between two lines. Outside"),
            "{text}"
        );
        assert!(!text.contains("No frame"), "{text}");
        assert!(negative(&beaded).ends_with("watermark, signature"));
    }
}
