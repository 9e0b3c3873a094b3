//! Water: the open sea, shores and ponds, and the world below the surface.

use tiny_skia::PathBuilder;

use super::land::{ground, rolling};
use super::{Site, Stage};
use crate::color::Rgb;
use crate::figure::shapes::{Point, circle, curve, ellipse, line, shape};

/// Returns a row of waves whose crests curl to one side.
fn crests(site: &mut Site, level: f32, length: f32, height: f32) -> Option<tiny_skia::Path> {
    let bottom = site.area.bottom() + site.unit() * 4.0;
    let mut x = site.area.left() - length * site.between(0.2, 1.0);
    let mut path = PathBuilder::new();
    path.move_to(x, level);
    while x < site.area.right() + length {
        path.cubic_to(
            x + length * 0.35,
            level,
            x + length * 0.4,
            level - height,
            x + length * 0.72,
            level - height,
        );
        path.cubic_to(
            x + length * 0.6,
            level - height * 0.55,
            x + length * 0.75,
            level,
            x + length,
            level,
        );
        x += length;
    }
    path.line_to(x, bottom);
    path.line_to(site.area.left() - length, bottom);
    path.close();
    path.finish()
}

pub(super) fn open_sea(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    let unit = site.unit();
    let rows = if site.plain() { 3 } else { 5 };
    for row in 0..rows {
        let share = row as f32 / rows as f32;
        let level = site.horizon + depth * (share * 0.95 + 0.02);
        let size = 1.0 + share;
        let crest = crests(site, level, unit * 11.0 * size, unit * 2.6 * size);
        let layer = shape(crest).colored(site.palette.water[row.min(3)]);
        match row {
            0 => stage.far.push(layer),
            last if last + 1 == rows => stage.front.push(layer),
            _ => stage.near.push(layer),
        }
    }
    stage.ridge = site.horizon + unit;
}

pub(super) fn shore(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    let unit = site.unit();
    for row in 0..3 {
        let crest = crests(
            site,
            site.horizon + depth * 0.11 * row as f32,
            unit * (9.0 + 3.0 * row as f32),
            unit * 2.0,
        );
        stage.far.push(shape(crest).colored(site.palette.water[2 - row]));
    }
    stage.ridge = site.horizon + unit;
    let sand = rolling(site, site.horizon + depth * 0.38, site.area.height() * 0.012, 0.6);
    stage.near.push(ground(site, &sand).colored(site.palette.earth[1]));
    for _ in 0..if site.plain() { 4 } else { 12 } {
        let x = site.between(site.area.left() + unit * 4.0, site.area.right() - unit * 4.0);
        let y = site.between(site.horizon + depth * 0.6, site.area.bottom() - unit * 3.0);
        let size = unit * site.between(0.8, 1.4);
        let pebble = site.palette.earth[2];
        stage.near.push(shape(ellipse(x, y, size, size * 0.7)).colored(pebble));
    }
}

/// The position of a pond: the level of its middle and half its height as shares of the depth of the ground, and half
/// its width as a share of the width, on a page and on a cover in color.
pub(super) struct Basin {
    level: f32,
    half_height: f32,
    half_width: (f32, f32),
}

/// A pond around the subjects.
pub(super) const MIDDLE: Basin = Basin {
    level: 0.5,
    half_height: 0.34,
    half_width: (0.44, 0.44),
};
/// A pond behind the subjects. On a cover in color, where swimmers are at the sides, it extends beyond the edges.
pub(super) const FAR: Basin = Basin {
    level: 0.22,
    half_height: 0.17,
    half_width: (0.44, 0.75),
};

pub(super) fn pond(site: &mut Site, stage: &mut Stage, basin: &Basin) {
    let depth = site.area.bottom() - site.horizon;
    let unit = site.unit();
    let back = rolling(site, site.horizon - depth * 0.1, site.area.height() * 0.015, 1.0);
    stage.far.push(ground(site, &back).colored(site.palette.earth[1]));
    stage.ridge = site.horizon - depth * 0.04;
    let x = site.area.left() + site.area.width() * site.between(0.42, 0.58);
    let y = site.horizon + depth * basin.level;
    let (on_page, on_cover) = basin.half_width;
    let half_width = if site.style.colored { on_cover } else { on_page };
    let (rx, ry) = (site.area.width() * half_width, depth * basin.half_height);
    let bank: Vec<Point> = (0..14)
        .map(|step| {
            let angle = step as f32 * std::f32::consts::TAU / 14.0;
            let reach = site.between(0.92, 1.06);
            (x + rx * reach * angle.cos(), y + ry * reach * angle.sin())
        })
        .collect();
    stage
        .near
        .push(shape(curve(&bank, true)).colored(site.palette.water[1]));
    for _ in 0..if site.plain() { 3 } else { 6 } {
        let (px, py) = (x + rx * site.between(-0.65, 0.65), y + ry * site.between(-0.5, 0.6));
        let half = unit * site.between(4.0, 8.0);
        stage.near.push(line(curve(
            &[
                (px - half, py),
                (px - half * 0.4, py - unit),
                (px + half * 0.3, py + unit * 0.6),
                (px + half, py - unit * 0.4),
            ],
            false,
        )));
    }
}

/// Draws the surface seen from below, with rays of light and bubbles.
pub(super) fn above(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let (left, right) = (site.area.left(), site.area.right());
    // Swells divide the water into wide bands that are easy to color.
    let bands = if site.plain() { 2 } else { 3 };
    for band in 0..bands {
        let level = site.area.top() + site.area.height() * (0.09 + 0.24 * band as f32);
        let points = rolling(site, level, site.area.height() * 0.014, 1.6 + 0.5 * band as f32);
        stage.sky.push(line(curve(&points, false)));
    }
    let streams = if site.plain() { 2 } else { 4 };
    for _ in 0..streams {
        let x = site.between(left + unit * 6.0, right - unit * 6.0);
        let mut y = site.between(site.area.top() + site.area.height() * 0.3, site.horizon);
        let mut size = unit * site.between(1.8, 2.6);
        for _ in 0..4 {
            let shift = site.between(-2.0, 2.0) * unit;
            if y - size * 2.0 < site.area.top() {
                break;
            }
            stage.sky.push(shape(circle(x + shift, y, size)));
            y -= size * site.between(2.6, 3.8);
            size *= site.between(0.7, 1.1);
        }
    }
}

pub(super) fn seabed(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    let unit = site.unit();
    let back = rolling(site, site.horizon + depth * 0.02, site.area.height() * 0.018, 1.0);
    stage.far.push(ground(site, &back).colored(site.palette.earth[0]));
    stage.ridge = site.horizon + depth * 0.08;
    let strands = if site.plain() { 4 } else { 8 };
    for index in 0..strands {
        let share = (index as f32 + site.between(0.1, 0.9)) / strands as f32;
        // The middle remains free for the subjects.
        let x = site.area.left()
            + site.area.width()
                * if share < 0.5 {
                    share * 0.62
                } else {
                    1.0 - (1.0 - share) * 0.62
                };
        let height = site.area.height() * site.between(0.14, 0.34);
        let width = unit * site.between(1.6, 2.4);
        let foot = site.horizon + depth * site.between(0.2, 0.5);
        let green = [0x2f_b56b, 0x1f_9a7a, 0x6f_c24a][index % 3];
        stage
            .near
            .push(seaweed(x, foot, height, width).colored(Rgb::hex(green)));
    }
    let front = rolling(site, site.horizon + depth * 0.4, site.area.height() * 0.012, 0.8);
    stage.near.push(ground(site, &front).colored(site.palette.earth[1]));
    for _ in 0..if site.plain() { 3 } else { 10 } {
        let x = site.between(site.area.left() + unit * 4.0, site.area.right() - unit * 4.0);
        let y = site.between(site.horizon + depth * 0.58, site.area.bottom() - unit * 3.0);
        let size = unit * site.between(1.0, 2.2);
        let pebble = site.palette.earth[2];
        stage.near.push(shape(ellipse(x, y, size, size * 0.65)).colored(pebble));
    }
}

/// Returns a waving ribbon of seaweed that ends in a point.
fn seaweed(x: f32, foot: f32, height: f32, width: f32) -> crate::figure::Layer {
    let steps = 8;
    let side = |sign: f32, step: usize| {
        let share = step as f32 / steps as f32;
        let sway = (share * 9.0).sin() * width * 1.5;
        (x + sway + sign * width * (1.0 - share * 0.85), foot - height * share)
    };
    let mut points: Vec<Point> = (0..=steps).map(|step| side(-1.0, step)).collect();
    points.push((x + 9.0f32.sin() * width * 1.5, foot - height - width));
    points.extend((0..=steps).rev().map(|step| side(1.0, step)));
    shape(curve(&points, true))
}
