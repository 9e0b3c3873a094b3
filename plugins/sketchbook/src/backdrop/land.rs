//! Wild ground: hills, peaks, snow, dunes, jungle.

use tiny_skia::PathBuilder;

use super::{Site, Stage};
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::shapes::{Point, curve, curve_into, ellipse, line, petal, polygon, segment, shape};
use crate::scene::CALM_SHARE;

/// Returns a rolling line around `level` from the left edge of the area to the right edge.
pub(super) fn rolling(site: &mut Site, level: f32, swing: f32, waves: f32) -> Vec<Point> {
    let (left, width) = (site.area.left(), site.area.width());
    let (phase, second) = (site.between(0.0, 6.3), site.between(0.0, 6.3));
    (-1..=17)
        .map(|step| {
            let share = step as f32 / 16.0;
            let angle = share * waves * std::f32::consts::TAU;
            let lift = (angle + phase).sin() + 0.4 * (angle * 1.9 + second).sin();
            (left + width * share, level + swing * lift)
        })
        .collect()
}

/// Returns the ground under a rolling line as a shape that is closed below the area.
pub(super) fn ground(site: &Site, ridge: &[Point]) -> Layer {
    let bottom = site.area.bottom() + site.unit() * 4.0;
    let mut path = PathBuilder::new();
    curve_into(&mut path, ridge, false);
    path.line_to(ridge[ridge.len() - 1].0, bottom);
    path.line_to(ridge[0].0, bottom);
    path.close();
    shape(path.finish())
}

/// Draws two bands of ground. The subjects are on the nearer one.
fn bands(site: &mut Site, stage: &mut Stage, swing: f32) {
    let depth = site.area.bottom() - site.horizon;
    let swing = swing * site.area.height();
    let back = rolling(site, site.horizon - depth * 0.12, swing, 1.1);
    stage.far.push(ground(site, &back).colored(site.palette.earth[0]));
    stage.ridge = site.horizon - depth * 0.06;
    let front = rolling(site, site.horizon + depth * 0.34, swing * 0.7, 0.8);
    stage.near.push(ground(site, &front).colored(site.palette.earth[1]));
}

/// Scatters tufts of grass and pebbles so widely that the subjects cannot hide all of them.
pub(super) fn tufts(site: &mut Site, stage: &mut Stage, count: usize) {
    let count = if site.plain() { count / 3 } else { count };
    let depth = site.area.bottom() - site.horizon;
    let unit = site.unit();
    for _ in 0..count {
        let x = site.between(site.area.left() + unit * 5.0, site.area.right() - unit * 5.0);
        let y = site.between(site.horizon + depth * 0.45, site.area.bottom() - unit * 3.0);
        let size = site.between(2.2, 3.6) * unit;
        if site.rng.u8(0..4) == 0 {
            stage
                .near
                .push(shape(ellipse(x, y, size * 0.7, size * 0.42)).colored(Rgb::hex(0xc3_bfd0)));
        } else {
            stage.near.push(grass(x, y, size).colored(site.palette.earth[2]));
        }
    }
}

/// Returns a tuft of three blades in one closed outline.
fn grass(x: f32, y: f32, size: f32) -> Layer {
    let mut path = PathBuilder::new();
    path.move_to(x - size * 0.5, y);
    path.quad_to(x - size * 0.55, y - size * 0.6, x - size * 0.85, y - size * 0.9);
    path.quad_to(x - size * 0.25, y - size * 0.75, x - size * 0.17, y - size * 0.35);
    path.quad_to(x - size * 0.1, y - size * 0.9, x, y - size * 1.35);
    path.quad_to(x + size * 0.12, y - size * 0.85, x + size * 0.17, y - size * 0.35);
    path.quad_to(x + size * 0.3, y - size * 0.8, x + size * 0.9, y - size * 0.95);
    path.quad_to(x + size * 0.5, y - size * 0.5, x + size * 0.5, y);
    path.close();
    shape(path.finish())
}

pub(super) fn hills(site: &mut Site, stage: &mut Stage) {
    let swing = site.between(0.012, 0.03);
    bands(site, stage, swing);
    if site.rng.bool() {
        winding_path(site, stage);
    }
    tufts(site, stage, 9);
}

/// Draws a path that narrows towards the horizon.
fn winding_path(site: &mut Site, stage: &mut Stage) {
    let (bottom, width) = (site.area.bottom() + site.unit() * 4.0, site.area.width());
    let top = site.horizon + (bottom - site.horizon) * 0.37;
    let from = site.area.left() + width * site.between(0.2, 0.8);
    let to = site.area.left() + width * site.between(0.25, 0.75);
    let bend = width * site.between(-0.15, 0.15);
    let middle = (top + bottom) / 2.0;
    let left = [
        (to - width * 0.015, top),
        ((from + to) / 2.0 + bend - width * 0.05, middle),
        (from - width * 0.12, bottom),
    ];
    let right = [
        (from + width * 0.12, bottom),
        ((from + to) / 2.0 + bend + width * 0.05, middle),
        (to + width * 0.015, top),
    ];
    let gravel = [&left[..], &right[..]].concat();
    stage
        .near
        .push(Layer::wash(curve(&gravel, true), site.palette.path.opaque()));
    stage.near.push(line(curve(&left, false)));
    stage.near.push(line(curve(&right, false)));
}

pub(super) fn peaks(site: &mut Site, stage: &mut Stage) {
    let (left, width) = (site.area.left(), site.area.width());
    let base = site.horizon + site.unit() * 3.0;
    let top = if site.style.colored {
        site.area.top() + site.area.height() * CALM_SHARE
    } else {
        site.area.top()
    };
    let tall = site.horizon - top;
    let count = if site.plain() { 2 } else { 3 + site.rng.usize(0..2) };
    let mut order: Vec<usize> = (0..count).collect();
    site.rng.shuffle(&mut order);
    for index in order {
        let x = left + width * ((index as f32 + 0.5) / count as f32 + site.between(-0.06, 0.06));
        let height = tall * site.between(0.45, 0.72);
        let half = height * site.between(0.62, 0.8);
        let top = base - height;
        stage
            .far
            .push(shape(polygon(&[(x - half, base), (x, top), (x + half, base)])).colored(Rgb::hex(0x8f_8bb8)));
        let (snow, step) = (0.32, half * 0.32);
        let level = top + height * snow;
        let cap = [
            (x, top),
            (x - step, level),
            (x - step * 0.45, level - height * 0.07),
            (x, level + height * 0.05),
            (x + step * 0.45, level - height * 0.07),
            (x + step, level),
        ];
        stage.far.push(shape(polygon(&cap)).colored(Rgb::hex(0xf6_fbff)));
    }
    let swing = site.between(0.01, 0.02);
    bands(site, stage, swing);
    tufts(site, stage, 7);
}

pub(super) fn snow(site: &mut Site, stage: &mut Stage) {
    let swing = site.between(0.014, 0.026);
    bands(site, stage, swing);
    let depth = site.area.bottom() - site.horizon;
    for _ in 0..4 {
        let x = site.between(site.area.left() + depth * 0.3, site.area.right() - depth * 0.3);
        let y = site.between(site.horizon + depth * 0.55, site.area.bottom() - depth * 0.08);
        let half = depth * site.between(0.16, 0.3);
        stage.near.push(line(curve(
            &[(x - half, y), (x - half * 0.2, y - half * 0.22), (x + half, y)],
            false,
        )));
    }
}

pub(super) fn dunes(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    for (level, waves) in [(-0.16, 0.9), (0.08, 0.7)] {
        let ridge = rolling(site, site.horizon + depth * level, site.area.height() * 0.022, waves);
        stage.far.push(ground(site, &ridge).colored(site.palette.earth[0]));
    }
    stage.ridge = site.horizon - depth * 0.04;
    let front = rolling(site, site.horizon + depth * 0.4, site.area.height() * 0.018, 0.6);
    stage.near.push(ground(site, &front).colored(site.palette.earth[1]));
    tufts(site, stage, 6);
}

pub(super) fn jungle(site: &mut Site, stage: &mut Stage) {
    let swing = site.between(0.012, 0.022);
    bands(site, stage, swing);
    tufts(site, stage, 6);
    let unit = site.unit();
    // Big leaves lean in from the lower corners, and vines hang from above.
    for side in [-1.0f32, 1.0] {
        let x = if side < 0.0 {
            site.area.left()
        } else {
            site.area.right()
        };
        let count = if site.plain() { 3 } else { 4 };
        for leaf in 0..count {
            let lean = -1.45 + 0.3 * leaf as f32 + site.between(-0.08, 0.08);
            let angle = if side < 0.0 { lean } else { -std::f32::consts::PI - lean };
            let length = unit * (24.0 - 2.5 * leaf as f32);
            let base = (x, site.area.bottom());
            let green = site.palette.leaf.mixed(site.palette.earth[1], 0.25 * (leaf % 2) as f32);
            stage
                .front
                .push(shape(petal(base, length, unit * 8.5, angle)).colored(green));
            let tip = (base.0 + angle.cos() * length * 0.8, base.1 + angle.sin() * length * 0.8);
            stage.front.push(line(segment(base, tip)));
        }
    }
    if site.style.colored {
        return;
    }
    for _ in 0..if site.plain() { 2 } else { 4 } {
        let x = site.between(site.area.left() + unit * 8.0, site.area.right() - unit * 8.0);
        let length = unit * site.between(10.0, 24.0);
        let top = site.area.top() - unit;
        let vine = [
            (x, top),
            (x + unit * 1.5, top + length * 0.4),
            (x - unit, top + length * 0.75),
            (x, top + length),
        ];
        stage.sky.push(line(curve(&vine, false)));
        for (index, share) in [0.25, 0.45, 0.65, 0.85, 1.0].into_iter().enumerate() {
            let angle = if index % 2 == 0 { 0.7 } else { 2.4 };
            stage
                .sky
                .push(shape(petal((x, top + length * share), unit * 4.2, unit * 2.6, angle)));
        }
    }
}
