//! Pages without a scene: mandalas, tessellations, and the subject framed in ornament.

mod bands;
mod rings;
mod tiles;
mod wreath;

use fastrand::Rng;
use linepress_plugin_sdk::image::Audience;
use tiny_skia::{Rect, Transform};

use crate::brief::Brief;
use crate::cast::Actor;
use crate::figure::shapes::{around, circle, ellipse, shape, star};
use crate::figure::{Figure, Layer};
use crate::measure::measure;
use crate::scene::{Frame, Sheet};

const ATTEMPTS: u64 = 4;
const TRIAL: f32 = 0.33;

/// The least inky of a few designs that stays within the limit of its audience.
pub fn draw(brief: &Brief) -> Sheet {
    let limit = match brief.style.audience {
        Audience::Toddler => 0.18,
        Audience::Child => 0.21,
        Audience::Teen => 0.25,
        Audience::Adult => 0.29,
    };
    let mut best: Option<(f32, Sheet)> = None;
    for attempt in 0..ATTEMPTS {
        let mut rng = Rng::with_seed(brief.seed ^ attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let sheet = design(brief, &mut rng);
        let Some(image) = sheet.render(brief, TRIAL) else {
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

/// What a design is made with.
struct Design<'a> {
    brief: &'a Brief,
    area: Rect,
    center: (f32, f32),
    /// The smallest width of a motif.
    fine: f32,
}

fn design(brief: &Brief, rng: &mut Rng) -> Sheet {
    let frame = Frame::choose(brief, rng);
    let unit = brief.style.unit;
    let fine = unit
        * match brief.style.audience {
            Audience::Toddler => 6.5,
            Audience::Child => 4.3,
            Audience::Teen => 3.3,
            Audience::Adult => 2.7,
        };
    let area = frame.inner;
    let center = ((area.left() + area.right()) / 2.0, (area.top() + area.bottom()) / 2.0);
    let design = Design {
        brief,
        area,
        center,
        fine,
    };
    let mut backdrop = Vec::new();
    let mut figures = Vec::new();
    let hero = design.hero(rng);
    let kind = if hero.is_none() || brief.wish.pattern {
        0
    } else {
        rng.u8(0..7)
    };
    let bounds = match kind {
        0..2 => design.medallion(hero, &mut backdrop, &mut figures, rng),
        2..4 => design.over_tiles(hero, &mut backdrop, &mut figures, rng),
        4 => design.over_bands(hero, &mut backdrop, &mut figures, rng),
        _ => design.wreath(hero, &mut backdrop, &mut figures, rng),
    };
    Sheet {
        backdrop,
        figures,
        front: Vec::new(),
        frame: Some(frame),
        hero: bounds,
    }
}

impl Design<'_> {
    /// The subject of the page at a share of the page height, if one is known.
    fn hero(&self, rng: &mut Rng) -> Option<Figure> {
        let style = &self.brief.style;
        let height = self.brief.height as f32 * 0.4;
        let width = self.area.width() * 0.72;
        if let Some(portrait) = self.brief.characters.first() {
            return Some(portrait.figure(width, height, style));
        }
        let subject = self.brief.wish.subjects.first()?;
        let actor = Actor::choose(&subject.label, style, rng)?;
        let mut figure = actor.figure(width, height, style);
        if figure.bounds().height() < self.brief.height as f32 * 0.36 {
            figure = actor.figure(self.area.width() * 0.88, self.brief.height as f32 * 0.365, style);
        }
        figure.layers.extend(self.ornaments(&actor, &figure, rng));
        Some(figure)
    }

    /// Rosettes in the open surfaces of a drawing.
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

    /// The subject in the middle of a mandala, its companions in a ring, mandalas in the corners.
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
                // The same seed four times: the corners match.
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
        let radius = short * 0.485;
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
        let reach = (bounds.width() / 2.0).hypot(bounds.height() / 2.0) * 0.93;
        let inner = reach.min(radius - self.fine * 2.2);
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

    /// The subject on an oval or a circle, in front of a pattern that covers the page.
    fn over_tiles(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        let kind = rng.u8(0..tiles::KINDS);
        let size = self.fine * (3.4 + 1.4 * rng.f32());
        backdrop.extend(tiles::cover(kind, self.area, size, self.fine, rng));
        let placed = self.centered(&hero?);
        let bounds = placed.bounds();
        let (x, y) = self.center;
        let limit = (self.area.width() * 0.49, self.area.height() * 0.49);
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

    /// The subject on a landscape of waving bands, each with its own filling.
    fn over_bands(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        backdrop.extend(bands::landscape(self.area, self.fine, rng));
        let placed = self.centered(&hero?);
        let bounds = placed.bounds();
        figures.push(placed);
        self.companions(figures, rng, bounds.width().max(bounds.height()) * 0.6);
        Some(bounds)
    }

    /// The subject in a wreath of leaves and of what grows or lies where it lives.
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

    /// The other subjects, above and below or beside the first one, each on a medallion of its own.
    fn companions(&self, figures: &mut Vec<Figure>, rng: &mut Rng, radius: f32) {
        let others: Vec<&str> = self
            .brief
            .wish
            .subjects
            .iter()
            .skip(usize::from(self.brief.characters.is_empty()))
            .map(|subject| subject.label.as_str())
            .collect();
        if others.is_empty() {
            return;
        }
        let upright = self.area.height() >= self.area.width();
        let room = (if upright { self.area.height() } else { self.area.width() }) / 2.0 - radius;
        let size = (room * 0.52)
            .max(self.brief.style.unit * 9.0)
            .min(self.brief.style.unit * 15.0);
        let away = if upright {
            self.area.height() / 2.0 - size * 1.25
        } else {
            self.area.width() / 2.0 - size * 1.25
        };
        let side = self.area.width().min(self.area.height()) * 0.27;
        let places: &[(f32, f32)] = &[(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
        let spread = if others.len() == 1 && rng.bool() {
            &places[..2]
        } else {
            places
        };
        for (index, (along, across)) in spread.iter().enumerate() {
            let (dx, dy) = if upright {
                (along * side, across * away)
            } else {
                (along * away, across * side)
            };
            let label = others[index % others.len()];
            let Some(actor) = Actor::choose(label, &self.brief.style, rng) else {
                continue;
            };
            let (x, y) = (self.center.0 + dx, self.center.1 + dy);
            let mut medallion = Figure::of(vec![shape(circle(x, y, size * 1.12)), shape(circle(x, y, size))]);
            let figure = actor.figure(size * 1.36, size * 1.36, &self.brief.style);
            let bounds = figure.bounds();
            let flip = if along * across < 0.0 { -1.0 } else { 1.0 };
            let centered = figure.moved(
                -(bounds.left() + bounds.right()) / 2.0,
                -(bounds.top() + bounds.bottom()) / 2.0,
            );
            medallion.join(centered.transformed(Transform::from_scale(flip, 1.0).post_translate(x, y)));
            figures.push(medallion);
        }
    }
}
