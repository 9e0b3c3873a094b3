//! Random scenes: things in the cells of a grid, or a frame that is divided into parts.
use std::f64::consts::TAU;

use fastrand::Rng;
use linepress_model::{Aspect, Audience};

use crate::sheet::{Point, Sheet, around, opened};

/// A thing to color: a closed outline, and lines inside it.
pub(crate) struct Thing {
    pub(crate) outline: Vec<Point>,
    details: Vec<Vec<Point>>,
}

impl Thing {
    fn any(rng: &mut Rng, center: Point, radius: f64) -> Self {
        match rng.u32(0..5) {
            0 => creature(rng, center, radius),
            1 => cottage(center, radius),
            2 => flower(rng, center, radius),
            3 => star(rng, center, radius),
            _ => fish(center, radius),
        }
    }
}

fn circle(center: Point, radius: f64) -> Vec<Point> {
    around(center, |_| radius)
}

/// A straight line, sampled so that it can be bent.
fn straight(from: Point, to: Point) -> Vec<Point> {
    let part = |step: u32, low: f64, high: f64| low + (high - low) * f64::from(step) / 40.0;
    (0..=40)
        .map(|step| (part(step, from.0, to.0), part(step, from.1, to.1)))
        .collect()
}

fn polygon(corners: &[Point]) -> Vec<Point> {
    let closed = corners.iter().chain(corners.first());
    closed.copied().collect()
}

fn creature(rng: &mut Rng, center: Point, radius: f64) -> Thing {
    let bends: Vec<(f64, f64, f64)> = (2..6)
        .map(|waves| (f64::from(waves), (rng.f64() - 0.5) * 0.16, rng.f64() * TAU))
        .collect();
    let bent = |angle: f64| {
        let bends = bends
            .iter()
            .map(|(waves, high, turned)| high * (waves * angle + turned).cos());
        radius * (0.85 + bends.sum::<f64>())
    };
    let (x, y) = center;
    let smile = |angle: f64| (x + radius * 0.3 * angle.cos(), y + radius * (0.1 + 0.2 * angle.sin()));
    Thing {
        outline: around(center, bent),
        details: vec![
            circle((x - radius * 0.25, y - radius * 0.25), radius * 0.14),
            circle((x + radius * 0.25, y - radius * 0.25), radius * 0.14),
            (0..=20).map(|step| smile(f64::from(step) / 20.0 * TAU / 2.0)).collect(),
        ],
    }
}

fn cottage((x, y): Point, radius: f64) -> Thing {
    let at = |across: f64, down: f64| (x + across * radius, y + down * radius);
    Thing {
        outline: polygon(&[
            at(-0.7, 0.8),
            at(-0.7, -0.2),
            at(0.0, -0.9),
            at(0.7, -0.2),
            at(0.7, 0.8),
        ]),
        details: vec![
            vec![at(-0.7, -0.2), at(0.7, -0.2)],
            vec![at(-0.2, 0.8), at(-0.2, 0.2), at(0.2, 0.2), at(0.2, 0.8)],
            polygon(&[at(0.35, 0.0), at(0.6, 0.0), at(0.6, 0.3), at(0.35, 0.3)]),
            circle(at(0.0, -0.5), radius * 0.15),
        ],
    }
}

fn flower(rng: &mut Rng, center: Point, radius: f64) -> Thing {
    let petals = f64::from(rng.u32(5..9));
    Thing {
        outline: around(center, |angle| radius * (0.78 + 0.2 * (petals * angle).cos())),
        details: vec![circle(center, radius * 0.32)],
    }
}

fn star(rng: &mut Rng, center: Point, radius: f64) -> Thing {
    let turned = rng.f64() * TAU;
    let corner = |index: u32| {
        let (angle, far) = (turned + f64::from(index) / 10.0 * TAU, [0.95, 0.5][index as usize % 2]);
        (
            center.0 + radius * far * angle.cos(),
            center.1 + radius * far * angle.sin(),
        )
    };
    Thing {
        outline: polygon(&(0..10).map(corner).collect::<Vec<_>>()),
        details: vec![circle(center, radius * 0.25)],
    }
}

fn fish((x, y): Point, radius: f64) -> Thing {
    let at = |across: f64, down: f64| (x + across * radius, y + down * radius);
    let body = around((x - radius * 0.1, y), |angle| {
        radius * 0.75 * 0.45 / (0.45 * angle.cos()).hypot(0.75 * angle.sin())
    });
    Thing {
        outline: body,
        details: vec![
            polygon(&[at(0.62, 0.05), at(0.95, -0.4), at(0.95, 0.4), at(0.62, -0.05)]),
            circle(at(-0.5, -0.1), radius * 0.1),
            straight(at(-0.2, -0.44), at(-0.2, 0.44)),
        ],
    }
}

/// The thickness of the lines for an audience, in pixels.
pub(crate) fn pen(audience: Audience) -> f64 {
    match audience {
        Audience::Toddler => 7.0,
        Audience::Child => 5.5,
        Audience::Teen => 4.0,
        Audience::Adult => 3.0,
    }
}

/// A scene that can be drawn with a pen.
pub(crate) struct Scene {
    pub(crate) aspect: Aspect,
    pub(crate) pen: f64,
    pub(crate) things: Vec<Thing>,
    /// Lines that are not part of a thing.
    pub(crate) lines: Vec<Vec<Point>>,
}

impl Scene {
    pub(crate) fn empty(aspect: Aspect, audience: Audience) -> Self {
        Self {
            aspect,
            pen: pen(audience),
            things: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Things in the cells of a grid, with a number of cells that suits the audience.
    pub(crate) fn of_things(rng: &mut Rng, aspect: Aspect, audience: Audience) -> Self {
        let across = match audience {
            Audience::Toddler => 2,
            Audience::Child => 3,
            Audience::Teen => 4,
            Audience::Adult => 5,
        };
        let (width, height) = aspect.recommended_pixels();
        let side = f64::from(width.min(height)) / f64::from(across);
        let cells = |length: u32| (f64::from(length) / side).round() as u32;
        let mut scene = Self::empty(aspect, audience);
        for row in 0..cells(height) {
            for column in 0..cells(width) {
                let middle = |index: u32| (f64::from(index) + 0.5) * side;
                let radius = side * (0.38 + 0.06 * rng.f64());
                let thing = Thing::any(rng, (middle(column), middle(row)), radius);
                scene.things.push(thing);
            }
        }
        scene
    }

    /// A frame of three by two parts, with wavy lines between them. `holes` of these lines have a hole.
    pub(crate) fn framed(rng: &mut Rng, aspect: Aspect, audience: Audience, holes: usize) -> Self {
        let (width, height) = aspect.recommended_pixels();
        let (across, down) = if width > height { (3, 2) } else { (2, 3) };
        let margin = 30.0;
        let node = |column: u32, row: u32| {
            let place = |index: u32, of: u32, length: u32| {
                margin + (f64::from(length) - 2.0 * margin) * f64::from(index) / f64::from(of)
            };
            (place(column, across, width), place(row, down, height))
        };
        let mut scene = Self::empty(aspect, audience);
        scene.lines.push(polygon(&[
            node(0, 0),
            node(across, 0),
            node(across, down),
            node(0, down),
        ]));
        let mut inner = Vec::new();
        for row in 0..=down {
            for column in 0..=across {
                if column < across && (1..down).contains(&row) {
                    inner.push((node(column, row), node(column + 1, row), (0.0, 1.0)));
                }
                if row < down && (1..across).contains(&column) {
                    inner.push((node(column, row), node(column, row + 1), (1.0, 0.0)));
                }
            }
        }
        rng.shuffle(&mut inner);
        for (index, (from, to, aside)) in inner.into_iter().enumerate() {
            let (waves, high) = (f64::from(rng.u32(1..4)), 15.0 + 25.0 * rng.f64());
            let bent = straight(from, to).into_iter().enumerate().map(|(step, (x, y))| {
                let away = high * (step as f64 / 40.0 * waves * TAU / 2.0).sin();
                (x + aside.0 * away, y + aside.1 * away)
            });
            let line: Vec<Point> = bent.collect();
            if index < holes {
                scene
                    .lines
                    .extend(opened(&line, 0.3 + 0.4 * rng.f64(), 40.0 + 80.0 * rng.f64()));
            } else {
                scene.lines.push(line);
            }
        }
        for row in 0..down {
            for column in 0..across {
                let ((left, top), (right, bottom)) = (node(column, row), node(column + 1, row + 1));
                let radius = (right - left).min(bottom - top) * 0.22;
                let thing = Thing::any(rng, (left.midpoint(right), top.midpoint(bottom)), radius);
                scene.things.push(thing);
            }
        }
        scene
    }

    /// Opens the outlines of the first `slips` things, each with a hole of `hole` pixels between the ink on both sides.
    pub(crate) fn with_slips(mut self, rng: &mut Rng, slips: usize, hole: f64) -> Self {
        for thing in self.things.iter_mut().take(slips) {
            let [before, after] = opened(&thing.outline, 0.15 + 0.2 * rng.f64(), hole + self.pen);
            thing.outline = before;
            self.lines.push(after);
        }
        self
    }

    /// Draws the scene on a sheet of the recommended size.
    pub(crate) fn drawn(&self) -> Sheet {
        self.drawn_on(Sheet::new(self.aspect.recommended_pixels(), 1.0))
    }

    pub(crate) fn drawn_on(&self, mut sheet: Sheet) -> Sheet {
        for thing in &self.things {
            sheet.stroke(&thing.outline, self.pen);
            for detail in &thing.details {
                sheet.stroke(detail, self.pen);
            }
        }
        for line in &self.lines {
            sheet.stroke(line, self.pen);
        }
        sheet
    }
}
