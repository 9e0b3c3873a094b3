//! Skies by day: the sun in various positions, rainbows, near and far clouds, wind.

use std::f32::consts::PI;

use tiny_skia::PathBuilder;

use super::sky::clouds;
use super::{Site, Stage};
use crate::figure::Layer;
use crate::figure::shapes::{around, circle, cloud, curve, ellipse, line, petal, segment, shape, star};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A sun anywhere in the sky.
    Sun,
    /// A sun partly hidden behind a cloud.
    Peeping,
    /// A sun in the corner whose rays divide the whole sky.
    Corner,
    /// Half a sun on the horizon.
    Low,
    Rainbow,
    /// Clouds that tower on the horizon.
    Towers,
    /// Clouds that hang down into the picture from its upper edge.
    Canopy,
    Wind,
}

const KINDS: &[Kind] = &[
    Kind::Sun,
    Kind::Sun,
    Kind::Sun,
    Kind::Peeping,
    Kind::Peeping,
    Kind::Corner,
    Kind::Low,
    Kind::Rainbow,
    Kind::Towers,
    Kind::Towers,
    Kind::Canopy,
    Kind::Canopy,
    Kind::Wind,
];
/// Skies without a sun or rainbow, for prompts that already contain one.
const WITHOUT_LIGHT: &[Kind] = &[Kind::Towers, Kind::Canopy, Kind::Wind];

pub(super) fn day(site: &mut Site, stage: &mut Stage) {
    let choices = if site.light.lit { WITHOUT_LIGHT } else { KINDS };
    let kind = match choices[site.rng.usize(0..choices.len())] {
        _ if site.light.low && !site.light.lit => Kind::Low,
        kind => kind,
    };
    let radius = site.between(0.055, 0.09) * site.area.width().min(site.area.height() * 1.1);
    let spread = site.between(0.0, 1.0);
    let x = site.area.left() + radius * 2.1 + (site.area.width() - radius * 4.2) * spread;
    let y = site.area.top() + radius * site.between(1.9, 2.6);
    let few = if site.plain() { 2 } else { 3 };
    match kind {
        Kind::Sun => {
            let layers = sun(site, x, y, radius);
            stage.sky.extend(layers);
            clouds(site, stage, few, (x, y, radius * 1.7));
        }
        Kind::Peeping => {
            let layers = sun(site, x, y, radius * 1.15);
            stage.sky.extend(layers);
            let size = radius * 3.4;
            let side = if spread < 0.5 { 1.0 } else { -1.0 };
            stage
                .sky
                .push(shape(cloud(x + side * radius * 0.9, y + radius * 1.05, size, 3)));
            clouds(site, stage, 2, (x, y, radius * 3.0));
        }
        Kind::Corner => corner_sun(site, stage, radius, spread < 0.5),
        Kind::Low => low_sun(site, stage, radius * 1.5),
        Kind::Rainbow => {
            rainbow(site, stage);
            clouds(site, stage, 2, (x, y, 0.0));
        }
        Kind::Towers => towers(site, stage),
        Kind::Canopy => canopy(site, stage),
        Kind::Wind => wind(site, stage),
    }
    let high = site.horizon - site.area.top() > site.area.height() * 0.5;
    if high && matches!(kind, Kind::Sun | Kind::Peeping | Kind::Canopy | Kind::Rainbow) {
        // A gust divides a tall sky, which would be tedious to color in one piece. It is drawn behind everything.
        let level = site.area.top() + (site.horizon - site.area.top()) * site.between(0.5, 0.66);
        let gust = gust(site, level);
        stage.sky.insert(0, gust);
    }
}

fn corner_sun(site: &mut Site, stage: &mut Stage, radius: f32, left: bool) {
    let (cx, cy) = (if left { site.area.left() } else { site.area.right() }, site.area.top());
    let reach = site.area.width().hypot(site.area.height());
    let rays = if site.plain() { 4 } else { 5 + site.rng.usize(0..4) };
    for ray in 0..=rays {
        let angle = PI / 2.0 * (ray as f32 + 0.5) / (rays + 1) as f32;
        let angle = if left { angle } else { PI - angle };
        let (across, down) = (angle.cos(), angle.sin());
        let from = (cx + radius * 2.7 * across, cy + radius * 2.7 * down);
        stage
            .sky
            .push(line(segment(from, (cx + reach * across, cy + reach * down))));
    }
    stage.sky.push(shape(circle(cx, cy, radius * 2.7)));
    stage.sky.push(shape(circle(cx, cy, radius * 2.0)));
    clouds(site, stage, 2, (cx, cy, radius * 2.8));
}

/// Draws a sun on the horizon. The ground is painted later and hides its lower half.
fn low_sun(site: &mut Site, stage: &mut Stage, radius: f32) {
    let x = site.area.left() + site.area.width() * site.between(0.16, 0.84);
    let y = site.horizon - radius * 0.35;
    let reach = site.area.width().hypot(site.area.height());
    let rays = if site.plain() { 7 } else { 9 + site.rng.usize(0..5) };
    for ray in 0..rays {
        let angle = -PI * (ray as f32 + 0.5) / rays as f32;
        let (across, up) = (angle.cos(), angle.sin());
        let from = (x + radius * 1.35 * across, y + radius * 1.35 * up);
        stage
            .sky
            .push(line(segment(from, (x + reach * across, y + reach * up))));
    }
    stage.sky.push(shape(circle(x, y, radius * 1.35)));
    stage.sky.push(shape(circle(x, y, radius)));
    clouds(site, stage, 2, (x, y, radius * 2.0));
}

fn towers(site: &mut Site, stage: &mut Stage) {
    let width = site.area.width();
    for row in 0..2 {
        let size = width * (0.62 - 0.16 * row as f32);
        let step = size * 0.72;
        let mut x = site.area.left() - size * site.between(0.0, 0.6);
        while x < site.area.right() + size * 0.4 {
            let lumps = 3 + site.rng.usize(0..2);
            let lift = (1 - row) as f32 * width * 0.13 + site.between(0.0, 0.05) * width;
            stage.sky.push(shape(cloud(x, site.horizon - lift, size, lumps)));
            x += step;
        }
    }
    clouds(site, stage, if site.plain() { 1 } else { 2 }, (0.0, 0.0, 0.0));
}

fn canopy(site: &mut Site, stage: &mut Stage) {
    let width = site.area.width();
    let rows = if site.plain() { 1 } else { 2 };
    for row in 0..rows {
        let level = site.area.top() + (rows - row) as f32 * width * site.between(0.055, 0.085);
        let mut x = site.area.left() - width * site.between(0.02, 0.15);
        let mut path = PathBuilder::new();
        path.move_to(x, site.area.top() - width);
        path.line_to(x, level);
        while x < site.area.right() + width * 0.02 {
            let lump = width * site.between(0.13, 0.24);
            path.cubic_to(
                x + lump * 0.05,
                level + lump * 0.55,
                x + lump * 0.95,
                level + lump * 0.55,
                x + lump,
                level,
            );
            x += lump;
        }
        path.line_to(x, site.area.top() - width);
        path.close();
        stage.sky.push(shape(path.finish()));
    }
    clouds(site, stage, 2, (0.0, 0.0, 0.0));
}

/// Draws gusts of wind from edge to edge.
fn wind(site: &mut Site, stage: &mut Stage) {
    let height = site.horizon - site.area.top();
    let gusts = if site.plain() { 2 } else { 4 };
    for number in 0..gusts {
        let share = 0.16 + 0.68 * (number as f32 + site.between(0.1, 0.6)) / gusts as f32;
        let layer = gust(site, site.area.top() + height * share);
        stage.sky.push(layer);
    }
    clouds(site, stage, 3, (0.0, 0.0, 0.0));
}

fn gust(site: &mut Site, level: f32) -> Layer {
    let (left, width) = (site.area.left(), site.area.width());
    let height = site.horizon - site.area.top();
    let (phase, swing) = (site.between(0.0, 6.3), height * site.between(0.02, 0.045));
    let points: Vec<_> = (-1..=13)
        .map(|step| {
            let share = step as f32 / 12.0;
            (left + width * share, level + swing * (share * 7.0 + phase).sin())
        })
        .collect();
    line(curve(&points, false))
}

/// Returns the layers of a sun in one of several designs.
fn sun(site: &mut Site, x: f32, y: f32, radius: f32) -> Vec<Layer> {
    let turn = site.between(0.0, 0.6);
    let mut layers = Vec::new();
    match site.rng.u8(0..4) {
        0 => {
            layers.push(shape(star(x, y, radius * 1.55, radius * 1.12, 12, turn)));
        }
        1 => {
            for (point, angle) in around(x, y, radius * 1.15, radius * 1.15, 10, turn) {
                layers.push(shape(petal(point, radius * 0.62, radius * 0.36, angle)));
            }
        }
        2 => {
            for (point, _) in around(x, y, radius * 1.42, radius * 1.42, 11, turn) {
                layers.push(shape(circle(point.0, point.1, radius * 0.15)));
            }
        }
        _ => {
            let wave: Vec<_> = around(x, y, 1.0, 1.0, 24, turn)
                .enumerate()
                .map(|(index, (_, angle))| {
                    let reach = radius * if index % 2 == 0 { 1.5 } else { 1.18 };
                    (x + reach * angle.cos(), y + reach * angle.sin())
                })
                .collect();
            layers.push(shape(curve(&wave, true)));
        }
    }
    layers.push(shape(circle(x, y, radius)));
    layers
}

pub(super) fn rainbow(site: &mut Site, stage: &mut Stage) {
    let width = site.area.width();
    let x = site.area.left() + width * site.between(0.35, 0.65);
    let outer = width * site.between(0.40, 0.5);
    let bands = if site.plain() { 4 } else { 6 };
    let y = site.horizon + outer * 0.12;
    let outer_y = outer.min((y - site.area.top()) * 0.93);
    for band in 0..=bands {
        let share = 1.0 - band as f32 * 0.075;
        stage.sky.push(shape(ellipse(x, y, outer * share, outer_y * share)));
    }
}
