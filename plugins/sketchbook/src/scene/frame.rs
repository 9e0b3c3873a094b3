//! The frame of the picture: plain, rounded, doubled, beaded, with a band of motifs, or none.

use fastrand::Rng;
use linepress_plugin_sdk::v1::image::{Audience, FrameStyle, Purpose};
use tiny_skia::{Color, Path, PathBuilder, Rect, Transform};

use crate::brief::Brief;
use crate::canvas::Canvas;
use crate::figure::Layer;
use crate::figure::shapes::{around, circle, line, petal, polygon, rounded, segment, shape, star};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No line: the picture ends at the margin.
    Open,
    Plain,
    Rounded,
    Doubled,
    Notched,
    /// Corners that curve inwards.
    Scooped,
    /// An edge of small waves.
    Scalloped,
    Beaded,
    Stitched,
    Motifs,
}

impl From<FrameStyle> for Kind {
    fn from(style: FrameStyle) -> Self {
        match style {
            FrameStyle::None => Self::Open,
            FrameStyle::Plain => Self::Plain,
            FrameStyle::Rounded => Self::Rounded,
            FrameStyle::Doubled => Self::Doubled,
            FrameStyle::Notched => Self::Notched,
            FrameStyle::Scooped => Self::Scooped,
            FrameStyle::Scalloped => Self::Scalloped,
            FrameStyle::Beaded => Self::Beaded,
            FrameStyle::Stitched => Self::Stitched,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Frame {
    kind: Kind,
    outer: Rect,
    /// The area of the picture inside the frame.
    pub inner: Rect,
    motif: u8,
}

/// The frames that suit every audience.
const SIMPLE: [Kind; 4] = [Kind::Plain, Kind::Rounded, Kind::Notched, Kind::Scooped];

impl Frame {
    pub fn choose(brief: &Brief, rng: &mut Rng) -> Self {
        let unit = brief.style.unit;
        let simple = brief.style.audience == Audience::Toddler;
        let kind = if brief.purpose == Purpose::Cover {
            Kind::Motifs
        } else {
            let choices: &[Kind] = if simple {
                &SIMPLE
            } else {
                &[
                    Kind::Plain,
                    Kind::Rounded,
                    Kind::Doubled,
                    Kind::Notched,
                    Kind::Scooped,
                    Kind::Scalloped,
                    Kind::Beaded,
                    Kind::Stitched,
                ]
            };
            // Drawn in any case, so that another frame does not change what follows.
            let any = choices[rng.usize(0..choices.len())];
            let of_book = |seed| SIMPLE[Rng::with_seed(seed).usize(0..SIMPLE.len())];
            let wanted = brief.frame.map(Kind::from);
            wanted.or(brief.book_seed.map(of_book)).unwrap_or(any)
        };
        let margin = unit * 3.6;
        let band = match kind {
            Kind::Open | Kind::Plain | Kind::Rounded | Kind::Notched | Kind::Scooped => 0.0,
            Kind::Scalloped => unit * 1.2,
            Kind::Doubled => unit * 1.8,
            Kind::Stitched => unit * 2.6,
            Kind::Beaded => unit * 3.4,
            Kind::Motifs => unit * 7.5,
        };
        let (margin, band) = match brief.purpose {
            // The picture of a cover in color reaches to its edges.
            Purpose::Cover if brief.style.colored => (0.0, 0.0),
            _ => (margin, band),
        };
        let inset = |distance: f32| {
            let (width, height) = (brief.width as f32, brief.height as f32);
            Rect::from_ltrb(distance, distance, width - distance, height - distance)
                .expect("the margins are smaller than the page")
        };
        Self {
            kind,
            outer: inset(margin),
            inner: inset(margin + band),
            motif: rng.u8(0..4),
        }
    }

    fn outline(&self, unit: f32) -> Option<Path> {
        match self.kind {
            Kind::Open | Kind::Plain | Kind::Doubled | Kind::Beaded | Kind::Stitched => {
                Some(PathBuilder::from_rect(self.inner))
            }
            Kind::Rounded => rounded(self.inner, unit * 6.0),
            Kind::Motifs => rounded(self.inner, unit * 3.0),
            Kind::Scooped => scooped(self.inner, unit * 4.2),
            Kind::Scalloped => scalloped(self.inner, unit * 4.6),
            Kind::Notched => {
                let (l, t, r, b) = (
                    self.inner.left(),
                    self.inner.top(),
                    self.inner.right(),
                    self.inner.bottom(),
                );
                let n = unit * 3.2;
                polygon(&[
                    (l + n, t),
                    (r - n, t),
                    (r - n, t + n),
                    (r, t + n),
                    (r, b - n),
                    (r - n, b - n),
                    (r - n, b),
                    (l + n, b),
                    (l + n, b - n),
                    (l, b - n),
                    (l, t + n),
                    (l + n, t + n),
                ])
            }
        }
    }

    /// Clears everything that was drawn outside the picture, then draws the frame.
    pub fn paint(&self, canvas: &mut Canvas, brief: &Brief) {
        let unit = brief.style.unit;
        let page = Rect::from_xywh(-1.0, -1.0, brief.width as f32 + 2.0, brief.height as f32 + 2.0);
        let (Some(outline), Some(page)) = (self.outline(unit), page) else {
            return;
        };
        let mut outside = PathBuilder::new();
        outside.push_rect(page);
        outside.push_path(&outline);
        if let Some(outside) = outside.finish() {
            canvas.fill(&outside, Color::WHITE);
        }
        if self.kind != Kind::Open {
            canvas.layer(&line(Some(outline)));
        }
        match self.kind {
            Kind::Open | Kind::Plain | Kind::Rounded | Kind::Notched | Kind::Scooped | Kind::Scalloped => {}
            Kind::Stitched => {
                canvas.layer(&line(Some(PathBuilder::from_rect(self.outer))));
                for (x, y) in self.places(unit * 4.2) {
                    let across = (x - (self.outer.left() + self.outer.right()) / 2.0).abs();
                    let upright =
                        across > (self.inner.width() / 2.0) && y > self.inner.top() && y < self.inner.bottom();
                    let (dx, dy) = if upright { (0.0, unit * 1.1) } else { (unit * 1.1, 0.0) };
                    canvas.layer(&line(segment((x - dx, y - dy), (x + dx, y + dy))));
                }
            }
            Kind::Doubled => canvas.layer(&line(Some(PathBuilder::from_rect(self.outer)))),
            Kind::Beaded => {
                canvas.layer(&line(Some(PathBuilder::from_rect(self.outer))));
                for (x, y) in self.places(unit * 3.4) {
                    canvas.layer(&shape(circle(x, y, unit * 1.15)));
                }
            }
            Kind::Motifs => {
                canvas.layer(&line(rounded(self.outer, unit * 4.0)));
                for (index, (x, y)) in self.places(unit * 7.5).into_iter().enumerate() {
                    for layer in motif(self.motif, index, x, y, unit * 2.7) {
                        canvas.layer(&layer);
                    }
                }
            }
        }
    }

    /// Returns evenly spaced points in the middle of the band, including the corners.
    fn places(&self, step: f32) -> Vec<(f32, f32)> {
        let middle = |a: f32, b: f32| (a + b) / 2.0;
        let (left, right) = (
            middle(self.outer.left(), self.inner.left()),
            middle(self.outer.right(), self.inner.right()),
        );
        let (top, bottom) = (
            middle(self.outer.top(), self.inner.top()),
            middle(self.outer.bottom(), self.inner.bottom()),
        );
        let mut places = Vec::new();
        let columns = ((right - left) / step).round().max(1.0);
        for column in 0..=columns as usize {
            let x = left + (right - left) * column as f32 / columns;
            places.extend([(x, top), (x, bottom)]);
        }
        let rows = ((bottom - top) / step).round().max(1.0);
        for row in 1..rows as usize {
            let y = top + (bottom - top) * row as f32 / rows;
            places.extend([(left, y), (right, y)]);
        }
        places
    }
}

fn scooped(area: Rect, n: f32) -> Option<Path> {
    let (l, t, r, b) = (area.left(), area.top(), area.right(), area.bottom());
    let mut path = PathBuilder::new();
    path.move_to(l + n, t);
    path.line_to(r - n, t);
    path.quad_to(r - n, t + n, r, t + n);
    path.line_to(r, b - n);
    path.quad_to(r - n, b - n, r - n, b);
    path.line_to(l + n, b);
    path.quad_to(l + n, b - n, l, b - n);
    path.line_to(l, t + n);
    path.quad_to(l + n, t + n, l + n, t);
    path.close();
    path.finish()
}

/// Returns an outline of waves that bulge outwards, a whole number of them on every side.
fn scalloped(area: Rect, step: f32) -> Option<Path> {
    let corners = [
        (area.left(), area.top()),
        (area.right(), area.top()),
        (area.right(), area.bottom()),
        (area.left(), area.bottom()),
    ];
    let mut path = PathBuilder::new();
    path.move_to(corners[0].0, corners[0].1);
    for index in 0..4 {
        let (from, to) = (corners[index], corners[(index + 1) % 4]);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let long = dx.hypot(dy);
        let count = (long / step).round().max(1.0);
        // Outwards is to the left of the direction around the area.
        let bulge = (dy / long * step * 0.35, -dx / long * step * 0.35);
        for wave in 0..count as usize {
            let at = |share: f32| {
                let share = (wave as f32 + share) / count;
                (from.0 + dx * share, from.1 + dy * share)
            };
            let (a, b, end) = (at(0.12), at(0.88), at(1.0));
            path.cubic_to(a.0 + bulge.0, a.1 + bulge.1, b.0 + bulge.0, b.1 + bulge.1, end.0, end.1);
        }
    }
    path.close();
    path.finish()
}

fn motif(kind: u8, index: usize, x: f32, y: f32, size: f32) -> Vec<Layer> {
    match (kind, index % 2) {
        (0, _) => vec![shape(star(x, y, size, size * 0.48, 5, 0.0))],
        (1, 0) => {
            let mut layers: Vec<Layer> = around(x, y, 0.0, 0.0, 5, -1.57)
                .map(|(point, angle)| shape(petal(point, size, size * 0.8, angle)))
                .collect();
            layers.push(shape(circle(x, y, size * 0.33)));
            layers
        }
        (1 | 2, _) => vec![shape(circle(x, y, size * 0.75)), shape(circle(x, y, size * 0.36))],
        (_, 0) => vec![shape(heart(x, y, size))],
        _ => vec![shape(star(x, y, size, size * 0.42, 4, 0.0))],
    }
}

fn heart(x: f32, y: f32, size: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(0.0, 0.9);
    path.cubic_to(-1.6, -0.2, -0.9, -1.2, 0.0, -0.45);
    path.cubic_to(0.9, -1.2, 1.6, -0.2, 0.0, 0.9);
    path.close();
    path.finish()?
        .transform(Transform::from_scale(size, size).post_translate(x, y))
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::v1::image::{Aspect, Coloring, DrawRequest, Look, Pixels, USUAL_LOOK};

    use super::*;
    use crate::scene::Sheet;

    const STYLES: [(FrameStyle, Kind); 9] = [
        (FrameStyle::None, Kind::Open),
        (FrameStyle::Plain, Kind::Plain),
        (FrameStyle::Rounded, Kind::Rounded),
        (FrameStyle::Doubled, Kind::Doubled),
        (FrameStyle::Notched, Kind::Notched),
        (FrameStyle::Scooped, Kind::Scooped),
        (FrameStyle::Scalloped, Kind::Scalloped),
        (FrameStyle::Beaded, Kind::Beaded),
        (FrameStyle::Stitched, Kind::Stitched),
    ];

    fn request(purpose: Purpose, audience: Audience, frame: Option<FrameStyle>) -> DrawRequest {
        DrawRequest {
            purpose,
            prompt: "A fox".into(),
            title: String::new(),
            aspect: Aspect::Portrait,
            size: Pixels {
                width: 300,
                height: 400,
            },
            audience,
            coloring: Coloring::LineArt,
            look: Look { frame, ..USUAL_LOOK },
            characters: Vec::new(),
            source: None,
            change: None,
            seed: 1,
            book_seed: None,
            extra: Vec::new(),
        }
    }

    /// The brief of a page, its frame, and the random number that follows.
    fn chosen(audience: Audience, frame: Option<FrameStyle>) -> (Brief, Frame, u64) {
        let brief = Brief::read(&request(Purpose::Page, audience, frame)).unwrap();
        let mut rng = Rng::with_seed(5);
        let frame = Frame::choose(&brief, &mut rng);
        (brief, frame, rng.u64(..))
    }

    #[test]
    fn every_style_can_be_asked_for_and_changes_nothing_else() {
        for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
            let (_, _, next) = chosen(audience, None);
            for (style, kind) in STYLES {
                let (_, frame, after) = chosen(audience, Some(style));
                assert_eq!((frame.kind, after), (kind, next), "{audience:?}");
            }
        }
    }

    #[test]
    fn all_pages_of_a_book_have_one_frame_and_other_books_others() {
        let of_book = |book_seed, audience, seed| {
            let request = DrawRequest {
                book_seed: Some(book_seed),
                ..request(Purpose::Page, audience, None)
            };
            Frame::choose(&Brief::read(&request).unwrap(), &mut Rng::with_seed(seed)).kind
        };
        let first = of_book(1, Audience::Child, 1);
        for (audience, seed) in [(Audience::Child, 2), (Audience::Toddler, 3), (Audience::Adult, 4)] {
            assert_eq!(of_book(1, audience, seed), first, "{audience:?}");
        }
        assert!((2..20).any(|book_seed| of_book(book_seed, Audience::Child, 1) != first));
        let asked = DrawRequest {
            book_seed: Some(1),
            ..request(Purpose::Page, Audience::Child, Some(FrameStyle::Beaded))
        };
        let frame = Frame::choose(&Brief::read(&asked).unwrap(), &mut Rng::with_seed(1));
        assert_eq!(frame.kind, Kind::Beaded);
    }

    #[test]
    fn only_a_page_without_a_frame_has_no_line_around_it() {
        for (style, _) in STYLES {
            let (brief, frame, _) = chosen(Audience::Child, Some(style));
            let sheet = Sheet {
                frame: Some(frame),
                ..Sheet::default()
            };
            let page = sheet.render(&brief, 1.0).unwrap();
            let is_blank = page.pixels.iter().all(|pixel| *pixel == 255);
            assert_eq!(is_blank, style == FrameStyle::None, "{style:?}");
        }
    }

    #[test]
    fn a_cover_keeps_its_motifs() {
        let request = request(Purpose::Cover, Audience::Child, Some(FrameStyle::None));
        let frame = Frame::choose(&Brief::read(&request).unwrap(), &mut Rng::with_seed(5));
        assert_eq!(frame.kind, Kind::Motifs);
    }
}
