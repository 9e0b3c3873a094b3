//! Puts the cast into the place: the hero first, then its companions, then what fills the page.

use fastrand::Rng;
use linepress_plugin_sdk::image::{Audience, Purpose};
use tiny_skia::Rect;

use super::occupancy::Occupancy;
use super::{Frame, Sheet};
use crate::backdrop::{self, Stage};
use crate::brief::Brief;
use crate::bulk::{Bulk, bulk, heavenly};
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
    Template {
        horizon: 0.60,
        hero: (0.50, 0.62),
        hero_height: 1.00,
        supports: [(0.18, 0.80), (0.83, 0.72), (0.20, 0.25), (0.80, 0.20), (0.55, 0.97)],
    },
    Template {
        horizon: 0.56,
        hero: (0.35, 0.66),
        hero_height: 1.06,
        supports: [(0.78, 0.82), (0.75, 0.32), (0.15, 0.95), (0.90, 0.55), (0.52, 0.98)],
    },
    Template {
        horizon: 0.56,
        hero: (0.66, 0.66),
        hero_height: 1.06,
        supports: [(0.22, 0.82), (0.25, 0.32), (0.88, 0.95), (0.10, 0.55), (0.48, 0.98)],
    },
    Template {
        horizon: 0.50,
        hero: (0.48, 0.86),
        hero_height: 1.12,
        supports: [(0.16, 0.45), (0.84, 0.40), (0.86, 0.92), (0.13, 0.93), (0.50, 0.20)],
    },
    Template {
        horizon: 0.66,
        hero: (0.42, 0.40),
        hero_height: 0.98,
        supports: [(0.80, 0.60), (0.20, 0.90), (0.62, 0.95), (0.88, 0.20), (0.10, 0.40)],
    },
    Template {
        horizon: 0.62,
        hero: (0.60, 0.45),
        hero_height: 1.02,
        supports: [(0.20, 0.55), (0.84, 0.92), (0.40, 0.95), (0.12, 0.95), (0.90, 0.35)],
    },
];

/// A scene in the making.
pub(super) struct Scene<'a> {
    pub(super) brief: &'a Brief,
    pub(super) rng: &'a mut Rng,
    pub(super) area: Rect,
    pub(super) ground: Ground,
    pub(super) stage: Stage,
    pub(super) taken: Occupancy,
    /// (depth for painter's order, figure)
    pub(super) placed: Vec<(f32, Figure)>,
    pub(super) labels: Vec<String>,
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
    let lit = brief
        .wish
        .subjects
        .iter()
        .any(|subject| heavenly(&subject.label) && subject.label != "cloud");
    let stage = backdrop::paint(&setting, frame.inner, &brief.style, rng, horizon, lit);
    let mut scene = Scene {
        brief,
        rng,
        area: frame.inner,
        ground: setting.ground,
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
    Sheet {
        backdrop,
        figures,
        front: stage.front,
        frame: Some(frame),
        hero,
    }
}

/// The place named in the prompt, two of them combined, or where the first subject is at home.
fn place(brief: &Brief) -> Setting {
    let named = &brief.wish.settings;
    let home = || {
        let subject = brief.wish.subjects.first().map(|subject| subject.label.as_str());
        let label = subject
            .or(brief.characters.first().map(|portrait| portrait.label.as_str()))
            .unwrap_or("blossom");
        let group = crate::art::Catalog::get()
            .of(label)
            .next()
            .map_or(3, |drawing| drawing.group);
        Setting::named(habitat(label, group)).expect("every habitat is a setting")
    };
    let base = named
        .iter()
        .find(|setting| setting.ground != Ground::Hills)
        .or(named.first())
        .copied();
    let base = base.unwrap_or_else(home);
    // "A castle at night": the ground of one, the sky of the other.
    let weather = named
        .iter()
        .find(|setting| matches!(setting.sky, Sky::Night | Sky::Rain | Sky::Snowfall));
    let sky = match weather {
        Some(weather) if base.sky == Sky::Day => weather.sky,
        _ => base.sky,
    };
    let richest = named
        .iter()
        .find(|setting| setting.ground == base.ground && setting.name != "night")
        .copied()
        .unwrap_or(base);
    Setting {
        sky,
        far: richest.far,
        near: richest.near,
        air: richest.air,
        ..*base
    }
}

impl Scene<'_> {
    pub(super) fn style(&self) -> &Style {
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
        let cover = if self.brief.purpose == Purpose::Cover {
            1.08
        } else {
            1.0
        };
        let hero_height = page * (share * cover * if several { 0.9 } else { 1.0 }).max(0.385);

        let brief = self.brief;
        for (index, portrait) in brief.characters.iter().take(3).enumerate() {
            let height = if index == 0 { hero_height } else { hero_height * 0.86 };
            let figure = portrait.figure(self.area.width() * 0.6, height, self.style());
            let at = if index == 0 {
                template.hero
            } else {
                template.supports[slot]
            };
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
            let copies = subject.count.min(if self.style().audience == Audience::Toddler {
                4
            } else {
                8
            });
            if used > budget {
                break;
            }
            used += 1;
            for copy in 0..copies {
                let Some(actor) = Actor::choose(&subject.label, &brief.style, self.rng) else {
                    continue;
                };
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
                    let relative = if copy > 0 && used == 1 {
                        0.86
                    } else {
                        bulk(&subject.label, actor.group()).share()
                    };
                    (
                        hero_height * relative * crowd * same * (0.92 + 0.16 * self.rng.f32()),
                        at,
                    )
                };
                let placed = self.introduce(&actor, &subject.label, height, at, hero.is_none());
                hero = hero.or(placed);
            }
            self.labels.push(subject.label.clone());
        }
        hero
    }
}
