//! Measurements of a page: the share of ink, and the white areas that can be colored.

use crate::canvas::Gray;

#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// The fraction of black pixels.
    pub ink: f32,
    /// The largest white area that does not touch the edge of the page, as a fraction of the page.
    pub largest_area: f32,
    /// The number of white areas larger than a speck.
    pub areas: usize,
}

pub fn measure(image: &Gray, speck: usize) -> Measures {
    let total = image.pixels.len() as f32;
    let ink = image.pixels.iter().filter(|pixel| **pixel < 128).count() as f32 / total;
    let sizes = areas(image);
    let largest = sizes
        .iter()
        .filter(|area| !area.at_edge)
        .map(|area| area.pixels.len())
        .max()
        .unwrap_or(0);
    Measures {
        ink,
        largest_area: largest as f32 / total,
        areas: sizes.iter().filter(|area| area.pixels.len() > speck).count(),
    }
}

/// Fills white specks of fewer than `smallest` pixels with black: gaps between lines, too small for a pencil.
pub fn close_specks(image: &mut Gray, smallest: usize) {
    for area in areas(image) {
        if area.pixels.len() < smallest {
            for index in area.pixels {
                image.pixels[index] = 0;
            }
        }
    }
}

struct Area {
    pixels: Vec<usize>,
    at_edge: bool,
}

/// Returns the connected white areas. Pixels connect through four neighbors, so that lines that touch at a corner
/// separate two areas.
fn areas(image: &Gray) -> Vec<Area> {
    let (width, height) = (image.width as usize, image.height as usize);
    let mut seen: Vec<bool> = image.pixels.iter().map(|pixel| *pixel < 128).collect();
    let mut found = Vec::new();
    for start in 0..seen.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut area = Area {
            pixels: vec![start],
            at_edge: false,
        };
        let mut next = 0;
        while next < area.pixels.len() {
            let index = area.pixels[next];
            next += 1;
            let (x, y) = (index % width, index / width);
            area.at_edge |= x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            let neighbours = [
                (x > 0).then(|| index - 1),
                (x + 1 < width).then(|| index + 1),
                (y > 0).then(|| index - width),
                (y + 1 < height).then(|| index + width),
            ];
            for neighbour in neighbours.into_iter().flatten() {
                if !seen[neighbour] {
                    seen[neighbour] = true;
                    area.pixels.push(neighbour);
                }
            }
        }
        found.push(area);
    }
    found
}
