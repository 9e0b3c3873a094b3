//! Skies: moon and stars, rain, snow, planets and their orbits.

use tiny_skia::PathBuilder;

use super::{Site, Stage};
use crate::figure::shapes::{circle, cloud, curve, ellipse, line, shape, star};

/// Draws clouds in the upper part of the sky that do not overlap `taken` (center x and y, radius).
pub(super) fn clouds(site: &mut Site, stage: &mut Stage, count: usize, taken: (f32, f32, f32)) {
    let width = site.area.width();
    let mut placed: Vec<(f32, f32, f32)> = vec![taken];
    for _ in 0..count * 6 {
        if placed.len() > count {
            break;
        }
        let size = site.between(0.17, 0.28) * width;
        let x = site.between(site.area.left() + size * 0.7, site.area.right() - size * 0.7);
        let top = site.area.top() + size * 0.55;
        let y = site.between(
            top,
            (site.area.top() + (site.horizon - site.area.top()) * 0.55).max(top + 1.0),
        );
        let clear = placed
            .iter()
            .all(|other| (other.0 - x).hypot((other.1 - y) * 1.6) > other.2 + size * 0.62);
        if clear {
            placed.push((x, y, size * 0.62));
            let lumps = 3 + site.rng.usize(0..2);
            stage.sky.push(shape(cloud(x, y, size, lumps)));
        }
    }
}

/// Draws stars above `bottom` that overlap neither each other nor `taken` (center x and y, radius).
fn stars(site: &mut Site, stage: &mut Stage, count: usize, bottom: f32, taken: (f32, f32, f32)) {
    let unit = site.unit();
    let mut placed = vec![taken];
    for _ in 0..count * 8 {
        if placed.len() > count {
            break;
        }
        let size = site.between(1.7, 3.4) * unit * if site.plain() { 1.5 } else { 1.0 };
        let (low, high) = (site.area.left() + size * 1.6, site.area.right() - size * 1.6);
        let x = site.between(low, high);
        let y = site.between(site.area.top() + size * 1.6, bottom - size * 1.6);
        if placed
            .iter()
            .any(|other| (other.0 - x).hypot(other.1 - y) < other.2 + size * 1.9)
        {
            continue;
        }
        placed.push((x, y, size));
        let turn = site.between(-0.4, 0.4);
        let path = match site.rng.u8(0..5) {
            0 => star(x, y, size * 1.1, size * 0.36, 4, turn),
            1 => circle(x, y, size * 0.45),
            _ => star(x, y, size, size * 0.46, 5, turn),
        };
        stage.sky.push(shape(path));
    }
}

pub(super) fn night(site: &mut Site, stage: &mut Stage) {
    let radius = site.between(0.08, 0.11) * site.area.width().min(site.area.height());
    let left = site.rng.bool();
    let x = if left {
        site.area.left() + radius * 2.0
    } else {
        site.area.right() - radius * 2.0
    };
    let y = site.area.top() + radius * 1.9;
    if site.light.lit {
        // The moon that the prompt asks for is drawn here instead.
    } else if site.rng.bool() {
        let side = if left { 1.0 } else { -1.0 };
        let mut path = PathBuilder::new();
        path.move_to(x + side * radius * 0.35, y - radius);
        path.cubic_to(
            x - side * radius * 1.5,
            y - radius * 1.0,
            x - side * radius * 1.5,
            y + radius,
            x + side * radius * 0.35,
            y + radius,
        );
        path.cubic_to(
            x - side * radius * 0.45,
            y + radius * 0.5,
            x - side * radius * 0.45,
            y - radius * 0.5,
            x + side * radius * 0.35,
            y - radius,
        );
        path.close();
        stage.sky.push(shape(path.finish()));
    } else {
        stage.sky.push(shape(circle(x, y, radius)));
        for (dx, dy, size) in [(-0.35, -0.3, 0.2), (0.3, 0.15, 0.26), (-0.25, 0.45, 0.15)] {
            stage
                .sky
                .push(shape(circle(x + dx * radius, y + dy * radius, size * radius)));
        }
    }
    let bottom = site.horizon - site.area.height() * 0.06;
    let count = if site.plain() { 6 } else { 13 };
    stars(site, stage, count, bottom, (x, y, radius * 1.2));
    clouds(site, stage, 2, (x, y, radius * 1.2));
}

pub(super) fn rain(site: &mut Site, stage: &mut Stage) {
    clouds(site, stage, 4, (0.0, 0.0, 0.0));
    let unit = site.unit();
    for _ in 0..if site.plain() { 8 } else { 22 } {
        let size = site.between(1.3, 1.9) * unit;
        let x = site.between(site.area.left() + size * 3.0, site.area.right() - size * 3.0);
        let y = site.between(site.area.top() + site.area.height() * 0.25, site.horizon);
        let mut path = PathBuilder::new();
        path.move_to(x, y - size * 1.6);
        path.cubic_to(
            x + size * 1.5,
            y + size * 0.4,
            x + size * 0.7,
            y + size * 1.2,
            x,
            y + size * 1.2,
        );
        path.cubic_to(
            x - size * 0.7,
            y + size * 1.2,
            x - size * 1.5,
            y + size * 0.4,
            x,
            y - size * 1.6,
        );
        path.close();
        stage.sky.insert(0, shape(path.finish()));
    }
}

pub(super) fn snowfall(site: &mut Site, stage: &mut Stage) {
    clouds(site, stage, 2, (0.0, 0.0, 0.0));
    let unit = site.unit();
    for _ in 0..if site.plain() { 9 } else { 26 } {
        let size = site.between(0.8, 1.7) * unit * if site.plain() { 1.4 } else { 1.0 };
        let x = site.between(site.area.left() + size * 2.0, site.area.right() - size * 2.0);
        let y = site.between(site.area.top() + size * 2.0, site.horizon);
        let flake = if site.rng.u8(0..3) == 0 {
            star(x, y, size * 1.6, size * 0.8, 6, 0.0)
        } else {
            circle(x, y, size)
        };
        stage.sky.insert(0, shape(flake));
    }
}

pub(super) fn space(site: &mut Site, stage: &mut Stage) {
    let (width, height) = (site.area.width(), site.area.height());
    // Orbits divide the sky into large rings.
    let x = site.area.left() + width * site.between(-0.05, 1.05);
    let y = site.area.top() + height * site.between(0.0, 0.35);
    let first = width * site.between(0.34, 0.46);
    for ring in 0..4 {
        let radius = first + ring as f32 * width * 0.23;
        stage.sky.push(line(ellipse(x, y, radius, radius * 0.8)));
    }
    let planet = site.between(0.12, 0.19) * width.min(height);
    let (px, py) = (
        x.clamp(site.area.left() + planet, site.area.right() - planet),
        (y).max(site.area.top() + planet),
    );
    stage.sky.push(shape(circle(px, py, planet)));
    for (share, bend) in [(-0.35, 0.12), (0.3, 0.16)] {
        let half = planet * (1.0f32 - share * share).sqrt();
        let level = py + planet * share;
        stage.sky.push(line(curve(
            &[(px - half, level), (px, level + planet * bend), (px + half, level)],
            false,
        )));
    }
    let count = if site.plain() { 9 } else { 24 };
    stars(
        site,
        stage,
        count,
        site.horizon - height * 0.02,
        (px, py, planet * 1.15),
    );
}

pub(super) fn cloud_floor(site: &mut Site, stage: &mut Stage) {
    let width = site.area.width();
    for row in 0..3 {
        let y = site.horizon + (site.area.bottom() - site.horizon) * (0.25 + 0.36 * row as f32);
        let size = width * (0.36 + 0.06 * row as f32);
        let offset = site.between(0.0, 1.0) * size;
        let mut x = site.area.left() - offset;
        while x < site.area.right() + size {
            let lumps = 3 + site.rng.usize(0..2);
            let white = site.palette.earth[usize::from(row > 0)];
            let layer = shape(cloud(x, y + size * 0.25, size * 1.12, lumps)).colored(white);
            if row == 2 {
                stage.near.push(layer);
            } else {
                stage.far.push(layer);
            }
            x += size;
        }
    }
    stage.ridge = site.horizon;
}
