//! Off-center layouts: a mandala that rises from an edge like a sun, and a sampler of panels.

use fastrand::Rng;
use tiny_skia::Rect;

use super::{Design, rings, tiles};
use crate::cast::Actor;
use crate::figure::shapes::{circle, rounded, shape, star};
use crate::figure::{Figure, Layer};

impl Design<'_> {
    /// Returns the center of the ornament: the middle of the page, or a point towards one end of its long side.
    pub(super) fn off_center(&self, rng: &mut Rng) -> (f32, f32) {
        let (x, y) = self.center;
        let (width, height) = (self.area.width(), self.area.height());
        let shift = [-1.0, 0.0, 1.0][rng.usize(0..3)];
        let far = (width - height).abs() / 2.0 * (0.62 + 0.3 * rng.f32()) * shift;
        if height >= width { (x, y + far) } else { (x + far, y) }
    }

    /// Draws the subject in front of a mandala whose center is near one end of the page, with companions beyond it.
    pub(super) fn rising(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        let hero = hero?;
        let bounds = hero.bounds();
        let gap = self.fine * 1.6;
        let lean = (rng.f32() - 0.5) * (self.area.width() - bounds.width() - gap * 2.0).max(0.0) * 0.8;
        let falling = rng.u8(0..3) == 0;
        let x = self.center.0 + lean;
        let kind = [1, 2, 3][rng.usize(0..3)];
        backdrop.extend(tiles::cover(kind, self.area, self.fine * 4.2, self.fine, rng));
        let reach = bounds.height() * (0.78 + 0.12 * rng.f32());
        let edge = if falling { self.area.top() } else { self.area.bottom() };
        let towards = if falling { 1.0 } else { -1.0 };
        let origin = edge + towards * bounds.height() * (0.34 + 0.12 * rng.f32());
        let inner = (bounds.width().max(bounds.height()) * 0.47).min(reach - self.fine * 4.0);
        backdrop.push(shape(circle(x, origin, reach + self.fine)));
        backdrop.extend(rings::mandala(x, origin, reach, inner, self.fine, rng));
        let middle = edge + towards * (bounds.height() / 2.0 + gap);
        let placed = hero.moved(
            x - (bounds.left() + bounds.right()) / 2.0,
            middle - (bounds.top() + bounds.bottom()) / 2.0,
        );
        let bounds = placed.bounds();
        figures.push(placed);
        let mut labels = self.others();
        if labels.is_empty() {
            labels.push("blossom");
        }
        // The part of the page beyond the mandala.
        let beyond = (
            origin + towards * (reach + self.fine),
            if falling { self.area.bottom() } else { self.area.top() },
        );
        let room = (beyond.1 - beyond.0).abs();
        let size = (room * 0.36).min(self.area.width() * 0.13);
        if size < self.brief.style.unit * 6.0 {
            return Some(bounds);
        }
        let count = 2 + rng.usize(0..2);
        let turn = rng.usize(0..labels.len());
        for index in 0..count {
            let share = (index as f32 + 0.5) / count as f32;
            let lift = if index % 2 == 0 { 0.42 } else { 0.62 };
            let at = (
                self.area.left() + self.area.width() * share,
                beyond.1 - (beyond.1 - beyond.0) * lift,
            );
            figures.extend(self.medal(labels[(index + turn) % labels.len()], at, size, rng));
        }
        Some(bounds)
    }

    /// Draws the subject in a large panel, with a column and a row of small panels around it.
    pub(super) fn sampler(
        &self,
        hero: Option<Figure>,
        backdrop: &mut Vec<Layer>,
        figures: &mut Vec<Figure>,
        rng: &mut Rng,
    ) -> Option<Rect> {
        let hero = hero?;
        let (width, height) = (self.area.width(), self.area.height());
        let gap = self.fine * 0.8;
        let columns = if width > height { 5 } else { 4 };
        let cell = (width - gap) / columns as f32;
        let rows = ((height - gap) / cell).floor().max(2.0) as usize;
        let tall = (height - gap) / rows as f32;
        let (right, low) = (rng.bool(), rng.bool());
        // The panel of the subject covers all columns but one, and as many rows as the subject needs.
        let span = (columns - 1).max(2);
        let needed = (hero.bounds().height() * 1.12 / tall).ceil() as usize;
        let deep = needed.clamp(2, rows - 1);
        let (first, top) = (usize::from(right) * (columns - span), usize::from(low) * (rows - deep));
        let panel = |column: usize, row: usize, across: usize, down: usize| {
            Rect::from_xywh(
                self.area.left() + gap + column as f32 * cell,
                self.area.top() + gap + row as f32 * tall,
                across as f32 * cell - gap,
                down as f32 * tall - gap,
            )
        };
        let labels = self.others();
        let mut drawn = rng.usize(0..2);
        for row in 0..rows {
            for column in 0..columns {
                let covered = (first..first + span).contains(&column) && (top..top + deep).contains(&row);
                let Some(place) = panel(column, row, 1, 1).filter(|_| !covered) else {
                    continue;
                };
                backdrop.push(shape(rounded(place, self.fine)));
                drawn += 1;
                let label = (drawn.is_multiple_of(2) && !labels.is_empty()).then(|| labels[drawn / 2 % labels.len()]);
                match label.and_then(|label| Actor::choose(label, &self.brief.style, rng)) {
                    Some(actor) => {
                        let room = place.width().min(place.height()) * 0.76;
                        figures.push(centered_in(&actor.figure(room, room, &self.brief.style), place));
                    }
                    None => backdrop.extend(self.tile(place, rng)),
                }
            }
        }
        let large = panel(first, top, span, deep)?;
        backdrop.push(shape(rounded(large, self.fine * 1.6)));
        let inset = Rect::from_ltrb(
            large.left() + gap,
            large.top() + gap,
            large.right() - gap,
            large.bottom() - gap,
        )?;
        backdrop.push(shape(rounded(inset, self.fine)));
        let bounds = hero.bounds();
        let fit = ((inset.width() - gap * 2.0) / bounds.width())
            .min((inset.height() - gap * 2.0) / bounds.height())
            .min(1.0);
        let corner = inset.width().min(inset.height()) * 0.16;
        for (x, y) in [
            (inset.left(), inset.top()),
            (inset.right(), inset.top()),
            (inset.left(), inset.bottom()),
            (inset.right(), inset.bottom()),
        ] {
            let towards = (
                x + corner * 0.62 * if x > inset.left() { -1.0 } else { 1.0 },
                y + corner * 0.62 * if y > inset.top() { -1.0 } else { 1.0 },
            );
            backdrop.extend(rings::rosette(
                towards.0,
                towards.1,
                corner * 0.5,
                self.fine,
                &mut Rng::with_seed(7),
            ));
        }
        let hero = hero.transformed(tiny_skia::Transform::from_scale(fit, fit));
        let placed = centered_in(&hero, inset);
        let bounds = placed.bounds();
        figures.push(placed);
        Some(bounds)
    }

    /// Returns the ornament of one panel.
    fn tile(&self, place: Rect, rng: &mut Rng) -> Vec<Layer> {
        let (x, y) = (
            (place.left() + place.right()) / 2.0,
            (place.top() + place.bottom()) / 2.0,
        );
        let radius = place.width().min(place.height()) * 0.42;
        match rng.u8(0..4) {
            0 => rings::mandala(x, y, radius, self.fine * 1.1, self.fine, rng),
            1 => rings::rosette(x, y, radius, self.fine, rng),
            2 => {
                let points = 6 + rng.usize(0..4);
                (0..4)
                    .map(|ring| radius * (1.0 - 0.24 * ring as f32))
                    .map(|reach| shape(star(x, y, reach, reach * 0.62, points, 0.0)))
                    .collect()
            }
            _ => {
                let mut layers: Vec<Layer> = (0..3)
                    .map(|ring| shape(circle(x, y, radius * (1.0 - 0.2 * ring as f32))))
                    .collect();
                layers.extend(rings::rosette(x, y, radius * 0.52, self.fine, rng));
                layers
            }
        }
    }
}

fn centered_in(figure: &Figure, place: Rect) -> Figure {
    let bounds = figure.bounds();
    figure.moved(
        (place.left() + place.right() - bounds.left() - bounds.right()) / 2.0,
        (place.top() + place.bottom() - bounds.top() - bounds.bottom()) / 2.0,
    )
}
