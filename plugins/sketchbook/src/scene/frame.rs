//! The edge of the picture: plain, rounded, doubled, beaded, or with a band of motifs.

use fastrand::Rng;
use linepress_plugin_sdk::image::{Audience, Purpose};
use tiny_skia::{Color, Path, PathBuilder, Rect, Transform};

use crate::brief::Brief;
use crate::canvas::Canvas;
use crate::figure::Layer;
use crate::figure::shapes::{around, circle, line, petal, polygon, rounded, shape, star};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Rounded,
    Doubled,
    Notched,
    Beaded,
    Motifs,
}

#[derive(Clone, Copy, Debug)]
pub struct Frame {
    kind: Kind,
    outer: Rect,
    /// The picture itself.
    pub inner: Rect,
    motif: u8,
}

impl Frame {
    pub fn choose(brief: &Brief, rng: &mut Rng) -> Self {
        let unit = brief.style.unit;
        let simple = brief.style.audience == Audience::Toddler;
        let kind = if brief.purpose == Purpose::Cover {
            Kind::Motifs
        } else {
            let choices: &[Kind] = if simple {
                &[Kind::Plain, Kind::Rounded, Kind::Rounded]
            } else {
                &[
                    Kind::Plain,
                    Kind::Rounded,
                    Kind::Doubled,
                    Kind::Notched,
                    Kind::Rounded,
                    Kind::Beaded,
                ]
            };
            choices[rng.usize(0..choices.len())]
        };
        let margin = unit * 3.6;
        let band = match kind {
            Kind::Plain | Kind::Rounded | Kind::Notched => 0.0,
            Kind::Doubled => unit * 1.8,
            Kind::Beaded => unit * 3.4,
            Kind::Motifs => unit * 7.5,
        };
        let inset = |distance: f32| {
            let (width, height) = (brief.width as f32, brief.height as f32);
            Rect::from_ltrb(distance, distance, width - distance, height - distance)
                .expect("the margins are a small part of the page")
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
            Kind::Plain | Kind::Doubled | Kind::Beaded => Some(PathBuilder::from_rect(self.inner)),
            Kind::Rounded => rounded(self.inner, unit * 6.0),
            Kind::Motifs => rounded(self.inner, unit * 3.0),
            Kind::Notched => {
                let (l, t, r, b) = (
                    self.inner.left(),
                    self.inner.top(),
                    self.inner.right(),
                    self.inner.bottom(),
                );
                let n = unit * 4.0;
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

    /// Clears what the backdrop drew beyond the picture, then draws the edge.
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
        canvas.layer(&line(Some(outline)));
        match self.kind {
            Kind::Plain | Kind::Rounded | Kind::Notched => {}
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

    /// Evenly spaced places in the middle of the band, the corners included.
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
