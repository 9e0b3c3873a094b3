//! Words in large outlined letters, for subjects without a drawing: the outlines of a font, filled with patterns.

use fastrand::Rng;
use linepress_plugin_sdk::v1::image::Audience;
use tiny_skia::{Rect, Transform};
use ttf_parser::{Face, OutlineBuilder};

use crate::figure::shapes::{Point, circle, line, polygon, rounded, segment, shape, star};
use crate::figure::{Figure, Layer};
use crate::style::Style;

/// Fonts with capitals and digits: Latin from Baloo 2, Cyrillic from Nunito.
const FONTS: [&[u8]; 2] = [
    include_bytes!("../art/letters.ttf"),
    include_bytes!("../art/letters-cyrillic.ttf"),
];

/// The maximum length of a word. The letters of a longer word would be too small to color.
const MAX_LETTERS: usize = 16;

/// The number of straight segments that replace each curve of a glyph.
const CURVE_STEPS: usize = 7;

/// The space between two letters, as a fraction of the font size.
const LETTER_GAP: f32 = 0.05;

/// The space between two lines, as a fraction of the height of a letter.
const LEADING: f32 = 0.3;

/// Returns true if the word has 2 to 16 letters or digits and the fonts have an outline for each.
pub fn can_write(word: &str) -> bool {
    let letters = capitals(word);
    (2..=MAX_LETTERS).contains(&letters.len()) && letters.iter().all(|letter| glyph(*letter).is_some())
}

fn capitals(word: &str) -> Vec<char> {
    word.to_uppercase().chars().collect()
}

/// Returns the words one below the other, centered on the origin and fitted into a box. `None` if none can be written.
pub fn figure(words: &[String], width: f32, height: f32, style: &Style, rng: &mut Rng) -> Option<Figure> {
    let lines: Vec<Vec<Glyph>> = words
        .iter()
        .filter(|word| can_write(word))
        .map(|word| capitals(word).into_iter().filter_map(glyph).collect())
        .collect();
    let longest = lines.iter().map(|line| length(line)).reduce(f32::max)?;
    let tall = lines.iter().flatten().map(|glyph| glyph.top).reduce(f32::max)?;
    let rows = lines.len() as f32;
    let rows_high = tall * (rows + LEADING * (rows - 1.0));
    let size = (width / longest).min(height / rows_high);
    // Long words are stretched vertically, so that there is more to color.
    let stretch = (height / (rows_high * size)).clamp(1.0, 1.6);
    let mut layers = Vec::new();
    let tall = tall * stretch;
    let mut baseline = tall * size;
    let mut pattern = rng.usize(0..PATTERN_COUNT);
    for line in &lines {
        let mut x = -length(line) * size / 2.0;
        for (index, glyph) in line.iter().enumerate() {
            // Each letter is shifted up or down a little and turned by a few degrees, for a playful look.
            let lift = if index % 2 == 0 { -0.02 } else { 0.02 } * size;
            let turn = (rng.f32() - 0.5) * 8.0;
            let middle = (x + glyph.advance * size / 2.0, baseline + lift - tall * size / 2.0);
            let place = Transform::from_scale(size, size * stretch)
                .post_translate(x, baseline + lift)
                .post_concat(Transform::from_rotate_at(turn, middle.0, middle.1));
            layers.extend(glyph.placed(place).layers(pattern % PATTERN_COUNT, style));
            pattern += 1;
            x += (glyph.advance + LETTER_GAP) * size;
        }
        baseline += tall * size * (1.0 + LEADING);
    }
    let mut figure = Figure::from_layers(layers);
    let (card, margin) = (figure.bounds(), style.unit * 3.0);
    for inset in [0.0, style.unit * 1.2] {
        let area = Rect::from_ltrb(
            card.left() - margin + inset,
            card.top() - margin + inset,
            card.right() + margin - inset,
            card.bottom() + margin - inset,
        );
        let at = usize::from(inset > 0.0);
        figure
            .layers
            .insert(at, shape(area.and_then(|area| rounded(area, style.unit * 4.0))));
    }
    let bounds = figure.bounds();
    let center = (
        (bounds.left() + bounds.right()) / 2.0,
        (bounds.top() + bounds.bottom()) / 2.0,
    );
    let scale = (width / bounds.width()).min(height / bounds.height()).min(1.0);
    Some(figure.transformed(Transform::from_translate(-center.0, -center.1).post_scale(scale, scale)))
}

fn length(line: &[Glyph]) -> f32 {
    line.iter().map(|glyph| glyph.advance + LETTER_GAP).sum::<f32>() - LETTER_GAP
}

/// The outline of a letter. The baseline is at y = 0, and y grows downward.
#[derive(Clone, Debug, Default)]
struct Glyph {
    contours: Vec<Vec<Point>>,
    advance: f32,
    /// The height above the baseline.
    top: f32,
}

fn glyph(letter: char) -> Option<Glyph> {
    let (face, id) = FONTS.iter().find_map(|font| {
        let face = Face::parse(font, 0).ok()?;
        let id = face.glyph_index(letter)?;
        Some((face, id))
    })?;
    let em = f32::from(face.units_per_em());
    let mut tracer = Tracer {
        em,
        contours: Vec::new(),
    };
    face.outline_glyph(id, &mut tracer)?;
    let advance = f32::from(face.glyph_hor_advance(id)?) / em;
    let heights = tracer.contours.iter().flatten().map(|point| -point.1);
    Some(Glyph {
        top: heights.fold(0.0, f32::max),
        contours: tracer.contours,
        advance,
    })
}

/// An outline builder that collects the contours of a glyph as polygons.
struct Tracer {
    em: f32,
    contours: Vec<Vec<Point>>,
}

impl Tracer {
    fn point(&self, x: f32, y: f32) -> Point {
        (x / self.em, -y / self.em)
    }

    fn bend(&mut self, at: impl Fn(f32, Point) -> Point) {
        let Some(contour) = self.contours.last_mut() else {
            return;
        };
        let Some(from) = contour.last().copied() else { return };
        contour.extend((1..=CURVE_STEPS).map(|step| at(step as f32 / CURVE_STEPS as f32, from)));
    }
}

impl OutlineBuilder for Tracer {
    fn move_to(&mut self, x: f32, y: f32) {
        let point = self.point(x, y);
        self.contours.push(vec![point]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let point = self.point(x, y);
        if let Some(contour) = self.contours.last_mut() {
            contour.push(point);
        }
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, to) = (self.point(x1, y1), self.point(x, y));
        self.bend(|t, from| {
            let along = |a: f32, b: f32, c: f32| a * (1.0 - t).powi(2) + 2.0 * b * t * (1.0 - t) + c * t * t;
            (along(from.0, control.0, to.0), along(from.1, control.1, to.1))
        });
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second, to) = (self.point(x1, y1), self.point(x2, y2), self.point(x, y));
        self.bend(|t, from| {
            let u = 1.0 - t;
            let along = |a: f32, b: f32, c: f32, d: f32| {
                a * u.powi(3) + 3.0 * b * t * u * u + 3.0 * c * t * t * u + d * t.powi(3)
            };
            (
                along(from.0, first.0, second.0, to.0),
                along(from.1, first.1, second.1, to.1),
            )
        });
    }

    fn close(&mut self) {}
}

/// The number of fill patterns: plain, dots, slanted stripes, stars, level stripes.
const PATTERN_COUNT: usize = 5;

impl Glyph {
    fn placed(&self, transform: Transform) -> Self {
        let moved = |point: &Point| {
            let mut point = tiny_skia::Point::from_xy(point.0, point.1);
            transform.map_point(&mut point);
            (point.x, point.y)
        };
        Self {
            contours: self
                .contours
                .iter()
                .map(|contour| contour.iter().map(moved).collect())
                .collect(),
            ..*self
        }
    }

    /// Returns the layers: the white inside including holes, then the pattern, then the outline.
    fn layers(&self, pattern: usize, style: &Style) -> Vec<Layer> {
        let pitch = style.unit
            * match style.audience {
                Audience::Toddler => return self.outlines(),
                Audience::Child => 3.6,
                Audience::Teen => 2.8,
                Audience::Adult => 2.3,
            };
        let mut layers = self.outlines();
        match pattern {
            0 => {}
            1 => layers.extend(self.spots(pitch, |x, y| circle(x, y, pitch * 0.3))),
            2 => layers.extend(self.stripes(pitch, 45.0)),
            3 => layers.extend(self.spots(pitch * 1.15, |x, y| star(x, y, pitch * 0.42, pitch * 0.2, 5, 0.0))),
            _ => layers.extend(self.stripes(pitch, 0.0)),
        }
        layers
    }

    fn outlines(&self) -> Vec<Layer> {
        self.contours.iter().map(|contour| shape(polygon(contour))).collect()
    }

    fn spots(&self, pitch: f32, draw: impl Fn(f32, f32) -> Option<tiny_skia::Path>) -> Vec<Layer> {
        let (left, top, right, bottom) = self.bounds();
        let mut layers = Vec::new();
        let mut row = 0;
        let mut y = top;
        while y < bottom {
            let mut x = left + if row % 2 == 0 { 0.0 } else { pitch / 2.0 };
            while x < right {
                if self.has_room((x, y), pitch * 0.55) {
                    layers.push(line(draw(x, y)));
                }
                x += pitch;
            }
            y += pitch * 0.8;
            row += 1;
        }
        layers
    }

    /// Returns parallel lines from one side of the letter to the other.
    fn stripes(&self, pitch: f32, degrees: f32) -> Vec<Layer> {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let turned = |(x, y): Point| (x * cos + y * sin, y * cos - x * sin);
        let back = |(x, y): Point| (x * cos - y * sin, y * cos + x * sin);
        let contours: Vec<Vec<Point>> = self
            .contours
            .iter()
            .map(|contour| contour.iter().copied().map(turned).collect())
            .collect();
        let heights = contours.iter().flatten().map(|point| point.1);
        let (top, bottom) = heights.fold((f32::MAX, f32::MIN), |(top, bottom), y| (top.min(y), bottom.max(y)));
        let mut layers = Vec::new();
        let mut y = top + pitch * 0.7;
        while y < bottom - pitch * 0.4 {
            let crossings = crossings(&contours, y);
            for pair in crossings.chunks_exact(2).filter(|pair| pair[1] - pair[0] > pitch * 0.7) {
                layers.push(line(segment(back((pair[0], y)), back((pair[1], y)))));
            }
            y += pitch;
        }
        layers
    }

    fn has_room(&self, (x, y): Point, radius: f32) -> bool {
        (0..8).all(|corner| {
            let angle = corner as f32 * std::f32::consts::FRAC_PI_4;
            let point = (x + radius * angle.cos(), y + radius * angle.sin());
            crossings(&self.contours, point.1)
                .iter()
                .filter(|at| **at < point.0)
                .count()
                % 2
                == 1
        })
    }

    fn bounds(&self) -> (f32, f32, f32, f32) {
        let points = self.contours.iter().flatten();
        points.fold((f32::MAX, f32::MAX, f32::MIN, f32::MIN), |(l, t, r, b), (x, y)| {
            (l.min(*x), t.min(*y), r.max(*x), b.max(*y))
        })
    }
}

/// Returns the x coordinates at which a horizontal line crosses closed polygons, from left to right.
fn crossings(contours: &[Vec<Point>], y: f32) -> Vec<f32> {
    let mut found = Vec::new();
    for contour in contours {
        for (index, from) in contour.iter().enumerate() {
            let to = contour[(index + 1) % contour.len()];
            if (from.1 > y) != (to.1 > y) {
                found.push(from.0 + (to.0 - from.0) * (y - from.1) / (to.1 - from.1));
            }
        }
    }
    found.sort_by(f32::total_cmp);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_known_alphabets_can_be_written() {
        for word in ["axolotl", "Straße", "Ёжик", "niño", "Dvořák", "Việt"] {
            assert!(can_write(word), "{word}");
        }
        for word in ["", "a", "한국", "เสือ", "תה", "شاي", "虎", "pneumonoultramicroscopic"] {
            assert!(!can_write(word), "{word}");
        }
    }

    #[test]
    fn a_word_fits_its_box_at_every_age() {
        for audience in [Audience::Toddler, Audience::Child, Audience::Teen, Audience::Adult] {
            let style = Style::new(audience, 1152, 1536);
            for words in [
                vec!["axolotl".to_owned()],
                vec!["cello".to_owned(), "quokka".to_owned()],
            ] {
                let figure = figure(&words, 1000.0, 400.0, &style, &mut Rng::with_seed(3)).unwrap();
                let bounds = figure.bounds();
                assert!(bounds.width() <= 1001.0 && bounds.height() <= 401.0, "{bounds:?}");
                assert!(bounds.width() > 900.0 || bounds.height() > 360.0, "{bounds:?}");
            }
        }
    }
}
