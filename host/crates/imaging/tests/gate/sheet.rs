//! A sheet on which a pen draws gray pixels with soft edges, at any scale.
use std::f64::consts::TAU;
use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};

/// A point in pixels of a sheet with scale 1.
pub(crate) type Point = (f64, f64);

pub(crate) struct Sheet {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<u8>,
    scale: f64,
}

impl Sheet {
    /// A white sheet of `width` x `height` pixels. Each pixel is `1 / scale` wide.
    pub(crate) fn new((width, height): (u32, u32), scale: f64) -> Self {
        Self {
            width,
            height,
            pixels: vec![255; width as usize * height as usize],
            scale,
        }
    }

    pub(crate) fn stroke(&mut self, points: &[Point], weight: f64) {
        for ends in points.windows(2) {
            self.segment(ends[0], ends[1], weight);
        }
    }

    /// Draws a segment with round ends, so that segments join.
    fn segment(&mut self, from: Point, to: Point, weight: f64) {
        let scaled = |(x, y): Point| (x * self.scale, y * self.scale);
        let (from, to, radius) = (scaled(from), scaled(to), weight * self.scale / 2.0);
        let (across, down) = (to.0 - from.0, to.1 - from.1);
        let square = (across * across + down * down).max(f64::MIN_POSITIVE);
        let range = |low: f64, high: f64, most: u32| {
            let first = (low - radius - 1.0).floor().max(0.0) as usize;
            first..((high + radius + 1.0).ceil().max(0.0) as usize).min(most as usize)
        };
        let columns = range(from.0.min(to.0), from.0.max(to.0), self.width);
        for y in range(from.1.min(to.1), from.1.max(to.1), self.height) {
            for x in columns.clone() {
                let (dx, dy) = (x as f64 + 0.5 - from.0, y as f64 + 0.5 - from.1);
                let along = ((dx * across + dy * down) / square).clamp(0.0, 1.0);
                let away = (dx - along * across).hypot(dy - along * down);
                let ink = (radius + 0.5 - away).clamp(0.0, 1.0);
                let pixel = &mut self.pixels[y * self.width as usize + x];
                *pixel = (*pixel).min((255.0 * (1.0 - ink)).round() as u8);
            }
        }
    }

    /// Paints the area inside a closed line. `tone` returns the tone at each point.
    pub(crate) fn fill(&mut self, outline: &[Point], tone: impl Fn(Point) -> u8) {
        for y in 0..self.height {
            let middle = (f64::from(y) + 0.5) / self.scale;
            let mut crossings: Vec<f64> = outline
                .windows(2)
                .filter(|ends| (ends[0].1 <= middle) != (ends[1].1 <= middle))
                .map(|ends| ends[0].0 + (middle - ends[0].1) / (ends[1].1 - ends[0].1) * (ends[1].0 - ends[0].0))
                .collect();
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let column = |x: f64| ((x * self.scale).round().max(0.0) as u32).min(self.width);
                for x in column(pair[0])..column(pair[1]) {
                    let pixel = &mut self.pixels[(y * self.width + x) as usize];
                    *pixel = (*pixel).min(tone((f64::from(x) / self.scale, middle)));
                }
            }
        }
    }

    pub(crate) fn png(&self) -> Vec<u8> {
        let mut png = Vec::new();
        PngEncoder::new(&mut png)
            .write_image(&self.pixels, self.width, self.height, ExtendedColorType::L8)
            .expect("a gray PNG");
        png
    }

    pub(crate) fn jpeg(&self, quality: u8) -> Vec<u8> {
        let mut jpeg = Cursor::new(Vec::new());
        JpegEncoder::new_with_quality(&mut jpeg, quality)
            .encode(&self.pixels, self.width, self.height, ExtendedColorType::L8)
            .expect("a gray JPEG");
        jpeg.into_inner()
    }
}

/// A closed line around `center`. `radius` returns the distance from it at each angle.
pub(crate) fn around(center: Point, radius: impl Fn(f64) -> f64) -> Vec<Point> {
    const STEPS: u32 = 120;
    let points = (0..=STEPS).map(|step| {
        let angle = f64::from(step % STEPS) / f64::from(STEPS) * TAU;
        let radius = radius(angle);
        (center.0 + radius * angle.cos(), center.1 + radius * angle.sin())
    });
    points.collect()
}

/// Cuts a hole of `hole` pixels into a line, at the share `at` of its length. Returns the parts before and after the
/// hole.
pub(crate) fn opened(line: &[Point], at: f64, hole: f64) -> [Vec<Point>; 2] {
    let lengths: Vec<f64> = line
        .windows(2)
        .map(|ends| (ends[1].0 - ends[0].0).hypot(ends[1].1 - ends[0].1))
        .collect();
    let middle = at * lengths.iter().sum::<f64>();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut walked = 0.0;
    for (ends, length) in line.windows(2).zip(lengths) {
        let place = |along: f64| {
            let part = ((along - walked) / length).clamp(0.0, 1.0);
            (
                ends[0].0 + part * (ends[1].0 - ends[0].0),
                ends[0].1 + part * (ends[1].1 - ends[0].1),
            )
        };
        let (stop, start) = (middle - hole / 2.0, middle + hole / 2.0);
        if walked < stop {
            if before.is_empty() {
                before.push(ends[0]);
            }
            before.push(place(stop.min(walked + length)));
        }
        if walked + length > start {
            if after.is_empty() {
                after.push(place(start.max(walked)));
            }
            after.push(ends[1]);
        }
        walked += length;
    }
    [before, after]
}
