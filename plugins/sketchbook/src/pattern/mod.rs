//! Pages without a scene: mandalas, tessellations, and the subject framed in ornament.

mod bands;
mod company;
mod jewels;
mod layouts;
mod rings;
mod tiles;
mod wreath;

use fastrand::Rng;
use linepress_plugin_sdk::v1::image::Audience;
use tiny_skia::{Rect, Transform};

use crate::brief::Brief;
use crate::cast::Actor;
use crate::figure::shapes::{around, circle, ellipse, shape, star};
use crate::figure::{Figure, Layer};
use crate::letters;
use crate::measure::measure;
use crate::player::Player;
use crate::scene::{Frame, Sheet};

pub use jewels::draw_in_color;

const MAX_DESIGNS: u64 = 4;
const TRIAL_SCALE: f32 = 0.33;
/// The size of the subject of a cover in color, compared with that of a page.
const COVER_SIZE: f32 = 1.2;

/// Returns the first of several designs within the limits for ink and for the largest white area, or the design that
/// exceeds them least.
pub fn draw(brief: &Brief) -> Sheet {
    let limit = match brief.style.audience {
        Audience::Toddler => 0.18,
        Audience::Child => 0.21,
        Audience::Teen => 0.25,
        Audience::Adult => 0.29,
    };
    let mut best: Option<(f32, Sheet)> = None;
    for attempt in 0..MAX_DESIGNS {
        let mut rng = Rng::with_seed(brief.seed ^ attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let sheet = design(brief, &mut rng);
        let Some(image) = sheet.render(brief, TRIAL_SCALE) else {
            continue;
        };
        let measures = measure(&image, 12);
        let fault = (measures.ink - limit).max(0.0) + (measures.largest_area - 0.3).max(0.0);
        if fault <= 0.0 {
            return sheet;
        }
        if best.as_ref().is_none_or(|(least, _)| fault < *least) {
            best = Some((fault, sheet));
        }
    }
    best.map(|(_, sheet)| sheet).unwrap_or_default()
}

/// The arrangement of the subject and its ornament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The subject within a mandala.
    Medallion,
    /// The subject on an oval in front of a tessellation.
    Tiles,
    /// The subject on waving bands.
    Bands,
    /// The subject in a wreath.
    Wreath,
    /// The subject in front of a mandala that rises from an edge like a sun.
    Rising,
    /// The subject next to panels with an ornament or a companion in each.
    Sampler,
}

const LAYOUTS: &[Layout] = &[
    Layout::Medallion,
    Layout::Tiles,
    Layout::Bands,
    Layout::Wreath,
    Layout::Rising,
    Layout::Rising,
    Layout::Sampler,
    Layout::Sampler,
];

/// The inputs of a design.
struct Design<'a> {
    brief: &'a Brief,
    area: Rect,
    center: (f32, f32),
    /// The minimum width of a motif, in pixels.
    fine: f32,
}

/// Returns the minimum width of a motif, in pixels.
fn fine(brief: &Brief) -> f32 {
    let units = match brief.style.audience {
        Audience::Toddler => 6.5,
        Audience::Child => 4.3,
        Audience::Teen => 3.3,
        Audience::Adult => 2.7,
    };
    brief.style.unit * units
}

fn design(brief: &Brief, rng: &mut Rng) -> Sheet {
    let frame = Frame::choose(brief, rng);
    let fine = fine(brief);
    let area = frame.inner;
    let middle = ((area.left() + area.right()) / 2.0, (area.top() + area.bottom()) / 2.0);
    let mut backdrop = Vec::new();
    let mut figures = Vec::new();
    let mut design = Design {
        brief,
        area,
        center: middle,
        fine,
    };
    let hero = design.hero(rng);
    let known = hero.is_some();
    let layout = if !brief.wish.spelled.is_empty() {
        Layout::Bands
    } else if known {
        LAYOUTS[rng.usize(0..LAYOUTS.len())]
    } else {
        Layout::Medallion
    };
    if known && matches!(layout, Layout::Medallion | Layout::Tiles | Layout::Bands) {
        design.center = design.off_center(rng);
    }
    let bounds = match layout {
        Layout::Medallion => design.medallion(hero, &mut backdrop, &mut figures, rng),
        Layout::Tiles => design.over_tiles(hero, &mut backdrop, &mut figures, rng),
        Layout::Bands => design.over_bands(hero, &mut backdrop, &mut figures, rng),
        Layout::Wreath => design.wreath(hero, &mut backdrop, &mut figures, rng),
        Layout::Rising => design.rising(hero, &mut backdrop, &mut figures, rng),
        Layout::Sampler => design.sampler(hero, &mut backdrop, &mut figures, rng),
    };
    Sheet {
        backdrop,
        figures,
        front: Vec::new(),
        frame: Some(frame),
        hero: bounds,
        missing: Vec::new(),
        omitted: design.omitted(),
        labels: Vec::new(),
        paper: None,
    }
}

impl Design<'_> {
    /// Returns the main figure of the page: the spelled words, the first character or the first subject. `None` if the
    /// page has none of them.
    fn hero(&self, rng: &mut Rng) -> Option<Figure> {
        let style = &self.brief.style;
        let size = if style.colored {
            COVER_SIZE
        } else {
            0.92 + 0.18 * rng.f32()
        };
        let height = self.brief.height as f32 * 0.4 * size;
        let width = self.area.width() * 0.7 * size;
        let spelled = &self.brief.wish.spelled;
        if let Some(letters) = letters::figure(spelled, self.area.width() * 0.84, height, style, rng) {
            return Some(letters);
        }
        if let Some(portrait) = self.brief.characters.first() {
            return Some(portrait.figure(width, height, style));
        }
        let subject = self.brief.wish.subjects.first()?;
        if style.colored && subject.label == "person" {
            // "A mandala for adults" does not show one.
            return None;
        }
        let number = self.brief.number_of(&subject.label, 0);
        let player = Player::for_subject(subject, number, style, rng)?.with_skin(self.brief.seed);
        let mut figure = player.figure(width, height, style);
        let mirrored = rng.bool();
        if figure.bounds().height() < self.brief.height as f32 * 0.36 {
            figure = player.figure(self.area.width() * 0.88, self.brief.height as f32 * 0.365, style);
        }
        if subject.has.is_empty() {
            figure.layers.extend(self.ornaments(player.actor(), &figure, rng));
        }
        let flip = if mirrored { -1.0 } else { 1.0 };
        Some(figure.transformed(Transform::from_scale(flip, 1.0)))
    }

    /// Returns the names of the characters that are not the main figure, which a pattern does not show.
    fn omitted(&self) -> Vec<String> {
        let shown = usize::from(self.brief.wish.spelled.is_empty());
        let others = self.brief.characters.iter().skip(shown);
        others.map(|portrait| portrait.name.clone()).collect()
    }

    /// Returns rosettes for the open surfaces of a drawing.
    fn ornaments(&self, actor: &Actor, figure: &Figure, rng: &mut Rng) -> Vec<Layer> {
        let Actor::Drawn(drawing) = actor else {
            return Vec::new();
        };
        if self.brief.style.audience != Audience::Adult {
            return Vec::new();
        }
        let bounds = figure.bounds();
        let scale = bounds.height() / drawing.bounds.height();
        let middle = (
            (drawing.bounds.left() + drawing.bounds.right()) / 2.0,
            (drawing.bounds.top() + drawing.bounds.bottom()) / 2.0,
        );
        let mut layers = Vec::new();
        for region in drawing.regions.iter().skip(1).filter(|region| !region.solid) {
            let radius = region.radius * scale;
            let near_eye = drawing.regions.iter().any(|other| {
                other.solid
                    && (other.pole.0 - region.pole.0).hypot(other.pole.1 - region.pole.1)
                        < region.radius * 0.9 + other.radius
            });
            if radius > self.fine * 1.5 && !near_eye {
                let (x, y) = ((region.pole.0 - middle.0) * scale, (region.pole.1 - middle.1) * scale);
                layers.extend(rings::rosette(x, y, radius * 0.74, self.fine, rng));
            }
        }
        layers
    }

    /// Draws the subject in the middle of a mandala, its companions in a ring, and mandalas in the corners.
    fn medallion(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        let (x, y) = self.center;
        let short = self.area.width().min(self.area.height());
        let ground = rng.u8(0..4);
        if ground > 0 {
            let kind = [1, 3, 4][usize::from(ground) - 1];
            backdrop.extend(tiles::cover(kind, self.area, self.fine * 3.6, self.fine, rng));
        }
        if self.area.width() != self.area.height() || rng.bool() {
            let radius = short * (0.24 + 0.08 * rng.f32());
            let seed = rng.u64(..);
            for (cx, cy) in [
                (self.area.left(), self.area.top()),
                (self.area.right(), self.area.top()),
                (self.area.left(), self.area.bottom()),
                (self.area.right(), self.area.bottom()),
            ] {
                // The same seed is used four times, so that the corners match.
                backdrop.extend(rings::mandala(
                    cx,
                    cy,
                    radius,
                    self.fine * 1.2,
                    self.fine,
                    &mut Rng::with_seed(seed),
                ));
            }
        }
        let radius = short * 0.485 * if hero.is_some() { 0.86 + 0.14 * rng.f32() } else { 1.0 };
        let Some(hero) = hero else {
            let shift = if self.area.width() == self.area.height() {
                0.0
            } else {
                (rng.f32() - 0.5) * 0.02
            };
            backdrop.extend(rings::mandala(
                x,
                y + shift * short,
                radius,
                self.fine * 1.3,
                self.fine,
                rng,
            ));
            return None;
        };
        let bounds = hero.bounds();
        let inner = self.hole(&bounds, radius);
        backdrop.extend(rings::mandala(x, y, radius, inner, self.fine, rng));
        if rng.bool() {
            backdrop.push(shape(circle(x, y, inner - self.fine * 0.8)));
        }
        let placed = self.centered(&hero);
        let bounds = placed.bounds();
        figures.push(placed);
        self.companions(figures, rng, radius);
        Some(bounds)
    }

    /// Returns the radius of the hole for the subject in the middle of a mandala.
    fn hole(&self, subject: &Rect, radius: f32) -> f32 {
        let reach = (subject.width() / 2.0).hypot(subject.height() / 2.0) * 0.93;
        reach.min(radius - self.fine * 2.2)
    }

    /// Draws the subject on an oval or a circle, in front of a pattern that covers the page.
    fn over_tiles(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        let kind = rng.u8(0..tiles::PATTERN_COUNT);
        let size = self.fine * (3.4 + 1.4 * rng.f32());
        backdrop.extend(tiles::cover(kind, self.area, size, self.fine, rng));
        let placed = self.centered(&hero?);
        let bounds = placed.bounds();
        let (x, y) = self.center;
        let limit = (
            (x - self.area.left()).min(self.area.right() - x) * 0.98,
            (y - self.area.top()).min(self.area.bottom() - y) * 0.98,
        );
        let (rx, ry) = (
            (bounds.width() * 0.72).min(limit.0),
            (bounds.height() * 0.72).min(limit.1),
        );
        let gap = self.fine * 1.5;
        let (rx, ry) = (rx.min(limit.0 - gap), ry.min(limit.1 - gap));
        backdrop.push(shape(ellipse(x, y, rx + gap, ry + gap)));
        let beads = (std::f32::consts::PI * (rx + ry + gap) / (self.fine * 1.5)) as usize;
        let round = rng.bool();
        for (point, angle) in around(x, y, rx + gap / 2.0, ry + gap / 2.0, beads, 0.0) {
            let bead = if round {
                circle(point.0, point.1, self.fine * 0.46)
            } else {
                star(point.0, point.1, self.fine * 0.6, self.fine * 0.3, 4, angle)
            };
            backdrop.push(shape(bead));
        }
        backdrop.push(shape(ellipse(x, y, rx, ry)));
        figures.push(placed);
        self.companions(figures, rng, ry.max(rx) + gap);
        Some(bounds)
    }

    /// Draws the subject on a landscape of waving bands, each with a different filling.
    fn over_bands(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        if rng.bool() || self.brief.wish.spelled.is_empty() {
            backdrop.extend(bands::landscape(self.area, self.fine, rng));
        } else {
            let kind = rng.u8(0..tiles::PATTERN_COUNT);
            backdrop.extend(tiles::cover(kind, self.area, self.fine * 4.0, self.fine, rng));
        }
        let placed = self.centered(&hero?);
        let bounds = placed.bounds();
        figures.push(placed);
        self.companions(figures, rng, bounds.width().max(bounds.height()) * 0.6);
        Some(bounds)
    }

    /// Draws the subject in a wreath of leaves and of small things from its habitat.
    fn wreath(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        let placed = self.centered(&hero?);
        let bounds = placed.bounds();
        if rng.bool() {
            backdrop.extend(tiles::cover(4, self.area, self.fine * 5.0, self.fine, rng));
        } else {
            let seed = rng.u64(..);
            for (cx, cy) in [
                (self.area.left(), self.area.top()),
                (self.area.right(), self.area.top()),
                (self.area.left(), self.area.bottom()),
                (self.area.right(), self.area.bottom()),
            ] {
                let radius = self.area.width().min(self.area.height()) * 0.3;
                backdrop.extend(rings::mandala(
                    cx,
                    cy,
                    radius,
                    self.fine * 1.2,
                    self.fine,
                    &mut Rng::with_seed(seed),
                ));
            }
        }
        figures.push(placed);
        figures.extend(wreath::around_subject(self.brief, self.area, self.fine, rng));
        Some(bounds)
    }

    fn centered(&self, figure: &Figure) -> Figure {
        let bounds = figure.bounds();
        figure.moved(
            self.center.0 - (bounds.left() + bounds.right()) / 2.0,
            self.center.1 - (bounds.top() + bounds.bottom()) / 2.0,
        )
    }
}
