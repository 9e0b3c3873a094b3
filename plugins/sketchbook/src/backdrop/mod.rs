//! Backdrops: the ground, horizon and sky of a scene, drawn procedurally.

mod calm;
mod day;
mod indoor;
mod land;
mod sky;
mod water;
mod yard;

use fastrand::Rng;
use tiny_skia::Rect;

use crate::color::{Palette, cast_shadow};
use crate::figure::shapes::ellipse;
use crate::figure::{Figure, Layer};
use crate::setting::{Ground, Setting, Sky};
use crate::style::Style;

/// The layers of a backdrop in painter's order. Subjects are placed between `horizon` and the bottom of the area.
#[derive(Debug, Default)]
pub struct Stage {
    pub sky: Vec<Layer>,
    /// The far ground. Distant drawings are placed on its upper edge, `ridge`.
    pub far: Vec<Layer>,
    pub near: Vec<Layer>,
    /// Layers in front of the subjects, along the bottom of the page.
    pub front: Vec<Layer>,
    pub ridge: f32,
    pub horizon: f32,
    /// The distance from the horizon to the lower edge.
    pub depth: f32,
    /// The left and right limits for distant drawings.
    pub span: (f32, f32),
    /// True where subjects float at any height: in water or in space.
    pub afloat: bool,
}

/// The inputs of the functions that draw a backdrop.
pub(crate) struct Site<'a> {
    pub area: Rect,
    pub style: &'a Style,
    pub rng: &'a mut Rng,
    pub horizon: f32,
    pub light: Light,
    pub palette: Palette,
}

/// The lighting that the prompt asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Light {
    /// True if the prompt itself has a sun, moon or rainbow among its subjects.
    pub lit: bool,
    /// True at sunrise and sunset.
    pub low: bool,
}

impl Site<'_> {
    pub(crate) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.rng.f32()
    }

    pub(crate) fn unit(&self) -> f32 {
        self.style.unit
    }

    /// Returns true if the audience is too young for small ornaments.
    pub(crate) fn plain(&self) -> bool {
        self.style.audience == linepress_plugin_sdk::v1::image::Audience::Toddler
    }
}

impl Stage {
    /// Puts the shadow that a figure casts on the ground below it. A figure in the air casts none.
    pub fn grounded(&self, mut figure: Figure) -> Figure {
        let bounds = figure.bounds();
        let deep = self.horizon + self.depth * 0.2;
        if self.afloat || bounds.bottom() < deep || bounds.bottom() > self.horizon + self.depth {
            return figure;
        }
        let (half, x) = (bounds.width() * 0.5, (bounds.left() + bounds.right()) / 2.0);
        let tall = (half * 0.2).min(self.depth * 0.09);
        let shadow = ellipse(x + half * 0.1, bounds.bottom() - tall * 0.25, half, tall);
        figure.layers.insert(0, Layer::wash(shadow, cast_shadow()));
        figure
    }
}

pub fn paint(
    setting: &Setting,
    area: Rect,
    style: &Style,
    rng: &mut Rng,
    height: f32,
    light: Light,
    palette: Palette,
) -> Stage {
    let horizon = area.top() + area.height() * height;
    let mut site = Site {
        area,
        style,
        rng,
        horizon,
        light,
        palette,
    };
    let mut stage = Stage {
        horizon,
        depth: area.bottom() - horizon,
        ridge: horizon,
        span: (area.left(), area.right()),
        ..Stage::default()
    };
    match setting.sky {
        sky if style.colored => calm::sky(sky, &mut site, &mut stage),
        Sky::Day => day::day(&mut site, &mut stage),
        Sky::Night => sky::night(&mut site, &mut stage),
        Sky::Rain => sky::rain(&mut site, &mut stage),
        Sky::Snowfall => sky::snowfall(&mut site, &mut stage),
        Sky::Space => sky::space(&mut site, &mut stage),
        Sky::Water => water::above(&mut site, &mut stage),
        Sky::Party => indoor::garlands(&mut site, &mut stage),
        Sky::Wall => indoor::wall(&mut site, &mut stage),
    }
    match setting.ground {
        Ground::Hills => land::hills(&mut site, &mut stage),
        Ground::Farmland => yard::farmland(&mut site, &mut stage),
        Ground::Garden => yard::garden(&mut site, &mut stage),
        Ground::Peaks => land::peaks(&mut site, &mut stage),
        Ground::Snow => land::snow(&mut site, &mut stage),
        Ground::Dunes => land::dunes(&mut site, &mut stage),
        Ground::Jungle => land::jungle(&mut site, &mut stage),
        Ground::Street => yard::street(&mut site, &mut stage),
        Ground::Shore => water::shore(&mut site, &mut stage),
        Ground::OpenSea => water::open_sea(&mut site, &mut stage),
        Ground::Pond => water::pond(&mut site, &mut stage, &water::MIDDLE),
        Ground::Lakeside => water::pond(&mut site, &mut stage, &water::FAR),
        Ground::Seabed => water::seabed(&mut site, &mut stage),
        Ground::Craters => yard::craters(&mut site, &mut stage),
        Ground::Clouds => sky::cloud_floor(&mut site, &mut stage),
        Ground::Room => indoor::floor(&mut site, &mut stage),
        Ground::Stage => indoor::stage(&mut site, &mut stage),
    }
    stage.afloat = matches!(setting.ground, Ground::Seabed | Ground::Clouds) || setting.sky == Sky::Space;
    stage
}
