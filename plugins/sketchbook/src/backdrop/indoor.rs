//! Rooms and festive stages: walls, windows, shelves, tiles, garlands.

use tiny_skia::{PathBuilder, Rect};

use super::{Site, Stage};
use crate::figure::shapes::{
    Point, circle, cloud, curve, ellipse, line, polygon, rectangle, rounded, segment, shape, star,
};

pub(super) fn wall(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let (left, right, top) = (site.area.left(), site.area.right(), site.area.top());
    // Wallpaper stripes divide the wall and are drawn first, behind everything that hangs on it.
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
    // The shelf is on the side opposite the window.
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
    // In a room, the distant drawings are placed on the shelf.
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
        .push(shape(rectangle(left, site.horizon, right - left, depth + unit * 4.0)).colored(site.palette.earth[1]));
    stage.near.push(line(segment(
        (left, site.horizon + unit * 2.4),
        (right, site.horizon + unit * 2.4),
    )));
    let middle = (left + right) / 2.0;
    let top = site.horizon + unit * 2.4;
    if site.rng.bool() {
        // Floorboards that converge away from the viewer.
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
    let inside = ellipse(middle, rug, rx * 0.86, ry * 0.8);
    let (border, field) = (site.palette.accent(4), site.palette.accent(4).lighter(0.45));
    stage.near.push(shape(ellipse(middle, rug, rx, ry)).colored(border));
    stage.near.push(line(inside.clone()).toned(inside, field));
}

/// Draws a string of pennants or paper balls between two points.
fn garland(site: &mut Site, stage: &mut Stage, from: Point, to: Point, sag: f32) {
    let unit = site.unit();
    let at = |share: f32| {
        let level = from.1 + (to.1 - from.1) * share + sag * 4.0 * share * (1.0 - share);
        (from.0 + (to.0 - from.0) * share, level)
    };
    let string: Vec<_> = (0..=12).map(|step| at(step as f32 / 12.0)).collect();
    stage.sky.push(line(curve(&string, false)));
    let spacing = unit * if site.plain() { 15.0 } else { 9.5 };
    let count = ((to.0 - from.0).abs() / spacing).round().max(2.0) as usize;
    let kind = site.rng.u8(0..4);
    let size = unit * if site.plain() { 4.2 } else { 3.1 };
    for index in 0..count {
        let (x, y) = at((index as f32 + 0.5) / count as f32);
        let path = match kind {
            0 => circle(x, y + size * 0.9, size * 0.9),
            1 => star(x, y + size, size * 1.2, size * 0.58, 5, 0.0),
            2 => polygon(&[
                (x - size * 0.8, y),
                (x + size * 0.8, y),
                (x + size * 0.8, y + size * 2.0),
                (x, y + size * 1.4),
                (x - size * 0.8, y + size * 2.0),
            ]),
            _ => polygon(&[
                (x - size, y - size * 0.1),
                (x + size, y - size * 0.1),
                (x, y + size * 2.0),
            ]),
        };
        stage.sky.push(shape(path));
    }
}

/// Draws a curtain tied back to one side; `side` is 1 for the right curtain and -1 for the left.
fn curtain(site: &Site, stage: &mut Stage, side: f32) {
    let (width, top) = (site.area.width(), site.area.top());
    let edge = if side > 0.0 {
        site.area.right()
    } else {
        site.area.left()
    } + side * site.unit() * 3.0;
    let drop = site.horizon - top;
    for share in [1.0, 0.66, 0.33] {
        let mut path = PathBuilder::new();
        path.move_to(edge, top - width);
        path.line_to(edge - side * width * 0.3 * share, top - width);
        path.line_to(edge - side * width * 0.3 * share, top);
        path.quad_to(
            edge - side * width * 0.24 * share,
            top + drop * 0.5,
            edge - side * width * 0.07,
            top + drop * 0.62,
        );
        path.quad_to(
            edge - side * width * 0.13 * share,
            top + drop * 0.8,
            edge - side * width * 0.12 * share,
            site.horizon,
        );
        path.line_to(edge, site.horizon);
        path.close();
        stage.sky.push(shape(path.finish()));
    }
}

pub(super) fn garlands(site: &mut Site, stage: &mut Stage) {
    let unit = site.unit();
    let (left, right, top) = (site.area.left(), site.area.right(), site.area.top());
    let sag = unit * site.between(7.0, 13.0);
    match site.rng.u8(0..4) {
        0 => {
            for row in 0..2 {
                let level = top + unit * 12.0 * row as f32;
                let ends = (level + unit * 3.0, level + unit * site.between(3.0, 8.0));
                garland(site, stage, (left, ends.0), (right, ends.1), sag);
            }
        }
        1 => {
            let middle = left + (right - left) * site.between(0.35, 0.65);
            let level = top + unit * site.between(2.5, 6.0);
            garland(site, stage, (left, top + unit * 8.0), (middle, level), sag);
            garland(site, stage, (middle, level), (right, top + unit * 8.0), sag);
        }
        2 => {
            let low = top + unit * site.between(20.0, 30.0);
            garland(site, stage, (left, top + unit * 3.0), (right, low), sag * 0.5);
            garland(site, stage, (left, low), (right, top + unit * 3.0), sag * 0.5);
        }
        _ => {
            let level = top + unit * site.between(3.0, 8.0);
            garland(site, stage, (left, level), (right, level), sag);
            curtain(site, stage, -1.0);
            curtain(site, stage, 1.0);
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
        .push(shape(rectangle(left, site.horizon, width, depth * 2.0)).colored(site.palette.earth[1]));
    let x = site.area.left() + site.area.width() * site.between(0.32, 0.68);
    let y = site.horizon + depth * 0.55;
    match site.rng.u8(0..3) {
        0 => {
            let wide = site.area.width() * site.between(0.36, 0.46);
            let (border, field) = (site.palette.accent(0), site.palette.accent(1));
            let inside = ellipse(x, y, wide * 0.87, depth * 0.34);
            stage
                .near
                .push(shape(ellipse(x, y, wide, depth * 0.42)).colored(border));
            stage.near.push(line(inside.clone()).toned(inside, field));
        }
        1 => {
            // Floorboards that spread out towards the viewer.
            for board in 0..=6 {
                let share = board as f32 / 6.0 - 0.5;
                let far = (x + share * width * 0.8, site.horizon);
                stage
                    .near
                    .push(line(segment(far, (x + share * width * 2.2, site.area.bottom() + unit))));
            }
        }
        _ => {
            // Steps up to a stage.
            for step in 0..3 {
                let level = site.horizon + depth * (0.28 + 0.26 * step as f32);
                let dip = depth * site.between(0.02, 0.06);
                let edge = [(left, level), (x, level + dip), (left + width, level)];
                stage.near.push(line(curve(&edge, false)));
            }
        }
    }
}
