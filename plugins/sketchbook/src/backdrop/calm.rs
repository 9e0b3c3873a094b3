//! Skies of covers in color: what has an outline is below the title, and above it are only rays, stars and clouds in
//! soft tones.

use tiny_skia::{Color, Path, Transform};

use super::{Site, Stage};
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::shapes::{Point, around, circle, cloud, ellipse, polygon, rays, rectangle, shape, star};
use crate::scene::CALM_SHARE;
use crate::setting::Sky;

pub(super) fn sky(kind: Sky, site: &mut Site, stage: &mut Stage) {
    match kind {
        Sky::Day => {
            burst(site, stage);
            disc(site, stage);
            clouds(site, stage);
        }
        Sky::Party => {
            burst(site, stage);
            disc(site, stage);
            confetti(site, stage);
        }
        Sky::Rain => {
            burst(site, stage);
            clouds(site, stage);
            drops(site, stage);
        }
        Sky::Snowfall => {
            burst(site, stage);
            disc(site, stage);
            flakes(site, stage);
        }
        Sky::Night => night(site, stage),
        Sky::Space => space(site, stage),
        Sky::Water => water(site, stage),
        Sky::Wall => wall(site, stage),
    }
}

fn at(site: &Site, x: f32, y: f32) -> Point {
    (
        site.area.left() + site.area.width() * x,
        site.area.top() + site.area.height() * y,
    )
}

fn short(site: &Site) -> f32 {
    site.area.width().min(site.area.height())
}

/// Paints rays of two tones that come from behind the hero.
fn burst(site: &Site, stage: &mut Stage) {
    let rays = rays(&site.area, at(site, 0.5, 0.6), 22);
    let layer = Layer::wash(rays, site.palette.sky[1].opaque());
    stage.sky.insert(0, layer);
}

/// Paints a bright disc behind the hero, which sets it off from the sky.
fn disc(site: &Site, stage: &mut Stage) {
    let (x, y) = at(site, 0.5, 0.58);
    let (color, radius) = if site.light.low {
        (site.palette.sun, short(site) * 0.4)
    } else {
        (site.palette.sky[1].lighter(0.45), short(site) * 0.47)
    };
    let rings = [(1.12, color.mixed(site.palette.sky[1], 0.55)), (1.0, color)];
    for (share, color) in rings {
        stage
            .sky
            .push(Layer::wash(circle(x, y, radius * share), color.opaque()));
    }
}

/// Paints a few clouds towards the sides, without outlines.
fn clouds(site: &mut Site, stage: &mut Stage) {
    let width = short(site);
    let turn = site.rng.bool();
    for (index, (x, y, size)) in [
        (0.10, 0.12, 0.34),
        (0.90, 0.22, 0.38),
        (0.08, 0.41, 0.32),
        (0.94, 0.47, 0.30),
    ]
    .into_iter()
    .enumerate()
    {
        let (dx, dy) = (site.between(-0.05, 0.05), site.between(-0.02, 0.02));
        let (x, y) = at(site, if turn { 1.0 - x } else { x } + dx, y + dy);
        let white = site
            .palette
            .cloud
            .mixed(site.palette.sky[1], if index < 2 { 0.35 } else { 0.1 });
        let path = cloud(x, y, width * size, 3 + index % 2);
        stage.sky.push(Layer::wash(path, white.opaque()));
    }
}

/// Returns random points of the sky; a point is `low` if it is below the title.
fn scattered(site: &mut Site, count: usize, bottom: f32) -> Vec<(f32, f32, bool)> {
    let count = if site.plain() { count / 2 } else { count };
    let title = at(site, 0.0, CALM_SHARE + 0.02).1;
    (0..count)
        .map(|_| {
            let (x, y) = (site.between(0.02, 0.98), site.between(0.02, bottom));
            let (x, y) = at(site, x, y);
            (x, y, y > title)
        })
        .collect()
}

/// Returns a shape with an outline below the title, and a soft tone of its color within it.
fn fading(site: &Site, path: Option<Path>, color: Rgb, low: bool) -> Layer {
    if low {
        return shape(path).colored(color);
    }
    Layer::wash(path, color.mixed(site.palette.sky[1], 0.45).opaque())
}

fn confetti(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    for (index, (x, y, low)) in scattered(site, 46, 0.62).into_iter().enumerate() {
        let size = unit * site.between(0.9, 1.5);
        let color = site.palette.accent(index);
        let turn = site.between(-60.0, 60.0);
        let path = if index % 2 == 0 {
            circle(x, y, size)
        } else {
            rectangle(x - size, y - size * 0.6, size * 2.2, size * 1.2)
                .and_then(|path| path.transform(Transform::from_rotate_at(turn, x, y)))
        };
        let tone = if low {
            color
        } else {
            color.mixed(site.palette.sky[1], 0.3)
        };
        stage.sky.push(Layer::wash(path, tone.opaque()));
    }
}

fn drops(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    for (x, y, low) in scattered(site, 40, 0.64) {
        let size = unit * site.between(1.0, 1.5);
        let path = polygon(&[(x, y - size * 2.4), (x + size, y), (x, y + size), (x - size, y)]);
        let layer = fading(site, path, Rgb::hex(0x3f_9cf0), low);
        stage.sky.push(layer);
    }
}

fn flakes(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    for (index, (x, y, low)) in scattered(site, 44, 0.62).into_iter().enumerate() {
        let size = unit * site.between(0.8, 1.6);
        let path = if index % 3 == 0 {
            star(x, y, size * 1.6, size * 0.8, 6, 0.0)
        } else {
            circle(x, y, size)
        };
        let layer = fading(site, path, Rgb::WHITE, low && index % 2 == 0);
        stage.sky.push(layer);
    }
}

fn stars(site: &mut Site, stage: &mut Stage, count: usize, bottom: f32) {
    let unit = site.unit();
    for (index, (x, y, low)) in scattered(site, count, bottom).into_iter().enumerate() {
        let size = unit * site.between(0.5, 1.0) * if low { 2.2 } else { 1.3 };
        let turn = site.between(-0.4, 0.4);
        let path = if index % 3 == 0 {
            star(x, y, size, size * 0.46, 5, turn)
        } else {
            circle(x, y, size * 0.4)
        };
        let layer = fading(site, path, site.palette.star, low && index % 3 == 0);
        stage.sky.push(layer);
    }
}

fn night(site: &mut Site, stage: &mut Stage) {
    let radius = short(site) * 0.13;
    let side = if site.rng.bool() { 0.15 } else { 0.85 };
    glow(site, stage);
    stars(site, stage, 50, 0.6);
    if !site.light.lit {
        let (x, y) = at(site, side, 0.42);
        stage.sky.push(shape(circle(x, y, radius)).colored(site.palette.sun));
        for (dx, dy, size) in [(-0.35, -0.3, 0.2), (0.3, 0.15, 0.26), (-0.25, 0.45, 0.15)] {
            let crater = circle(x + dx * radius, y + dy * radius, size * radius);
            stage.sky.push(Layer::wash(crater, Rgb::hex(0xf0_cf6b).opaque()));
        }
    }
}

/// Paints rings of light around the hero, in the dark.
fn glow(site: &mut Site, stage: &mut Stage) {
    let (x, y) = at(site, 0.5, 0.58);
    let radius = short(site);
    for ring in 0..4 {
        let share = 0.15 + 0.13 * ring as f32;
        let color = site.palette.sky[0].mixed(Rgb::hex(0x8a_5cf0), share);
        let reach = radius * (0.92 - 0.13 * ring as f32);
        stage.sky.push(Layer::wash(circle(x, y, reach), color.opaque()));
    }
}

fn space(site: &mut Site, stage: &mut Stage) {
    glow(site, stage);
    stars(site, stage, 60, 0.75);
    let turn = site.rng.bool();
    for (index, (x, y, size)) in [(0.08, 0.43, 0.13), (0.93, 0.56, 0.10)].into_iter().enumerate() {
        let (x, y) = at(site, if turn { 1.0 - x } else { x }, y);
        let (radius, color) = (short(site) * size, site.palette.accent(3 * index));
        let path = circle(x, y, radius);
        let band = ellipse(x, y - radius * 0.2, radius * 1.2, radius * 0.22);
        let low = ellipse(x, y + radius * 0.5, radius * 1.2, radius * 0.16);
        let layer = shape(path).colored(color).toned(band, color.lighter(0.35));
        stage.sky.push(layer.toned(low, color.lighter(0.35)));
    }
}

fn water(site: &mut Site, stage: &mut Stage) {
    let (width, height) = (site.area.width(), site.area.height());
    // The water is brighter around the hero, and the light falls in from above.
    let (x, y) = at(site, 0.5, 0.58);
    for (ring, color) in [site.palette.water[2], site.palette.water[1], site.palette.water[0]]
        .into_iter()
        .enumerate()
    {
        let reach = 1.0 - 0.24 * ring as f32;
        let path = ellipse(x, y, width * 0.86 * reach, height * 0.6 * reach);
        stage.sky.push(Layer::wash(path, color.opaque()));
    }
    for beam in 0..4 {
        let (from, to) = (0.1 + 0.24 * beam as f32, 0.27 * beam as f32 - 0.02);
        let (left, right) = (at(site, from, -0.02), at(site, from + 0.09, -0.02));
        let (low_left, low_right) = (at(site, to, 0.8), at(site, to + 0.2, 0.8));
        let path = polygon(&[left, right, low_right, low_left]);
        stage.sky.push(Layer::wash(path, Color::from_rgba8(255, 255, 255, 44)));
    }
    let unit = site.unit();
    for side in [0.06, 0.12, 0.88, 0.94] {
        let rise = site.between(0.36, 0.62);
        for bubble in 0..3 {
            let shift = site.between(-0.02, 0.02);
            let (x, y) = at(site, side + shift, rise + 0.035 * bubble as f32);
            let path = circle(x, y, unit * (1.1 + 0.5 * bubble as f32));
            stage.sky.push(shape(path).colored(Rgb::hex(0xc8_f2ff)));
        }
    }
}

fn wall(site: &mut Site, stage: &mut Stage) {
    let tall = site.horizon + site.unit() * 4.0 - site.area.top();
    let stripe = site.area.width() / 11.0;
    for index in (0..11).step_by(2) {
        let x = site.area.left() + stripe * index as f32;
        let path = rectangle(x, site.area.top(), stripe, tall);
        stage.sky.push(Layer::wash(path, site.palette.sky[1].opaque()));
    }
    let (x, y) = at(site, 0.5, 0.58);
    let light = site.palette.sky[1].lighter(0.4);
    stage
        .sky
        .push(Layer::wash(circle(x, y, short(site) * 0.46), light.opaque()));
    let dots = around(x, y, short(site) * 0.52, short(site) * 0.52, 24, 0.0);
    let dots: Vec<Point> = dots.map(|(point, _)| point).collect();
    for (x, y) in dots.into_iter().filter(|point| point.1 < site.horizon) {
        stage.sky.push(Layer::wash(circle(x, y, site.unit()), light.opaque()));
    }
}
