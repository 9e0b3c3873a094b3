//! Man-made ground and the surface of the moon: fields, gardens, streets, craters.

use super::land::{ground, rolling, tufts};
use super::{Site, Stage};
use crate::color::Rgb;
use crate::figure::shapes::{around, circle, ellipse, line, polygon, rectangle, segment, shape};

pub(super) fn farmland(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    let back = rolling(site, site.horizon - depth * 0.1, site.area.height() * 0.012, 0.8);
    stage.far.push(ground(site, &back).colored(site.palette.earth[0]));
    stage.ridge = site.horizon - depth * 0.05;
    // Furrows converge on a point of the horizon.
    let vanishing = site.area.left() + site.area.width() * site.between(0.2, 0.8);
    let far_edge = site.horizon + depth * 0.18;
    for furrow in -5..=5 {
        let foot = vanishing + furrow as f32 * site.area.width() * 0.24;
        let head = vanishing + furrow as f32 * site.area.width() * 0.1;
        stage.far.push(line(segment(
            (head, site.horizon + depth * 0.02),
            (foot, site.area.bottom()),
        )));
    }
    let front = rolling(site, far_edge + depth * 0.18, site.area.height() * 0.01, 0.7);
    stage.near.push(ground(site, &front).colored(site.palette.earth[1]));
    fence(site, stage, far_edge + depth * 0.22, false);
    tufts(site, stage, 7);
}

/// Draws a fence across the whole width, with pickets or with posts and rails.
fn fence(site: &mut Site, stage: &mut Stage, foot: f32, pickets: bool) {
    let unit = site.unit();
    let height = unit * site.between(8.0, 10.0);
    let (left, right) = (site.area.left() - unit * 2.0, site.area.right() + unit * 2.0);
    let paint = if pickets { Rgb::WHITE } else { site.palette.wood };
    for rail in [0.28, 0.68] {
        stage.near.push(
            shape(rectangle(
                left,
                foot - height * (1.0 - rail) - unit * 0.8,
                right - left,
                unit * 1.7,
            ))
            .colored(paint.darker(0.08)),
        );
    }
    let step = if pickets { unit * 6.2 } else { unit * 15.0 };
    let width = unit * if pickets { 3.4 } else { 2.6 };
    let mut x = left + step * site.between(0.1, 0.9);
    while x < right {
        let top = foot - height;
        let tip = if pickets { top - width * 0.7 } else { top - width * 0.2 };
        let post = [
            (x, foot + unit),
            (x, top),
            (x + width / 2.0, tip),
            (x + width, top),
            (x + width, foot + unit),
        ];
        stage.near.push(shape(polygon(&post)).colored(paint));
        x += step;
    }
}

pub(super) fn garden(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    let back = rolling(site, site.horizon - depth * 0.1, site.area.height() * 0.015, 0.8);
    stage.far.push(ground(site, &back).colored(site.palette.earth[0]));
    stage.ridge = site.horizon - depth * 0.05;
    fence(site, stage, site.horizon + depth * 0.24, true);
    let front = rolling(site, site.horizon + depth * 0.24, site.area.height() * 0.008, 0.9);
    stage.near.push(ground(site, &front).colored(site.palette.earth[1]));
    tufts(site, stage, 9);
}

pub(super) fn street(site: &mut Site, stage: &mut Stage) {
    let (unit, depth) = (site.unit(), site.area.bottom() - site.horizon);
    let (left, width) = (site.area.left() - unit * 2.0, site.area.width() + unit * 4.0);
    stage.ridge = site.horizon + depth * 0.05;
    let pavement = site.horizon + depth * 0.05;
    stage
        .near
        .push(shape(rectangle(left, pavement, width, depth * 0.22)).colored(site.palette.earth[0]));
    let mut x = left + unit * site.between(4.0, 12.0);
    while x < site.area.right() {
        stage
            .near
            .push(line(segment((x, pavement), (x - unit * 3.0, pavement + depth * 0.22))));
        x += unit * 15.0;
    }
    let road = pavement + depth * 0.22;
    stage
        .near
        .push(shape(rectangle(left, road, width, depth)).colored(site.palette.earth[1]));
    let middle = road + (site.area.bottom() - road) * 0.5;
    let mut x = left + unit * site.between(3.0, 10.0);
    while x < site.area.right() {
        stage
            .near
            .push(shape(rectangle(x, middle, unit * 9.0, unit * 2.0)).colored(Rgb::hex(0xff_f3c4)));
        x += unit * 16.0;
    }
}

pub(super) fn craters(site: &mut Site, stage: &mut Stage) {
    let depth = site.area.bottom() - site.horizon;
    let unit = site.unit();
    let level = site.horizon + depth * 0.25;
    let ridge = rolling(site, level, site.area.height() * 0.012, 0.6);
    stage.ridge = level;
    stage.near.push(ground(site, &ridge).colored(site.palette.earth[1]));
    let mut placed: Vec<(f32, f32, f32)> = Vec::new();
    for _ in 0..40 {
        let rx = unit * site.between(3.5, 8.0);
        let x = site.between(site.area.left() + rx, site.area.right() - rx);
        let y = site.between(level + depth * 0.2, site.area.bottom() - rx * 0.5);
        if placed.len() < 6
            && placed
                .iter()
                .all(|other| (other.0 - x).hypot((other.1 - y) * 2.0) > other.2 + rx * 1.3)
        {
            placed.push((x, y, rx));
            let (rim, hole) = (site.palette.earth[0], site.palette.earth[2]);
            stage.near.push(shape(ellipse(x, y, rx, rx * 0.42)).colored(rim));
            stage
                .near
                .push(shape(ellipse(x, y + rx * 0.08, rx * 0.68, rx * 0.24)).colored(hole));
        }
    }
    if !site.plain() {
        for (point, _) in around(
            site.area.left() + site.area.width() * 0.5,
            site.area.bottom(),
            site.area.width() * 0.42,
            depth * 0.3,
            9,
            3.3,
        ) {
            if point.1 < site.area.bottom() - unit * 2.0 {
                let pebble = site.palette.earth[0];
                stage
                    .near
                    .push(shape(circle(point.0, point.1, unit * 0.9)).colored(pebble));
            }
        }
    }
}
