//! The placement of a figure: near its slot, inside the picture, and hiding little of the other figures.

use tiny_skia::{Rect, Transform};

use super::bank;
use super::compose::{MAX_BACKGROUND_DEPTH, Placed, Scene};
use super::occupancy::{Limits, Surfaces};
use crate::bulk::{is_airborne, is_celestial};
use crate::characters::Portrait;
use crate::figure::Figure;
use crate::player::Player;
use crate::setting::Ground;

/// A pseudo-label for people cut off at the chest, who are placed at the lower edge of the picture.
const BUST: &str = "bust";

/// The maximum overlap of a figure in a free place.
const FREE: f32 = 0.005;

/// A position of a figure, and the limits of its overlap there.
struct Spot {
    way: (f32, f32),
    /// The distance from the slot of the figure, from 0 to 1.
    spread: f32,
    share: Limits,
}

impl Spot {
    fn cost(&self, share: f32) -> f32 {
        share + self.spread * 0.02
    }

    fn least_cost(&self) -> f32 {
        self.cost(self.share.least)
    }
}

impl Scene<'_> {
    /// Traces a player at a height and places it, smaller if there is too little room. `None` if it does not fit.
    pub(super) fn introduce(
        &mut self,
        player: &Player,
        label: &str,
        height: f32,
        at: (f32, f32),
        hero: bool,
    ) -> Option<Rect> {
        let style = *self.style();
        let widest = self.area.width() * if hero { 0.74 } else { 0.5 };
        let page = self.brief.height as f32;
        let broadest = self.area.width() * 0.9;
        let smallest = player.actor().smallest(&style).min(height);
        let spot = if player.actor().is_bust() { BUST } else { label };
        let trace = |height: f32| {
            let figure = player.figure(widest, height, &style);
            if hero && figure.bounds().height() < page * 0.37 {
                return player.figure(broadest, page * 0.375, &style);
            }
            figure
        };
        let mirrored = self.rng.bool();
        let placed = self.place_scaled(&trace, mirrored, spot, height, smallest, at)?;
        self.label_last(label);
        Some(placed)
    }

    /// Places a character. It is never mirrored, so that its badge and bow remain on the same side.
    pub(super) fn welcome(&mut self, portrait: &Portrait, height: f32, at: (f32, f32)) -> Option<Rect> {
        let style = *self.style();
        let widest = self.area.width() * 0.6;
        let trace = |height: f32| portrait.figure(widest, height, &style);
        let placed = self.place_scaled(&trace, false, &portrait.label, height, height * 0.45, at)?;
        self.label_last(&portrait.label);
        Some(placed)
    }

    /// Places a figure as large as there is room for. A small figure is preferred to a hidden one, and a half-hidden
    /// one to a missing one.
    fn place_scaled(
        &mut self,
        trace: &dyn Fn(f32) -> Figure,
        mirrored: bool,
        label: &str,
        tallest: f32,
        smallest: f32,
        at: (f32, f32),
    ) -> Option<Rect> {
        // The first figure on the page has nothing to overlap.
        let tolerances: &[f32] = if self.placed.is_empty() {
            &[1.0]
        } else if at.1 <= MAX_BACKGROUND_DEPTH {
            &[0.25, 0.4]
        } else {
            &[0.07, 0.2, 0.35]
        };
        let figure = |height: f32| {
            let figure = trace(height);
            if mirrored {
                return figure.transformed(Transform::from_scale(-1.0, 1.0));
            }
            figure
        };
        // Every tolerance tries the same sizes.
        let mut sizes: Vec<(Figure, Surfaces)> = Vec::new();
        for tolerated in tolerances {
            let mut height = tallest.max(smallest);
            for size in 0.. {
                if size == sizes.len() {
                    let figure = figure(height);
                    let body = Surfaces::new(&figure, 1.0);
                    sizes.push((figure, body));
                }
                let (figure, body) = &sizes[size];
                let placed = self.place(figure, body, at, label, *tolerated);
                if placed.is_some() {
                    return placed;
                }
                if height <= smallest * 1.02 {
                    break;
                }
                height = (height * 0.84).max(smallest);
            }
        }
        None
    }

    /// Places the figure at a spot near its slot where the overlap of its body is at most `tolerated`. `None` if there
    /// is no such spot.
    pub(super) fn place(
        &mut self,
        figure: &Figure,
        body: &Surfaces,
        at: (f32, f32),
        label: &str,
        tolerated: f32,
    ) -> Option<Rect> {
        let bounds = figure.bounds();
        let mut spots = Vec::new();
        // The cost that the best spot does not exceed.
        let mut most = tolerated + 0.02;
        for attempt in 0..36 {
            let spread = attempt as f32 / 36.0;
            let reach = spread * if tolerated <= 0.0 { 0.2 } else { 0.9 };
            let behind = if at.1 <= MAX_BACKGROUND_DEPTH { 0.15 } else { 1.0 };
            let (dx, dy) = (self.jitter() * reach, self.jitter() * reach * behind);
            let way = self.spot(&bounds, (at.0 + dx, at.1 + dy), label);
            let cost = |share: f32| share + spread * 0.02;
            let least = self.taken.least_overlap(body, way);
            if least > FREE && cost(least) > most {
                continue;
            }
            let mut share = self.taken.rough_overlap(body, way);
            if share.includes(FREE) {
                share = self.taken.limits_of_overlap(body, way);
            }
            if share.includes(FREE) {
                share = Limits::exactly(self.taken.exact_overlap(body, way, share));
            }
            if cost(share.least) <= most {
                most = most.min(cost(share.most));
                spots.push(Spot { way, spread, share });
            }
            if share.most <= FREE {
                break;
            }
        }
        let (x, y) = self.cheapest(body, &mut spots, most)?;
        let placed = figure.moved(x, y);
        self.taken.take(&placed);
        let bounds = placed.bounds();
        self.placed.push(Placed::new(bounds.bottom(), placed));
        Some(bounds)
    }

    /// Returns the position of the first spot with the least cost, if that is at most `most`.
    fn cheapest(&self, body: &Surfaces, spots: &mut [Spot], mut most: f32) -> Option<(f32, f32)> {
        let mut order: Vec<&mut Spot> = spots.iter_mut().collect();
        order.sort_by(|a, b| a.least_cost().total_cmp(&b.least_cost()));
        for spot in order {
            if spot.least_cost() > most {
                break;
            }
            if spot.share.least < spot.share.most {
                spot.share = self.taken.limits_of_overlap(body, spot.way);
            }
            most = most.min(spot.cost(spot.share.most));
        }
        let possible = || spots.iter().filter(|spot| spot.least_cost() <= most);
        if let (Some(spot), 1) = (possible().next(), possible().count())
            && spot.cost(spot.share.most) <= most
        {
            return Some(spot.way);
        }
        let mut best: Option<(f32, (f32, f32))> = None;
        for spot in possible() {
            if best.is_some_and(|(best, _)| spot.least_cost() >= best) {
                continue;
            }
            let cost = spot.cost(self.taken.exact_overlap(body, spot.way, spot.share));
            if cost <= most && best.is_none_or(|(best, _)| cost < best) {
                best = Some((cost, spot.way));
            }
        }
        best.map(|(_, way)| way)
    }

    pub(super) fn jitter(&mut self) -> f32 {
        self.rng.f32() * 2.0 - 1.0
    }

    /// Returns the offset that puts the figure at a slot: with its feet on the ground, or floating; always inside the
    /// picture.
    pub(super) fn spot(&mut self, bounds: &Rect, at: (f32, f32), label: &str) -> (f32, f32) {
        let pad = self.style().unit * 2.4;
        let inside = |low: f32, high: f32, value: f32| {
            if low > high {
                (low + high) / 2.0
            } else {
                value.clamp(low, high)
            }
        };
        let (half_width, half_height) = (bounds.width() / 2.0, bounds.height() / 2.0);
        let x = inside(
            self.area.left() + half_width + pad,
            self.area.right() - half_width - pad,
            self.area.left() + self.area.width() * at.0,
        );
        let floats = self.stage.afloat || is_airborne(label);
        if label == BUST {
            let y = self.area.bottom() + self.style().pen - half_height;
            return (
                x - (bounds.left() + bounds.right()) / 2.0,
                y - (bounds.top() + bounds.bottom()) / 2.0,
            );
        }
        // A star at the seaside or on the seabed is a starfish.
        let starfish = label == "star" && matches!(self.ground, Ground::Shore | Ground::Seabed);
        let y = if is_celestial(label) && !starfish {
            self.area.top() + half_height + pad + self.area.height() * 0.25 * at.1
        } else if floats {
            let top = self.area.top() + half_height + pad;
            let bottom = if self.stage.afloat {
                self.area.bottom() - pad * 2.0
            } else {
                self.stage.horizon + self.area.height() * 0.12
            };
            top + (bottom - half_height - top).max(0.0) * at.1
        } else {
            let depth = self.area.bottom() - self.stage.horizon;
            let share = if self.is_banked {
                bank::level(label, self.ground, at.1)
            } else {
                0.30 + 0.62 * at.1
            };
            let feet = self.stage.horizon + depth * share;
            feet - half_height
        };
        let y = inside(
            self.area.top() + half_height + pad,
            self.area.bottom() - half_height - pad,
            y,
        );
        // A procedural figure is not necessarily centered on the origin.
        (
            x - (bounds.left() + bounds.right()) / 2.0,
            y - (bounds.top() + bounds.bottom()) / 2.0,
        )
    }
}
