//! The composition of a scene: the hero first, then its companions, then the fillers.

use fastrand::Rng;
use linepress_plugin_sdk::v1::image::{Audience, Purpose};
use tiny_skia::Rect;

use super::bank::banked;
use super::cover::CALM_SHARE;
use super::occupancy::Occupancy;
use super::template::Template;
use super::{Frame, Sheet, incompleteness};
use crate::backdrop::{self, Light, Stage};
use crate::brief::Brief;
use crate::bulk::{Bulk, bulk, is_airborne, is_celestial};
use crate::characters::Portrait;
use crate::color::Palette;
use crate::edit::{Edit, edited};
use crate::figure::Figure;
use crate::letters;
use crate::player::Player;
use crate::setting::{Ground, Setting, Sky, habitat};
use crate::style::Style;

/// The maximum number of characters in a scene, except of people who stand next to each other.
pub(super) const MAX_CHARACTERS: usize = 3;

/// The maximum depth of the background, where the hero may hide a figure.
pub(super) const MAX_BACKGROUND_DEPTH: f32 = 0.2;

/// The horizon of a cover in color, as a share of the height.
const COVER_HORIZON: f32 = 0.62;

/// The depth of figures that nothing may hide.
const FOREGROUND_DEPTH: f32 = f32::MAX;

/// A figure in its place.
pub(super) struct Placed {
    /// The depth, which decides the painter's order.
    depth: f32,
    pub(super) figure: Figure,
    /// The label of its drawing; empty for letters.
    label: String,
}

impl Placed {
    pub(super) fn new(depth: f32, figure: Figure) -> Self {
        let label = String::new();
        Self { depth, figure, label }
    }
}

/// A scene under construction.
pub(super) struct Scene<'a> {
    pub(super) brief: &'a Brief,
    pub(super) rng: &'a mut Rng,
    pub(super) area: Rect,
    pub(super) ground: Ground,
    /// True if subjects that live on land are on the bank of the water.
    pub(super) is_banked: bool,
    pub(super) stage: Stage,
    pub(super) taken: Occupancy,
    pub(super) placed: Vec<Placed>,
    pub(super) labels: Vec<String>,
    /// Subjects of the prompt, and names of characters, that did not fit on the page.
    pub(super) missing: Vec<String>,
    /// Subjects, and names of characters, beyond the number that the picture shows.
    pub(super) omitted: Vec<String>,
}

/// Composes a scene, then applies the edits to its figures. `None` if so many subjects are missing that the fault of
/// the composition is not less than `least`.
pub(super) fn compose(brief: &Brief, rng: &mut Rng, edits: &[Edit], least: f32) -> Option<Sheet> {
    let frame = Frame::choose(brief, rng);
    let template = Template::any(rng);
    let (setting, is_banked) = banked(place(brief), brief);
    let horizon = match setting.ground {
        Ground::Seabed => 0.70 + 0.12 * rng.f32(),
        Ground::Craters => 0.70 + 0.10 * rng.f32(),
        Ground::Clouds => 0.80,
        _ if brief.style.colored => COVER_HORIZON,
        Ground::Room => 0.58 + 0.10 * rng.f32(),
        // Snow, rain and ponds have nothing that divides a large surface: the horizon is limited to the middle.
        Ground::Pond | Ground::Lakeside | Ground::Snow => template.horizon.clamp(0.5, 0.62),
        _ if setting.sky != Sky::Day => template.horizon.clamp(0.46, 0.64),
        _ => template.horizon,
    };
    let subjects = &brief.wish.subjects;
    let light = Light {
        lit: subjects
            .iter()
            .any(|subject| is_celestial(&subject.label) && subject.label != "cloud"),
        low: brief.wish.low_sun,
    };
    let palette = Palette::choose(&setting, light.low, brief.seed);
    let stage = backdrop::paint(&setting, frame.inner, &brief.style, rng, horizon, light, palette);
    let mut scene = Scene {
        brief,
        rng,
        area: if brief.style.colored {
            below_title(&frame.inner)
        } else {
            frame.inner
        },
        ground: setting.ground,
        is_banked,
        stage,
        taken: Occupancy::new(brief.width, brief.height),
        placed: Vec::new(),
        labels: Vec::new(),
        missing: Vec::new(),
        omitted: Vec::new(),
    };
    let hero = if brief.style.colored {
        scene.star(&setting)
    } else {
        scene.subjects(&template)
    };
    if incompleteness(&scene.missing) >= least {
        return None;
    }
    let far = scene.distance(&setting);
    scene.fill(&setting);

    let Scene {
        mut placed,
        stage,
        missing,
        omitted,
        ..
    } = scene;
    placed.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    let distant = far.iter().map(|(label, _)| *label);
    let labels = placed.iter().map(|placed| placed.label.as_str()).chain(distant);
    let labels: Vec<String> = labels.map(str::to_string).collect();
    let edit = |label: &str, figure: Figure| edited(edits, label, figure, &frame.inner);
    let figures = placed
        .into_iter()
        .filter_map(|placed| edit(&placed.label, placed.figure));
    let figures: Vec<Figure> = if brief.style.colored {
        figures.map(|figure| stage.grounded(figure)).collect()
    } else {
        figures.collect()
    };
    let far = far.into_iter().filter_map(|(label, figure)| edit(label, figure));
    let mut backdrop = stage.sky;
    backdrop.extend(stage.far);
    backdrop.extend(far.flat_map(|figure| figure.layers));
    backdrop.extend(stage.near);
    Some(Sheet {
        backdrop,
        figures,
        front: stage.front,
        frame: Some(frame),
        hero,
        missing,
        omitted,
        labels,
        paper: Some(palette.sky[0]),
    })
}

/// Returns the part of a cover that no title hides.
fn below_title(area: &Rect) -> Rect {
    let top = area.top() + area.height() * CALM_SHARE;
    Rect::from_ltrb(area.left(), top, area.right(), area.bottom()).unwrap_or(*area)
}

/// Returns true if the prompt shows the moon and neither the sun nor a rainbow: the scene is then at night.
fn moonlit(brief: &Brief) -> bool {
    let shines = |light: &str| brief.wish.subjects.iter().any(|subject| subject.label.contains(light));
    shines("moon") && !shines("moon cake") && !shines("sun") && !shines("rainbow")
}

/// Returns the setting that the prompt names, a combination of two such settings, or the first subject's habitat.
pub(crate) fn place(brief: &Brief) -> Setting {
    let named = &brief.wish.settings;
    let home = || {
        if brief.style.colored && brief.has_pirates() {
            return Setting::named("sea").expect("the sea is a setting");
        }
        if let (Some(sketch), None) = (brief.sketches.first(), brief.wish.subjects.first()) {
            return Setting::named(sketch.habitat()).expect("the habitat of every sketch is a setting");
        }
        let subject = brief.wish.subjects.first().map(|subject| subject.label.as_str());
        let label = subject
            .or(brief.characters.first().map(|portrait| portrait.label.as_str()))
            .unwrap_or("blossom");
        let group = crate::art::Drawings::get()
            .with_label(label)
            .next()
            .map_or(3, |drawing| drawing.group);
        Setting::named(habitat(label, group)).expect("every habitat is the name of a setting")
    };
    // "A sandy seabed" is not a beach, and "on the moon under a starry sky" is not up in the clouds.
    let surest = |setting: &&&Setting| matches!(setting.ground, Ground::Seabed | Ground::Craters);
    // Snow lies on a mountain and falls on a pond.
    let under_snow = |setting: &&&Setting| {
        let has_snow = named.iter().any(|other| other.ground == Ground::Snow);
        has_snow && matches!(setting.ground, Ground::Peaks | Ground::Pond)
    };
    let base = named
        .iter()
        .find(surest)
        .or_else(|| named.iter().find(under_snow))
        .or_else(|| named.iter().find(|setting| setting.ground != Ground::Hills))
        .or(named.first())
        .copied();
    // "A castle at night" takes its ground from one setting and its sky from the other.
    let weather = named
        .iter()
        .copied()
        .find(|setting| matches!(setting.sky, Sky::Night | Sky::Rain | Sky::Snowfall))
        .or_else(|| moonlit(brief).then(|| Setting::named("night")).flatten());
    // "A lighthouse in a storm" is on its shore if the prompt names no other setting than the storm.
    let only_weather = named.iter().all(|setting| matches!(setting.name, "night" | "rain"));
    let at_home = Some(home()).filter(|home| {
        only_weather && !matches!(home.ground, Ground::Hills | Ground::Room | Ground::Stage) && home.sky == Sky::Day
    });
    if let (Some(home), Some(weather)) = (at_home, weather) {
        return Setting {
            sky: weather.sky,
            air: weather.air,
            ..*home
        };
    }
    let base = base.unwrap_or_else(home);
    let sky = match weather {
        Some(weather) if base.sky == Sky::Day => weather.sky,
        _ => base.sky,
    };
    let richest = named
        .iter()
        .find(|setting| setting.ground == base.ground && setting.name != "night")
        .copied()
        .unwrap_or(base);
    let fillers = weather
        .filter(|weather| weather.ground == Ground::Snow && under_snow(&&base))
        .unwrap_or(richest);
    Setting {
        sky,
        far: richest.far,
        near: fillers.near,
        air: fillers.air,
        ..*base
    }
}

impl Scene<'_> {
    pub(super) fn style(&self) -> &Style {
        &self.brief.style
    }

    /// Records the label of the figure that was placed last.
    pub(super) fn label_last(&mut self, label: &str) {
        if let Some(last) = self.placed.last_mut() {
            last.label = label.to_string();
        }
    }

    /// Records characters beyond the number that the picture shows.
    pub(super) fn omit(&mut self, characters: &[Portrait]) {
        self.omitted
            .extend(characters.iter().map(|portrait| portrait.name.clone()));
    }

    /// Writes subjects without a drawing in letters across the upper part of the picture.
    fn spell(&mut self, page: f32) -> Option<Rect> {
        let brief = self.brief;
        let widest = self.area.width() * 0.92;
        let letters = letters::figure(&brief.wish.spelled, widest, page * 0.34, &brief.style, self.rng)?;
        let height = letters.bounds().height();
        let space = (page * 0.34 - height).max(0.0) / 2.0;
        let letters = letters.moved(
            (self.area.left() + self.area.right()) / 2.0,
            self.area.top() + brief.style.unit * 5.0 + space + height / 2.0,
        );
        self.taken.take(&letters);
        let bounds = letters.bounds();
        self.placed.push(Placed::new(FOREGROUND_DEPTH, letters));
        Some(bounds)
    }

    fn subjects(&mut self, template: &Template) -> Option<Rect> {
        let mut hero;
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

        hero = self.spell(page);
        let brief = self.brief;
        let group = self.company();
        let together = |label: &str| group.iter().any(|member| member.label == label);
        if !group.is_empty() {
            let crowd = if group.len() > 2 { 0.92 } else { 1.0 };
            let placed = self.line_up(&group, hero_height * crowd);
            self.labels.extend(group.iter().map(|member| member.label.clone()));
            hero = hero.or(placed);
        }
        let cast = self.cast();
        self.omit(&brief.characters[cast.len()..]);
        for (index, portrait) in cast.iter().enumerate() {
            if together(&portrait.label) {
                continue;
            }
            let height = if index == 0 { hero_height } else { hero_height * 0.86 };
            let at = if index == 0 {
                template.hero
            } else {
                template.supports[slot]
            };
            slot += usize::from(index > 0);
            let placed = self.welcome(portrait, height, at);
            if placed.is_none() {
                self.missing.push(portrait.name.clone());
            }
            self.labels.push(portrait.label.clone());
            hero = hero.or(placed);
        }
        let budget = self.style().supports + 1;
        let mut used = usize::from(hero.is_some() && group.is_empty());
        let mut subjects: Vec<_> = brief.wish.subjects.iter().collect();
        // The sun is never the hero of a page with a fox on it.
        subjects.sort_by_key(|subject| is_celestial(&subject.label));
        for subject in subjects {
            let copies = subject.count.min(if self.style().audience == Audience::Toddler {
                4
            } else {
                8
            });
            if used > budget && !together(&subject.label) {
                self.omitted.push(subject.label.clone());
                continue;
            }
            used += 1;
            if together(&subject.label) {
                continue;
            }
            let mut present = false;
            for copy in 0..copies {
                let number = brief.number_of(&subject.label, copy);
                let Some(player) = Player::for_subject(subject, number, &brief.style, self.rng) else {
                    continue;
                };
                let actor = player.actor();
                let (height, at) = if hero.is_none() {
                    (hero_height, template.hero)
                } else {
                    let mut at = template.supports[slot % template.supports.len()];
                    slot += 1;
                    if bulk(&subject.label, actor.group()) == Bulk::Huge {
                        // Trees and houses are in the background.
                        at.1 *= MAX_BACKGROUND_DEPTH;
                    } else if matches!(actor.group(), 4 | 6 | 7) && !is_airborne(&subject.label) {
                        // Food and objects lie in the foreground, and under water on the seabed.
                        at.1 = if self.ground == Ground::Seabed {
                            0.97
                        } else {
                            at.1.max(0.6)
                        };
                    } else if actor.group() == 1 && !is_airborne(&subject.label) {
                        // People are about as large as the hero, and must be as near: farther up they would seem to
                        // float.
                        at.1 = at.1.max(0.5);
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
                let placed = self.introduce(&player, &subject.label, height, at, hero.is_none());
                present |= placed.is_some();
                hero = hero.or(placed);
            }
            if !present {
                self.missing.push(subject.label.clone());
            }
            self.labels.push(subject.label.clone());
        }
        hero
    }
}
