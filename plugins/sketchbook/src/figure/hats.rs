//! Headwear. The position of each item is the middle of its lower edge.

use tiny_skia::{PathBuilder, Rect};

use super::Layer;
use super::shapes::{capsule, circle, curve, ellipse, line, petal, polygon, rounded, segment, shape, star};

pub(super) fn party_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let height = width * 1.05;
    let at = |share: f32, side: f32| (x + side * width * 0.5 * (1.0 - share), base - height * share);
    vec![
        shape(polygon(&[at(0.0, -1.0), at(1.0, 0.0), at(0.0, 1.0)])),
        line(segment(at(0.33, -1.0), at(0.2, 1.0))),
        line(segment(at(0.66, -1.0), at(0.53, 1.0))),
        shape(circle(x, base - height, width * 0.13)),
    ]
}

pub(super) fn top_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let mut crown = PathBuilder::new();
    crown.move_to(x - width * 0.42, base);
    crown.line_to(x - width * 0.48, base - width * 0.72);
    crown.quad_to(x, base - width * 0.84, x + width * 0.48, base - width * 0.72);
    crown.line_to(x + width * 0.42, base);
    crown.close();
    vec![
        shape(crown.finish()),
        line(curve(
            &[
                (x - width * 0.44, base - width * 0.24),
                (x, base - width * 0.18),
                (x + width * 0.44, base - width * 0.24),
            ],
            false,
        )),
        shape(ellipse(x, base, width * 0.78, width * 0.15)),
    ]
}

pub(super) fn crown(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let (half, tall) = (width / 2.0, width * 0.55);
    let points = [
        (x - half, base),
        (x - half * 1.12, base - tall),
        (x - half * 0.5, base - tall * 0.5),
        (x, base - tall * 1.15),
        (x + half * 0.5, base - tall * 0.5),
        (x + half * 1.12, base - tall),
        (x + half, base),
    ];
    let mut layers = vec![
        shape(polygon(&points)),
        line(segment((x - half, base - tall * 0.25), (x + half, base - tall * 0.25))),
    ];
    for tip in [1, 3, 5] {
        layers.push(shape(circle(points[tip].0, points[tip].1, width * 0.07)));
    }
    layers
}

/// A knot of hair with two strands. The head hides its lower half.
pub(super) fn bun(x: f32, top: f32, radius: f32) -> Vec<Layer> {
    let strand = |bend: f32| {
        line(curve(
            &[
                (x - radius * 0.75, top - radius * (0.45 + bend)),
                (x, top - radius * (0.75 + bend)),
                (x + radius * 0.75, top - radius * (0.45 + bend)),
            ],
            false,
        ))
    };
    vec![
        shape(ellipse(x, top - radius * 0.6, radius * 1.1, radius)),
        strand(0.0),
        strand(0.45),
    ]
}

pub(super) fn beanie(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut dome = PathBuilder::new();
    dome.move_to(x - half, base);
    dome.cubic_to(
        x - half,
        base - width * 0.75,
        x + half,
        base - width * 0.75,
        x + half,
        base,
    );
    dome.close();
    let brim = Rect::from_xywh(x - half * 1.1, base - width * 0.1, width * 1.1, width * 0.2);
    vec![
        shape(circle(x, base - width * 0.6, width * 0.12)),
        shape(dome.finish()),
        shape(brim.and_then(|brim| rounded(brim, width * 0.1))),
    ]
}

pub(super) fn flower(x: f32, y: f32, size: f32) -> Vec<Layer> {
    let mut layers: Vec<Layer> = (0..6)
        .map(|index| shape(petal((x, y), size, size * 0.75, index as f32 * 1.047)))
        .collect();
    layers.push(shape(circle(x, y, size * 0.34)));
    layers
}

pub(super) fn bow(x: f32, y: f32, size: f32) -> Vec<Layer> {
    let wing = |side: f32| {
        let mut path = PathBuilder::new();
        path.move_to(x, y);
        path.cubic_to(
            x + side * size * 0.6,
            y - size * 0.9,
            x + side * size * 1.35,
            y - size * 0.7,
            x + side * size * 1.2,
            y,
        );
        path.cubic_to(
            x + side * size * 1.35,
            y + size * 0.7,
            x + side * size * 0.6,
            y + size * 0.9,
            x,
            y,
        );
        path.close();
        shape(path.finish())
    };
    vec![wing(-1.0), wing(1.0), shape(ellipse(x, y, size * 0.27, size * 0.34))]
}

/// A cap with its peak to the right.
pub(super) fn cap(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut dome = PathBuilder::new();
    dome.move_to(x - half, base);
    dome.cubic_to(
        x - half,
        base - width * 0.62,
        x + half,
        base - width * 0.62,
        x + half,
        base,
    );
    dome.close();
    let mut peak = PathBuilder::new();
    peak.move_to(x + half * 0.1, base - width * 0.06);
    peak.cubic_to(
        x + half,
        base - width * 0.16,
        x + half * 1.75,
        base - width * 0.02,
        x + half * 1.8,
        base + width * 0.1,
    );
    peak.cubic_to(
        x + half * 1.3,
        base + width * 0.04,
        x + half * 0.6,
        base + width * 0.06,
        x + half * 0.1,
        base + width * 0.06,
    );
    peak.close();
    vec![
        shape(circle(x, base - width * 0.46, width * 0.06)),
        shape(dome.finish()),
        line(curve(
            &[
                (x, base - width * 0.46),
                (x - half * 0.3, base - width * 0.25),
                (x - half * 0.36, base),
            ],
            false,
        )),
        shape(peak.finish()),
    ]
}

/// A hat with a wide brim and a low crown with a ribbon.
pub(super) fn sun_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut dome = PathBuilder::new();
    dome.move_to(x - half * 0.62, base);
    dome.cubic_to(
        x - half * 0.62,
        base - width * 0.62,
        x + half * 0.62,
        base - width * 0.62,
        x + half * 0.62,
        base,
    );
    dome.close();
    let mut brim = PathBuilder::new();
    brim.move_to(x - half * 1.45, base + width * 0.04);
    brim.cubic_to(
        x - half * 0.9,
        base - width * 0.16,
        x + half * 0.9,
        base - width * 0.16,
        x + half * 1.45,
        base + width * 0.04,
    );
    brim.cubic_to(
        x + half * 0.9,
        base + width * 0.2,
        x - half * 0.9,
        base + width * 0.2,
        x - half * 1.45,
        base + width * 0.04,
    );
    brim.close();
    vec![
        shape(brim.finish()),
        shape(dome.finish()),
        line(curve(
            &[
                (x - half * 0.6, base - width * 0.15),
                (x, base - width * 0.09),
                (x + half * 0.6, base - width * 0.15),
            ],
            false,
        )),
    ]
}

/// A tall hat with a bent tip, a brim, a moon and stars.
pub(super) fn wizard_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut cone = PathBuilder::new();
    cone.move_to(x - half * 0.8, base);
    cone.cubic_to(
        x - half * 0.5,
        base - width * 0.5,
        x - half * 0.25,
        base - width * 0.85,
        x + half * 0.5,
        base - width * 1.2,
    );
    cone.cubic_to(
        x + half * 0.35,
        base - width * 0.85,
        x + half * 0.6,
        base - width * 0.45,
        x + half * 0.8,
        base,
    );
    cone.close();
    vec![
        shape(ellipse(x, base, half * 1.35, width * 0.13)),
        shape(cone.finish()),
        shape(star(
            x - half * 0.12,
            base - width * 0.34,
            width * 0.14,
            width * 0.065,
            5,
            0.0,
        )),
        line(curve(
            &[(x - half * 0.8, base), (x, base + width * 0.07), (x + half * 0.8, base)],
            false,
        )),
    ]
}

/// A hat whose brim is folded up in front.
pub(super) fn pirate_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut front = PathBuilder::new();
    front.move_to(x - half * 1.3, base - width * 0.08);
    front.cubic_to(
        x - half * 0.9,
        base - width * 0.18,
        x - half * 0.8,
        base - width * 0.62,
        x,
        base - width * 0.66,
    );
    front.cubic_to(
        x + half * 0.8,
        base - width * 0.62,
        x + half * 0.9,
        base - width * 0.18,
        x + half * 1.3,
        base - width * 0.08,
    );
    front.cubic_to(
        x + half * 0.8,
        base + width * 0.14,
        x - half * 0.8,
        base + width * 0.14,
        x - half * 1.3,
        base - width * 0.08,
    );
    front.close();
    let edge = [
        (x - half * 0.98, base - width * 0.1),
        (x - half * 0.5, base - width * 0.46),
        (x, base - width * 0.53),
        (x + half * 0.5, base - width * 0.46),
        (x + half * 0.98, base - width * 0.1),
    ];
    vec![
        shape(front.finish()),
        line(curve(&edge, false)),
        shape(circle(x, base - width * 0.25, width * 0.12)),
        line(segment(
            (x - width * 0.2, base - width * 0.02),
            (x + width * 0.2, base - width * 0.1),
        )),
        line(segment(
            (x - width * 0.2, base - width * 0.1),
            (x + width * 0.2, base - width * 0.02),
        )),
    ]
}

pub(super) fn chef_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let puff = [
        (x - half * 0.75, base - width * 0.22),
        (x - half * 1.15, base - width * 0.45),
        (x - half * 0.85, base - width * 0.75),
        (x - half * 0.3, base - width * 0.86),
        (x + half * 0.3, base - width * 0.86),
        (x + half * 0.85, base - width * 0.75),
        (x + half * 1.15, base - width * 0.45),
        (x + half * 0.75, base - width * 0.22),
    ];
    let band = Rect::from_xywh(x - half * 0.78, base - width * 0.24, width * 0.78, width * 0.26);
    vec![
        shape(curve(&puff, true)),
        line(curve(
            &[
                (x - half * 0.3, base - width * 0.3),
                (x - half * 0.38, base - width * 0.6),
            ],
            false,
        )),
        line(curve(
            &[
                (x + half * 0.3, base - width * 0.3),
                (x + half * 0.38, base - width * 0.6),
            ],
            false,
        )),
        shape(band.and_then(|band| rounded(band, width * 0.05))),
    ]
}

pub(super) fn helmet(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut dome = PathBuilder::new();
    dome.move_to(x - half, base);
    dome.cubic_to(
        x - half,
        base - width * 0.78,
        x + half,
        base - width * 0.78,
        x + half,
        base,
    );
    dome.close();
    vec![
        shape(dome.finish()),
        line(curve(
            &[(x - half * 0.3, base), (x - half * 0.28, base - width * 0.54)],
            false,
        )),
        line(curve(
            &[(x + half * 0.3, base), (x + half * 0.28, base - width * 0.54)],
            false,
        )),
        shape(capsule((x - half * 1.1, base), (x + half * 1.1, base), width * 0.06)),
    ]
}

/// A band over the skull, whose top is at (`x`, `top`), and a pad on each side.
pub(super) fn headphones(x: f32, top: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let arch = |lift: f32, reach: f32| {
        [
            (x - reach, top + width * 0.42),
            (x - reach * 0.82, top + width * 0.08 - lift * 0.6),
            (x, top - lift),
            (x + reach * 0.82, top + width * 0.08 - lift * 0.6),
            (x + reach, top + width * 0.42),
        ]
    };
    let mut band: Vec<(f32, f32)> = arch(width * 0.14, half * 1.08).to_vec();
    band.extend(arch(width * 0.03, half * 0.94).into_iter().rev());
    let pad = |side: f32| {
        let pad = Rect::from_xywh(
            x + side * half * 1.02 - width * 0.1,
            top + width * 0.3,
            width * 0.2,
            width * 0.36,
        );
        shape(pad.and_then(|pad| rounded(pad, width * 0.09)))
    };
    vec![shape(polygon_curve(&band)), pad(-1.0), pad(1.0)]
}

/// A closed outline of two curves, through the first and the second half of the points, with corners where they meet.
fn polygon_curve(points: &[(f32, f32)]) -> Option<tiny_skia::Path> {
    let (there, back) = points.split_at(points.len() / 2);
    let mut path = PathBuilder::new();
    super::shapes::curve_into(&mut path, there, false);
    path.line_to(back[0].0, back[0].1);
    for pair in back.windows(2) {
        let middle = ((pair[0].0 + pair[1].0) / 2.0, (pair[0].1 + pair[1].1) / 2.0);
        path.quad_to(pair[0].0, pair[0].1, middle.0, middle.1);
    }
    let last = back[back.len() - 1];
    path.line_to(last.0, last.1);
    path.close();
    path.finish()
}
