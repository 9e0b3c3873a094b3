//! Puts the cast into the place: the hero first, then its companions, then what fills the page.

use fastrand::Rng;
use linepress_plugin_sdk::image::{Audience, Purpose};
use tiny_skia::{Rect, Transform};

use super::occupancy::Occupancy;
use super::{Frame, Sheet};
use crate::backdrop::{self, Stage};
use crate::brief::Brief;
use crate::bulk::{Bulk, airborne, bulk, heavenly};
use crate::cast::Actor;
use crate::figure::Figure;
use crate::setting::{Ground, Setting, Sky, habitat};
use crate::style::Style;

/// Where the hero and its companions go: shares of the picture, x and the depth of the feet.
struct Template {
    horizon: f32,
    hero: (f32, f32),
    hero_height: f32,
    supports: [(f32, f32); 5],
}

const TEMPLATES: &[Template] = &[
    Template { horizon: 0.60, hero: (0.50, 0.62), hero_height: 1.00, supports: [(0.18, 0.80), (0.83, 0.72), (0.20, 0.25), (0.80, 0.20), (0.55, 0.97)] },
    Template { horizon: 0.56, hero: (0.35, 0.66), hero_height: 1.06, supports: [(0.78, 0.82), (0.75, 0.32), (0.15, 0.95), (0.90, 0.55), (0.52, 0.98)] },
    Template { horizon: 0.56, hero: (0.66, 0.66), hero_height: 1.06, supports: [(0.22, 0.82), (0.25, 0.32), (0.88, 0.95), (0.10, 0.55), (0.48, 0.98)] },
    Template { horizon: 0.50, hero: (0.48, 0.86), hero_height: 1.12, supports: [(0.16, 0.45), (0.84, 0.40), (0.86, 0.92), (0.13, 0.93), (0.50, 0.20)] },
    Template { horizon: 0.66, hero: (0.42, 0.40), hero_height: 0.98, supports: [(0.80, 0.60), (0.20, 0.90), (0.62, 0.95), (0.88, 0.20), (0.10, 0.40)] },
    Template { horizon: 0.62, hero: (0.60, 0.45), hero_height: 1.02, supports: [(0.20, 0.55), (0.84, 0.92), (0.40, 0.95), (0.12, 0.95), (0.90, 0.35)] },
];

/// Stands for the label of a person cut off at the chest, who rises from the lower edge of the picture.
const BUST: &str = "bust";

struct Scene<'a> {
    brief: &'a Brief,
    rng: &'a mut Rng,
    area: Rect,
    stage: Stage,
    taken: Occupancy,
    /// (depth for painter's order, figure)
    placed: Vec<(f32, Figure)>,
    labels: Vec<String>,
}

pub fn compose(brief: &Brief, rng: &mut Rng) -> Sheet {
    let frame = Frame::choose(brief, rng);
    let template = &TEMPLATES[rng.usize(0..TEMPLATES.len())];
    let setting = place(brief);
    let horizon = match setting.ground {
        Ground::Seabed => 0.78,
        Ground::Craters => 0.76,
        Ground::Clouds => 0.80,
        Ground::Room => 0.64,
        _ => template.horizon + 0.05 * (rng.f32() - 0.5),
    };
    let lit = brief.wish.subjects.iter().any(|subject| heavenly(&subject.label) && subject.label != "cloud");
    let stage = backdrop::paint(&setting, frame.inner, &brief.style, rng, horizon, lit);
    let mut scene = Scene {
        brief,
        rng,
        area: frame.inner,
        stage,
        taken: Occupancy::new(brief.width, brief.height),
        placed: Vec::new(),
        labels: Vec::new(),
    };
    let hero = scene.subjects(template);
    let far = scene.distance(&setting);
    scene.fill(&setting);

    let Scene { mut placed, stage, .. } = scene;
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut backdrop = stage.sky;
    backdrop.extend(stage.far);
    backdrop.extend(far.into_iter().flat_map(|figure| figure.layers));
    backdrop.extend(stage.near);
    let figures = placed.into_iter().map(|(_, figure)| figure).collect();
    Sheet { backdrop, figures, front: stage.front, frame: Some(frame), hero }
}

/// The place named in the prompt, two of them combined, or where the first subject is at home.
fn place(brief: &Brief) -> Setting {
    let named = &brief.wish.settings;
    let home = || {
        let subject = brief.wish.subjects.first().map(|subject| subject.label.as_str());
        let label = subject.or(brief.characters.first().map(|portrait| portrait.label.as_str())).unwrap_or("blossom");
        let group = crate::art::Catalog::get().of(label).next().map_or(3, |drawing| drawing.group);
        Setting::named(habitat(label, group)).expect("every habitat is a setting")
    };
    let base = named.iter().find(|setting| setting.ground != Ground::Hills).or(named.first()).copied();
    let base = base.unwrap_or_else(home);
    // "A castle at night": the ground of one, the sky of the other.
    let weather = named.iter().find(|setting| matches!(setting.sky, Sky::Night | Sky::Rain | Sky::Snowfall));
    let sky = match weather {
        Some(weather) if base.sky == Sky::Day => weather.sky,
        _ => base.sky,
    };
    let richest = named.iter().find(|setting| setting.ground == base.ground && setting.name != "night").copied().unwrap_or(base);
    Setting { sky, far: richest.far, near: richest.near, air: richest.air, ..*base }
}

impl Scene<'_> {
    fn style(&self) -> &Style {
        &self.brief.style
    }

    fn subjects(&mut self, template: &Template) -> Option<Rect> {
        let mut hero = None;
        let mut slot = 0;
        let share = match self.style().audience {
            Audience::Toddler => 0.52,
            Audience::Child => 0.45,
            Audience::Teen | Audience::Adult => 0.42,
        } * template.hero_height;
        let page = self.brief.height as f32;
        let several = self.brief.characters.len() > 1 || self.brief.wish.subjects.first().is_some_and(|s| s.count > 1);
        let cover = if self.brief.purpose == Purpose::Cover { 1.08 } else { 1.0 };
        let hero_height = page * (share * cover * if several { 0.9 } else { 1.0 }).max(0.385);

        let brief = self.brief;
        for (index, portrait) in brief.characters.iter().take(3).enumerate() {
            let height = if index == 0 { hero_height } else { hero_height * 0.86 };
            let figure = portrait.figure(self.area.width() * 0.6, height, self.style());
            let at = if index == 0 { template.hero } else { template.supports[slot] };
            slot += usize::from(index > 0);
            let placed = self.place(&figure, at, &portrait.label, 0.06);
            self.labels.push(portrait.label.clone());
            hero = hero.or(placed);
        }
        let budget = self.style().supports + 1;
        let mut used = usize::from(hero.is_some());
        let mut subjects: Vec<_> = brief.wish.subjects.iter().collect();
        // The sun never is the hero of a page with a fox on it.
        subjects.sort_by_key(|subject| heavenly(&subject.label));
        for subject in subjects {
            let copies = subject.count.min(if self.style().audience == Audience::Toddler { 4 } else { 8 });
            if used >= budget + 1 {
                break;
            }
            used += 1;
            for copy in 0..copies {
                let Some(actor) = Actor::choose(&subject.label, &brief.style, self.rng) else { continue };
                let (height, at) = if hero.is_none() {
                    (hero_height, template.hero)
                } else {
                    let mut at = template.supports[slot % template.supports.len()];
                    slot += 1;
                    if bulk(&subject.label, actor.group()) == Bulk::Huge {
                        // Trees and houses stand behind.
                        at.1 *= 0.2;
                    }
                    let crowd = if copies > 3 { 0.7 } else { 1.0 };
                    let same = if copy > 0 && used == 1 { 0.86 } else { 1.0 };
                    let relative = if copy > 0 && used == 1 { 0.86 } else { bulk(&subject.label, actor.group()).share() };
                    (hero_height * relative * crowd * same * (0.92 + 0.16 * self.rng.f32()), at)
                };
                let placed = self.introduce(&actor, &subject.label, height, at, hero.is_none());
                hero = hero.or(placed);
            }
            self.labels.push(subject.label.clone());
        }
        hero
    }

    /// Traces an actor at a height and finds room for it, shrinking it where there is too little.
    fn introduce(&mut self, actor: &Actor, label: &str, height: f32, at: (f32, f32), hero: bool) -> Option<Rect> {
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
            if let Some(placed) = self.place(&figure, at, if actor.is_bust() { BUST } else { label }, if hero { 1.0 } else { 0.09 }) {
                return Some(placed);
            }
            if height <= smallest * 1.02 {
                return None;
            }
            height = (height * 0.84).max(smallest);
        }
    }

    /// Finds a spot near a slot where the figure covers and is covered by little, and takes it.
    fn place(&mut self, figure: &Figure, at: (f32, f32), label: &str, tolerated: f32) -> Option<Rect> {
        let bounds = figure.bounds();
        // Small fillers keep some air around them.
        let air = if tolerated <= 0.0 { 1.25 } else { 1.0 };
        let body = figure.transformed(Transform::from_scale(air, air));
        let mut best: Option<(f32, f32, f32)> = None;
        for attempt in 0..36 {
            let spread = attempt as f32 / 36.0;
            let (dx, dy) = (self.jitter() * spread * 0.9, self.jitter() * spread * 0.9);
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

    fn jitter(&mut self) -> f32 {
        self.rng.f32() * 2.0 - 1.0
    }

    /// The center of a figure whose feet are at a share of the ground, or that floats; always inside.
    fn spot(&mut self, bounds: &Rect, at: (f32, f32), label: &str) -> (f32, f32) {
        let pad = self.style().unit * 2.4;
        let inside = |low: f32, high: f32, value: f32| if low > high { (low + high) / 2.0 } else { value.clamp(low, high) };
        let (half_width, half_height) = (bounds.width() / 2.0, bounds.height() / 2.0);
        let x = inside(self.area.left() + half_width + pad, self.area.right() - half_width - pad, self.area.left() + self.area.width() * at.0);
        let floats = self.stage.afloat || airborne(label);
        if label == BUST {
            let y = self.area.bottom() + self.style().pen - half_height;
            return (x - (bounds.left() + bounds.right()) / 2.0, y - (bounds.top() + bounds.bottom()) / 2.0);
        }
        let y = if heavenly(label) {
            self.area.top() + half_height + pad + self.area.height() * 0.25 * at.1
        } else if floats {
            let top = self.area.top() + half_height + pad;
            let bottom = if self.stage.afloat { self.area.bottom() - pad * 2.0 } else { self.stage.horizon + self.area.height() * 0.12 };
            top + (bottom - half_height - top).max(0.0) * at.1
        } else {
            let depth = self.area.bottom() - self.stage.horizon;
            let feet = self.stage.horizon + depth * (0.30 + 0.62 * at.1);
            feet - half_height
        };
        let y = inside(self.area.top() + half_height + pad, self.area.bottom() - half_height - pad, y);
        // Figures of our own may not be centered on the origin.
        (x - (bounds.left() + bounds.right()) / 2.0, y - (bounds.top() + bounds.bottom()) / 2.0)
    }

    /// Distant drawings along the ridge, behind everything.
    fn distance(&mut self, setting: &Setting) -> Vec<Figure> {
        let count = match self.style().audience {
            Audience::Toddler => 2,
            _ => 3 + self.rng.usize(0..3),
        };
        let choices: Vec<&str> = setting.far.iter().copied().filter(|label| !self.labels.iter().any(|known| known == label)).collect();
        let mut figures = Vec::new();
        if choices.is_empty() || self.stage.afloat {
            return figures;
        }
        let indoors = setting.sky == Sky::Wall;
        let mut singular: Vec<&str> = Vec::new();
        let offset = self.rng.f32() * 0.5;
        for index in 0..count {
            let label = choices[self.rng.usize(0..choices.len())];
            // One volcano is a landmark, three are a row of copies.
            if !label.contains("tree") && !label.contains("cactus") && singular.contains(&label) {
                continue;
            }
            singular.push(label);
            let Some(actor) = Actor::choose(label, &self.brief.style, self.rng) else { continue };
            let tall = (self.stage.ridge - self.area.top()) * if indoors { 0.42 } else { 0.36 + 0.22 * self.rng.f32() };
            let height = (self.brief.height as f32 * 0.24).min(tall).max(actor.smallest(self.style()) * 0.8);
            let mut figure = actor.figure((self.stage.span.1 - self.stage.span.0) * 0.32, height, self.style());
            if self.rng.bool() {
                figure = figure.transformed(Transform::from_scale(-1.0, 1.0));
            }
            let bounds = figure.bounds();
            let share = ((index as f32 + offset + 0.3 * self.rng.f32()) / count as f32).clamp(0.02, 0.98);
            let pad = if indoors { 0.0 } else { self.style().unit * 2.4 };
            let (left, right) = self.stage.span;
            let (low, high) = (left + pad + bounds.width() / 2.0, right - pad - bounds.width() / 2.0);
            if low > high {
                continue;
            }
            let x = (left + (right - left) * share).clamp(low, high);
            let sink = if indoors { 0.0 } else { self.style().unit * 1.6 };
            let moved = figure.moved(x - (bounds.left() + bounds.right()) / 2.0, self.stage.ridge + sink - bounds.bottom());
            if self.taken.overlap(&moved) < 0.22 {
                self.taken.take(&moved);
                figures.push(moved);
            }
        }
        figures
    }

    /// Small drawings where the page is still empty.
    fn fill(&mut self, setting: &Setting) {
        let wide = self.area.width() * 0.45;
        let sky: Vec<Figure> = self.stage.sky.iter().filter(|layer| layer.fill.as_ref().is_some_and(|path| path.bounds().width() < wide))
            .map(|layer| Figure::of(vec![layer.clone()])).collect();
        for figure in sky.iter().chain(&[Figure::of(self.stage.front.clone())]) {
            self.taken.take(figure);
        }
        let total = self.style().fillers;
        let in_air = if self.stage.afloat { total * 2 / 3 } else { total / 3 };
        for index in 0..total {
            let above = index < in_air;
            let choices: Vec<&str> = if above { setting.air } else { setting.near }.iter().copied()
                .filter(|label| !self.labels.iter().any(|known| known == label)).collect();
            if choices.is_empty() {
                continue;
            }
            let label = choices[self.rng.usize(0..choices.len())];
            let Some(actor) = Actor::choose(label, &self.brief.style, self.rng) else { continue };
            let base = self.brief.height.min(self.brief.width) as f32 * (self.style().filler + 0.06 * self.rng.f32());
            let height = base.max(actor.smallest(self.style()));
            if height > self.brief.height as f32 * 0.24 {
                continue;
            }
            let mut figure = actor.figure(height * 1.4, height, self.style());
            let turn = if above { self.jitter() * 14.0 } else { 0.0 };
            let flip = if self.rng.bool() { -1.0 } else { 1.0 };
            figure = figure.transformed(Transform::from_rotate(turn).post_scale(flip, 1.0));
            for _ in 0..8 {
                let (x, y) = (self.rng.f32(), self.rng.f32());
                let at = if above || !self.stage.afloat { (x, y) } else { (x, 0.85 + 0.15 * y) };
                let name = if above { "butterfly" } else { label };
                let place = if above && !self.stage.afloat { (at.0, at.1 * 0.75) } else { at };
                if self.place(&figure, place, name, 0.0).is_some() {
                    break;
                }
            }
        }
    }
}

