//! The part of a photograph that fills a page.

use crate::plane::Plane;

/// Maximum share of the photograph that is cut off on each side.
const MAX_CUT: f32 = 0.25;

/// A rectangle within a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

impl Part {
    pub(crate) fn whole(plane: &Plane) -> Self {
        Self {
            left: 0.0,
            top: 0.0,
            width: plane.width as f32,
            height: plane.height as f32,
        }
    }

    /// The part of a picture that is never cut off.
    pub(crate) fn center(width: f32, height: f32) -> Self {
        Self {
            left: width * MAX_CUT,
            top: height * MAX_CUT,
            width: width * (1.0 - 2.0 * MAX_CUT),
            height: height * (1.0 - 2.0 * MAX_CUT),
        }
    }

    pub(crate) fn scaled(self, scale: f32) -> Self {
        Self {
            left: self.left * scale,
            top: self.top * scale,
            width: self.width * scale,
            height: self.height * scale,
        }
    }

    /// The smallest part with this ratio of width to height that contains this one, or a part nearer to the ratio than
    /// the whole picture if the cuts would be too large.
    pub(crate) fn widened(self, (width, height): (f32, f32), aspect: f32) -> Self {
        let (left, across) = cut(self.left, self.width, width, height * aspect);
        let (top, down) = cut(self.top, self.height, height, width / aspect);
        Self {
            left,
            top,
            width: across,
            height: down,
        }
    }
}

/// The start and the length of what remains of a side of this length, if `wanted` is to remain. The part that begins at
/// `start` is not cut.
fn cut(start: f32, length: f32, side: f32, wanted: f32) -> (f32, f32) {
    let max_cut = side * MAX_CUT;
    let first = start.clamp(0.0, max_cut);
    let last = (start + length).clamp(side - max_cut, side);
    let remaining = wanted.max(last - first).min(side);
    let center = start + length / 2.0 - remaining / 2.0;
    // The limits may be equal but for rounding, for which `clamp` would panic.
    let begin = center.max(last - remaining).min(first).min(side - remaining).max(0.0);
    (begin, remaining)
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn a_page_is_filled_without_a_cut_through_the_subject() {
        let subject = |left: f32, width: f32| Part {
            left,
            top: 100.0,
            width,
            height: 300.0,
        };
        let cases = [
            // A centered subject: the page is filled.
            (subject(350.0, 100.0), 0.75, (175.0, 450.0)),
            // A subject near an edge: no more than a quarter is cut, and none of the subject.
            (subject(0.0, 100.0), 0.75, (0.0, 600.0)),
            // A wide subject remains whole.
            (subject(50.0, 700.0), 0.75, (50.0, 700.0)),
            // The page is wider than the photograph.
            (subject(350.0, 100.0), 2.0, (0.0, 800.0)),
        ];
        for (subject, aspect, expected) in cases {
            let part = subject.widened((800.0, 600.0), aspect);
            assert_eq!((part.left, part.width), expected, "{subject:?}");
            assert!(part.top >= 0.0 && part.top + part.height <= 600.0, "{part:?}");
        }
    }
}
