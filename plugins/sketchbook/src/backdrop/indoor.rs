//! Rooms and festive stages: walls, windows, shelves, tiles, garlands.

use tiny_skia::Rect;

use super::{Site, Stage};
use crate::figure::shapes::{circle, cloud, curve, ellipse, line, polygon, rectangle, rounded, segment, shape};

pub(super) fn wall(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let (left, right, top) = (site.area.left(), site.area.right(), site.area.top());
    // Wallpaper stripes part the wall; everything else hangs on it.
    let stripe = unit * site.between(13.0, 17.0);
    let mut x = left + stripe * site.between(0.3, 0.9);
    while x < right {
        stage.sky.push(line(segment((x, top), (x, site.horizon + unit * 4.0))));
        x += stripe;
    }
    let width = site.area.width() * site.between(0.24, 0.3);
    let height = (site.horizon - top) * site.between(0.42, 0.5);
    let on_left = site.rng.bool();
    let x = if on_left {
        left + unit * 7.0
    } else {
        right - unit * 7.0 - width
    };
    window(stage, x, top + unit * 9.0, width, height, unit);
    // A shelf on the other side.
    let shelf_width = site.area.width() * 0.36;
    let shelf = if on_left {
        right - unit * 6.0 - shelf_width
    } else {
        left + unit * 6.0
    };
    let level = top + (site.horizon - top) * site.between(0.30, 0.38);
    for share in [0.15, 0.85] {
        let foot = shelf + shelf_width * share;
        stage.sky.push(shape(polygon(&[
            (foot - unit, level),
            (foot + unit, level),
            (foot, level + unit * 5.0),
        ])));
    }
    stage.sky.push(shape(rectangle(shelf, level, shelf_width, unit * 2.2)));
    // Distant drawings of a room stand on the shelf.
    stage.ridge = level;
    stage.span = (shelf, shelf + shelf_width);
}

fn window(stage: &mut Stage, x: f32, y: f32, width: f32, height: f32, unit: f32) {
    stage.sky.push(shape(rectangle(x, y, width, height)));
    let inner = (x + unit * 1.8, y + unit * 1.8, width - unit * 3.6, height - unit * 3.6);
    stage.sky.push(shape(rectangle(inner.0, inner.1, inner.2, inner.3)));
    stage.sky.push(shape(cloud(
        inner.0 + inner.2 * 0.5,
        inner.1 + inner.3 * 0.55,
        inner.2 * 0.5,
        3,
    )));
    stage.sky.push(line(segment(
        (x + width / 2.0, inner.1),
        (x + width / 2.0, inner.1 + inner.3),
    )));
    stage.sky.push(line(segment(
        (inner.0, y + height / 2.0),
        (inner.0 + inner.2, y + height / 2.0),
    )));
    stage.sky.push(shape(rectangle(
        x - unit * 1.5,
        y + height,
        width + unit * 3.0,
        unit * 2.0,
    )));
    for side in [0.0, 1.0] {
        let edge = x + width * side;
        let inward = if side == 0.0 { 1.0 } else { -1.0 };
        let curtain = [
            (edge - inward * unit * 2.0, y - unit),
            (edge + inward * width * 0.3, y - unit),
            (edge + inward * width * 0.12, y + height * 0.5),
            (edge + inward * width * 0.2, y + height),
            (edge - inward * unit * 2.0, y + height),
        ];
        stage.sky.push(shape(polygon(&curtain)));
    }
    stage.sky.push(shape(rectangle(
        x - unit * 4.0,
        y - unit * 2.4,
        width + unit * 8.0,
        unit * 1.8,
    )));
}

pub(super) fn floor(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let (left, right) = (site.area.left() - unit, site.area.right() + unit);
    let depth = site.area.bottom() - site.horizon;
    stage
        .near
        .push(shape(rectangle(left, site.horizon, right - left, depth + unit * 4.0)));
    stage.near.push(line(segment(
        (left, site.horizon + unit * 2.4),
        (right, site.horizon + unit * 2.4),
    )));
    let middle = (left + right) / 2.0;
    let top = site.horizon + unit * 2.4;
    if site.rng.bool() {
        // Boards that run away from the viewer.
        for board in -7..=7 {
            let head = middle + board as f32 * site.area.width() * 0.11;
            let foot = middle + board as f32 * site.area.width() * 0.2;
            stage
                .near
                .push(line(segment((head, top), (foot, site.area.bottom() + unit))));
        }
    }
    let rug = top + (site.area.bottom() - top) * 0.52;
    let (rx, ry) = (
        site.area.width() * site.between(0.34, 0.42),
        (site.area.bottom() - top) * 0.40,
    );
    stage.near.push(shape(ellipse(middle, rug, rx, ry)));
    stage.near.push(line(ellipse(middle, rug, rx * 0.86, ry * 0.8)));
}

/// Strings of pennants or paper balls under the top edge.
pub(super) fn garlands(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let (left, right, top) = (site.area.left(), site.area.right(), site.area.top());
    for row in 0..2 {
        let (from, to) = (
            top + unit * (3.0 + 12.0 * row as f32),
            top + unit * site.between(3.0, 8.0) + unit * 12.0 * row as f32,
        );
        let sag = unit * site.between(8.0, 13.0);
        let at = |share: f32| {
            let x = left + (right - left) * share;
            (x, from + (to - from) * share + sag * 4.0 * share * (1.0 - share))
        };
        let string: Vec<_> = (0..=12).map(|step| at(step as f32 / 12.0)).collect();
        stage.sky.push(line(curve(&string, false)));
        let count = if site.plain() { 6 } else { 10 };
        let round = site.rng.bool();
        for index in 0..count {
            let (x, y) = at((index as f32 + 0.5) / count as f32);
            let size = unit * if site.plain() { 4.2 } else { 3.1 };
            if round {
                stage.sky.push(shape(circle(x, y + size * 0.9, size * 0.9)));
            } else {
                stage.sky.push(shape(polygon(&[
                    (x - size, y - size * 0.1),
                    (x + size, y - size * 0.1),
                    (x, y + size * 2.0),
                ])));
            }
        }
    }
    for _ in 0..if site.plain() { 6 } else { 18 } {
        let x = site.between(left + unit * 5.0, right - unit * 5.0);
        let y = site.between(top + site.area.height() * 0.3, site.horizon - unit * 3.0);
        let size = unit * site.between(0.9, 1.4);
        if site.rng.bool() {
            stage.sky.push(shape(circle(x, y, size)));
        } else if let Some(area) = Rect::from_xywh(x - size, y - size * 0.6, size * 2.2, size * 1.2) {
            let turn = tiny_skia::Transform::from_rotate_at(site.between(-60.0, 60.0), x, y);
            stage
                .sky
                .push(shape(rounded(area, size * 0.3).and_then(|path| path.transform(turn))));
        }
    }
}

pub(super) fn stage(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let depth = site.area.bottom() - site.horizon;
    let (left, width) = (site.area.left() - unit * 2.0, site.area.width() + unit * 4.0);
    stage.ridge = site.horizon + unit;
    stage
        .near
        .push(shape(rectangle(left, site.horizon, width, depth * 2.0)));
    let x = site.area.left() + site.area.width() / 2.0;
    let y = site.horizon + depth * 0.55;
    stage
        .near
        .push(shape(ellipse(x, y, site.area.width() * 0.46, depth * 0.42)));
    stage
        .near
        .push(line(ellipse(x, y, site.area.width() * 0.4, depth * 0.34)));
}
