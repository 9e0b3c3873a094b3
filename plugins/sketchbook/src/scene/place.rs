//! Finding room for a figure: near its slot, inside the picture, hiding little of the others.

use tiny_skia::{Rect, Transform};

use super::compose::Scene;
use crate::bulk::{airborne, heavenly};
use crate::cast::Actor;
use crate::figure::Figure;
use crate::setting::Ground;

/// Stands for the label of a person cut off at the chest, who rises from the lower edge of the picture.
const BUST: &str = "bust";

impl Scene<'_> {
    /// Traces an actor at a height and finds room for it, shrinking it where there is too little.
    pub(super) fn introduce(
        &mut self,
        actor: &Actor,
        label: &str,
        height: f32,
        at: (f32, f32),
        hero: bool,
    ) -> Option<Rect> {
        let smallest = actor.smallest(self.style()).min(height);
        let widest = self.area.width() * if hero { 0.74 } else { 0.5 };
        let mut height = height;
        let mirrored = self.rng.bool();
        loop {
            let mut figure = actor.figure(widest, height.max(smallest), self.style());
            if hero && figure.bounds().height() < self.brief.height as f32 * 0.37 {
                figure = actor.figure(self.area.width() * 0.9, self.brief.height as f32 * 0.375, self.style());
            }
            if mirrored {
                figure = figure.transformed(Transform::from_scale(-1.0, 1.0));
            }
            if let Some(placed) = self.place(
                &figure,
                at,
                if actor.is_bust() { BUST } else { label },
                if hero { 1.0 } else { 0.09 },
            ) {
                return Some(placed);
            }
            if height <= smallest * 1.02 {
                return None;
            }
            height = (height * 0.84).max(smallest);
        }
    }

    /// Finds a spot near a slot where the figure covers and is covered by little, and takes it.
    pub(super) fn place(&mut self, figure: &Figure, at: (f32, f32), label: &str, tolerated: f32) -> Option<Rect> {
        let bounds = figure.bounds();
        // Small fillers keep some air around them.
        let air = if tolerated <= 0.0 { 1.25 } else { 1.0 };
        let body = figure.transformed(Transform::from_scale(air, air));
        let mut best: Option<(f32, f32, f32)> = None;
        for attempt in 0..36 {
            let spread = attempt as f32 / 36.0;
            let reach = spread * if tolerated <= 0.0 { 0.2 } else { 0.9 };
            let (dx, dy) = (self.jitter() * reach, self.jitter() * reach);
            let (x, y) = self.spot(&bounds, (at.0 + dx, at.1 + dy), label);
            let share = self.taken.overlap(&body.moved(x, y));
            let cost = share + spread * 0.02;
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, x, y));
            }
            if share <= 0.005 {
                break;
            }
        }
        let (cost, x, y) = best?;
        if cost > tolerated + 0.02 {
            return None;
        }
        let placed = figure.moved(x, y);
        self.taken.take(&placed);
        let bounds = placed.bounds();
        self.placed.push((bounds.bottom(), placed));
        Some(bounds)
    }

    pub(super) fn jitter(&mut self) -> f32 {
        self.rng.f32() * 2.0 - 1.0
    }

    /// The center of a figure whose feet are at a share of the ground, or that floats; always inside.
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
        let floats = self.stage.afloat || airborne(label);
        if label == BUST {
            let y = self.area.bottom() + self.style().pen - half_height;
            return (
                x - (bounds.left() + bounds.right()) / 2.0,
                y - (bounds.top() + bounds.bottom()) / 2.0,
            );
        }
        // A star at the sea is a starfish.
        let starfish = label == "star" && matches!(self.ground, Ground::Shore | Ground::Seabed);
        let y = if heavenly(label) && !starfish {
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
            let feet = self.stage.horizon + depth * (0.30 + 0.62 * at.1);
            feet - half_height
        };
        let y = inside(
            self.area.top() + half_height + pad,
            self.area.bottom() - half_height - pad,
            y,
        );
        // Figures of our own may not be centered on the origin.
        (
            x - (bounds.left() + bounds.right()) / 2.0,
            y - (bounds.top() + bounds.bottom()) / 2.0,
        )
    }
}
