//! The fillers of a scene: drawings in the distance, and small ones on the ground and in the air.

use linepress_plugin_sdk::v1::image::Audience;
use tiny_skia::Transform;

use super::compose::Scene;
use super::occupancy::Surfaces;
use crate::cast::Actor;
use crate::figure::Figure;
use crate::setting::{Setting, Sky};

/// The space that a small filler needs around it, as a factor of its size.
const AIR: f32 = 1.45;

impl Scene<'_> {
    /// Returns distant drawings along the ridge, behind everything, and their labels.
    pub(super) fn distance(&mut self, setting: &Setting) -> Vec<(&'static str, Figure)> {
        let count = match self.style().audience {
            Audience::Toddler => 2,
            _ => 3 + self.rng.usize(0..3),
        };
        let choices: Vec<&'static str> = setting
            .far
            .iter()
            .copied()
            .filter(|label| !self.labels.iter().any(|known| known == label))
            .collect();
        let mut figures = Vec::new();
        if choices.is_empty() || self.stage.afloat {
            return figures;
        }
        let indoors = setting.sky == Sky::Wall;
        let mut singular: Vec<&str> = Vec::new();
        let offset = self.rng.f32() * 0.5;
        for index in 0..count {
            let label = choices[self.rng.usize(0..choices.len())];
            // Only trees and cacti are repeated: one volcano is a landmark, but three are a row of copies.
            if !label.contains("tree") && !label.contains("cactus") && singular.contains(&label) {
                continue;
            }
            singular.push(label);
            let Some(actor) = Actor::choose(label, &self.brief.style, self.rng) else {
                continue;
            };
            let tall = (self.stage.ridge - self.area.top()) * if indoors { 0.42 } else { 0.36 + 0.22 * self.rng.f32() };
            let height = (self.brief.height as f32 * 0.24)
                .min(tall)
                .max(actor.smallest(self.style()) * 0.8);
            let mut figure = actor.figure((self.stage.span.1 - self.stage.span.0) * 0.32, height, self.style());
            if self.rng.bool() {
                figure = figure.transformed(Transform::from_scale(-1.0, 1.0));
            }
            let bounds = figure.bounds();
            let share = (index as f32 + offset + 0.3 * self.rng.f32()) / count as f32;
            let pad = if indoors { 0.0 } else { self.style().unit * 2.4 };
            let (left, right) = self.stage.span;
            let (low, high) = (left + pad + bounds.width() / 2.0, right - pad - bounds.width() / 2.0);
            if low > high {
                continue;
            }
            let sink = if indoors { 0.0 } else { self.style().unit * 1.6 };
            let surfaces = Surfaces::new(&figure, 1.0);
            // If a subject is in the way, the drawing moves along the ridge.
            for step in 0..4 {
                let share = (share + step as f32 * 0.23).rem_euclid(1.0).clamp(0.02, 0.98);
                let x = (left + (right - left) * share).clamp(low, high);
                let way = (
                    x - (bounds.left() + bounds.right()) / 2.0,
                    self.stage.ridge + sink - bounds.bottom(),
                );
                let moved = figure.moved(way.0, way.1);
                if !self.grows_out_of_a_head(&moved) && self.taken.overlaps_less(&surfaces, way, 0.14) {
                    self.taken.take(&moved);
                    figures.push((label, moved));
                    break;
                }
            }
        }
        figures
    }

    /// Returns true if a subject hides the trunk of a tree but not its top.
    fn grows_out_of_a_head(&self, tree: &Figure) -> bool {
        self.placed.iter().any(|placed| {
            let (before, behind) = (placed.figure.bounds(), tree.bounds());
            let middle = (behind.left() + behind.right()) / 2.0;
            (before.left()..before.right()).contains(&middle)
                && behind.top() < before.top()
                && before.top() < behind.bottom()
        })
    }

    /// Adds small drawings where the page is still empty.
    pub(super) fn fill(&mut self, setting: &Setting) {
        let wide = self.area.width() * 0.45;
        let sky: Vec<Figure> = self
            .stage
            .sky
            .iter()
            .filter(|layer| layer.fill.as_ref().is_some_and(|path| path.bounds().width() < wide))
            .map(|layer| Figure::from_layers(vec![layer.clone()]))
            .collect();
        for figure in sky.iter().chain(&[Figure::from_layers(self.stage.front.clone())]) {
            self.taken.take(figure);
        }
        let total = self.style().fillers;
        let in_air = if self.stage.afloat { total * 2 / 3 } else { total / 3 };
        for index in 0..total {
            let above = index < in_air;
            let choices: Vec<&str> = if above { setting.air } else { setting.near }
                .iter()
                .copied()
                .filter(|label| !self.labels.iter().any(|known| known == label))
                .collect();
            if choices.is_empty() {
                continue;
            }
            let label = choices[self.rng.usize(0..choices.len())];
            let Some(actor) = Actor::choose(label, &self.brief.style, self.rng) else {
                continue;
            };
            let base = self.brief.height.min(self.brief.width) as f32 * (self.style().filler + 0.06 * self.rng.f32());
            let height = base.max(actor.smallest(self.style()));
            if height > self.brief.height as f32 * 0.24 {
                continue;
            }
            let mut figure = actor.figure(height * 1.4, height, self.style());
            let turn = if above { self.jitter() * 14.0 } else { 0.0 };
            let flip = if self.rng.bool() { -1.0 } else { 1.0 };
            figure = figure.transformed(Transform::from_rotate(turn).post_scale(flip, 1.0));
            let body = Surfaces::new(&figure, AIR);
            for _ in 0..8 {
                let (x, y) = (self.rng.f32(), self.rng.f32());
                let at = if above || !self.stage.afloat {
                    (x, y)
                } else {
                    (x, 0.85 + 0.15 * y)
                };
                let name = if above { "butterfly" } else { label };
                let place = if above && !self.stage.afloat {
                    (at.0, at.1 * 0.75)
                } else {
                    at
                };
                if self.place(&figure, &body, place, name, 0.0).is_some() {
                    self.label_last(label);
                    break;
                }
            }
        }
    }
}
