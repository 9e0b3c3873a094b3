//! Areas of similar color: small ones first (Felzenszwalb and Huttenlocher 2004), which are merged with their neighbors
//! in the order of visible difference.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::plane::Plane;

pub(crate) type Color = [f32; 3];

/// Tolerance of the first step: the larger, the larger its areas.
const TOLERANCE: f32 = 0.15;
/// Minimum number of pixels of an area of the first step.
const MIN_PIXELS: u32 = 16;
/// Distance in pixels from a border to the points whose colors are compared across it.
const REACH: isize = 2;

/// Connected pixels of similar color.
#[derive(Clone, Debug, Default)]
pub(crate) struct Area {
    pub(crate) pixels: f32,
    sum: Color,
    places: (f32, f32),
    /// Number of pixels at the edge of the photograph.
    pub(crate) rim: f32,
    /// Length of its border, with the edge of the photograph.
    perimeter: f32,
    /// Number of pixels that belong to the subject.
    pub(crate) subject: f32,
}

impl Area {
    pub(crate) fn color(&self) -> Color {
        self.sum.map(|sum| sum / self.pixels)
    }

    pub(crate) fn center(&self) -> (f32, f32) {
        (self.places.0 / self.pixels, self.places.1 / self.pixels)
    }

    /// Mean width in pixels.
    pub(crate) fn thickness(&self) -> f32 {
        2.0 * self.pixels / self.perimeter
    }

    /// The share of the pixels that belong to the subject.
    pub(crate) fn subject_share(&self) -> f32 {
        self.subject / self.pixels
    }

    fn add(&mut self, other: &Self) {
        self.pixels += other.pixels;
        self.sum = sum(self.sum, other.sum);
        self.places.0 += other.places.0;
        self.places.1 += other.places.1;
        self.rim += other.rim;
        self.perimeter += other.perimeter;
        self.subject += other.subject;
    }
}

/// The border between two areas.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Border {
    pub(crate) length: f32,
    /// Sum of the differences of color across it. Those of a texture cancel each other out.
    step: Color,
}

impl Border {
    pub(crate) fn contrast(&self) -> f32 {
        norm(self.step) / self.length
    }
}

fn sum(one: Color, other: Color) -> Color {
    std::array::from_fn(|at| one[at] + other[at])
}

pub(crate) fn difference(one: Color, other: Color) -> f32 {
    norm(std::array::from_fn(|at| one[at] - other[at]))
}

fn norm(color: Color) -> f32 {
    color.iter().map(|value| value * value).sum::<f32>().sqrt()
}

/// A photograph that is divided into areas.
#[derive(Debug)]
pub(crate) struct Areas {
    pub(crate) width: usize,
    /// The number of the area of each pixel.
    pub(crate) label: Vec<u32>,
    pub(crate) areas: Vec<Area>,
    /// The borders of each area, by the number of the neighbor.
    pub(crate) borders: Vec<BTreeMap<u32, Border>>,
}

impl Areas {
    /// Divides a picture into small areas.
    pub(crate) fn new(planes: &[Plane; 3]) -> Self {
        let (width, height) = (planes[0].width, planes[0].height);
        let label = dense(&first_areas(planes));
        let count = label.iter().max().map_or(0, |last| *last as usize + 1);
        let mut areas = vec![Area::default(); count];
        let mut borders = vec![BTreeMap::<u32, Border>::new(); count];
        let color = |x: isize, y: isize| -> Color { std::array::from_fn(|plane| planes[plane].at(x, y)) };
        for (index, own) in label.iter().enumerate() {
            let (x, y) = (index % width, index / width);
            let (left, top) = (x as isize, y as isize);
            let is_rim = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
            areas[*own as usize].add(&Area {
                pixels: 1.0,
                sum: color(left, top),
                places: (x as f32, y as f32),
                rim: f32::from(u8::from(is_rim)),
                perimeter: f32::from(u8::from(is_rim)),
                subject: 0.0,
            });
            for (across, down) in [(1, 0), (0, 1)] {
                let is_inside = x + across < width && y + down < height;
                let Some(other) = is_inside.then(|| label[index + across + down * width]) else {
                    continue;
                };
                if other == *own {
                    continue;
                }
                let (across, down) = (across as isize, down as isize);
                let near = color(left - across * (REACH - 1), top - down * (REACH - 1));
                let far = color(left + across * REACH, top + down * REACH);
                for (from, to, sign) in [(*own, other, 1.0), (other, *own, -1.0)] {
                    let border = borders[from as usize].entry(to).or_default();
                    border.length += 1.0;
                    areas[from as usize].perimeter += 1.0;
                    border.step = std::array::from_fn(|at| border.step[at] + sign * (far[at] - near[at]));
                }
            }
        }
        Self {
            width,
            label,
            areas,
            borders,
        }
    }

    /// Merges the two neighbors of the lowest cost until `is_done` is true of the number of areas and the cost.
    pub(crate) fn merge(&mut self, cost: impl Fn(&Area, &Area, &Border) -> f32, is_done: impl Fn(usize, f32) -> bool) {
        let mut left = self.areas.len();
        let mut into: Vec<u32> = (0..left as u32).collect();
        let mut changes = vec![0_u32; left];
        let mut waiting = BinaryHeap::new();
        let entry = |areas: &Self, changes: &[u32], one: u32, other: u32, border: &Border| {
            let cost = cost(&areas.areas[one as usize], &areas.areas[other as usize], border);
            // The bits of positive numbers have the order of the numbers.
            let bits = cost.max(0.0).to_bits();
            let changes = (changes[one as usize], changes[other as usize]);
            Reverse((bits, one, other, changes))
        };
        for (one, borders) in self.borders.iter().enumerate() {
            for (other, border) in borders.range(one as u32..) {
                waiting.push(entry(self, &changes, one as u32, *other, border));
            }
        }
        while let Some(Reverse((bits, one, other, seen))) = waiting.pop() {
            if (changes[one as usize], changes[other as usize]) != seen {
                continue;
            }
            if is_done(left, f32::from_bits(bits)) {
                break;
            }
            let (keeper, gone) = if self.borders[one as usize].len() >= self.borders[other as usize].len() {
                (one, other)
            } else {
                (other, one)
            };
            self.join(keeper, gone);
            into[gone as usize] = keeper;
            left -= 1;
            changes[gone as usize] = u32::MAX;
            changes[keeper as usize] += 1;
            for (near, border) in &self.borders[keeper as usize] {
                waiting.push(entry(self, &changes, keeper, *near, border));
            }
        }
        self.renumber(&into);
    }

    fn join(&mut self, keeper: u32, gone: u32) {
        let area = std::mem::take(&mut self.areas[gone as usize]);
        self.areas[keeper as usize].add(&area);
        for (near, border) in std::mem::take(&mut self.borders[gone as usize]) {
            let back = self.borders[near as usize].remove(&gone).unwrap_or_default();
            if near == keeper {
                self.areas[keeper as usize].perimeter -= 2.0 * border.length;
                continue;
            }
            for (from, to, more) in [(keeper, near, border), (near, keeper, back)] {
                let known = self.borders[from as usize].entry(to).or_default();
                known.length += more.length;
                known.step = sum(known.step, more.step);
            }
        }
    }

    /// Gives the remaining areas consecutive numbers.
    fn renumber(&mut self, into: &[u32]) {
        let last = |mut area: u32| {
            while into[area as usize] != area {
                area = into[area as usize];
            }
            area
        };
        let is_left = |area: &usize| into[*area] == *area as u32;
        let left: Vec<usize> = (0..into.len()).filter(is_left).collect();
        let mut number = vec![0; into.len()];
        for (count, area) in (0..).zip(&left) {
            number[*area] = count;
        }
        for label in &mut self.label {
            *label = number[last(*label) as usize];
        }
        self.areas = left.iter().map(|area| std::mem::take(&mut self.areas[*area])).collect();
        let renumbered = |borders: BTreeMap<u32, Border>| {
            borders
                .into_iter()
                .map(|(near, border)| (number[near as usize], border))
                .collect()
        };
        self.borders = left
            .iter()
            .map(|area| renumbered(std::mem::take(&mut self.borders[*area])))
            .collect();
    }
}

/// Sets of pixels, each represented by one of them.
struct Sets {
    parent: Vec<u32>,
    pixels: Vec<u32>,
    /// Difference of color up to which a set grows.
    limit: Vec<f32>,
}

impl Sets {
    fn find(&mut self, mut pixel: u32) -> u32 {
        while self.parent[pixel as usize] != pixel {
            let next = self.parent[self.parent[pixel as usize] as usize];
            self.parent[pixel as usize] = next;
            pixel = next;
        }
        pixel
    }

    fn join(&mut self, one: u32, other: u32, difference: f32) {
        let (root, leaf) = (one.min(other), one.max(other));
        self.parent[leaf as usize] = root;
        let pixels = self.pixels[root as usize] + self.pixels[leaf as usize];
        self.pixels[root as usize] = pixels;
        self.limit[root as usize] = difference + TOLERANCE / pixels as f32;
    }
}

fn first_areas(planes: &[Plane; 3]) -> Vec<u32> {
    let (width, height) = (planes[0].width, planes[0].height);
    let count = width * height;
    let color = |index: usize| -> Color { std::array::from_fn(|plane| planes[plane].values[index]) };
    let mut pairs: Vec<(u32, u32, u32)> = Vec::with_capacity(count * 2);
    for index in 0..count {
        let own = color(index);
        let right = (index % width + 1 < width).then_some(index + 1);
        let below = (index + width < count).then_some(index + width);
        for near in [right, below].into_iter().flatten() {
            pairs.push((difference(own, color(near)).to_bits(), index as u32, near as u32));
        }
    }
    pairs.sort_unstable();
    let mut sets = Sets {
        parent: (0..count as u32).collect(),
        pixels: vec![1; count],
        limit: vec![TOLERANCE; count],
    };
    for (bits, one, other) in &pairs {
        let difference = f32::from_bits(*bits);
        let (one, other) = (sets.find(*one), sets.find(*other));
        if one != other && difference <= sets.limit[one as usize].min(sets.limit[other as usize]) {
            sets.join(one, other, difference);
        }
    }
    for (bits, one, other) in pairs {
        let (one, other) = (sets.find(one), sets.find(other));
        if one != other && sets.pixels[one as usize].min(sets.pixels[other as usize]) < MIN_PIXELS {
            sets.join(one, other, f32::from_bits(bits));
        }
    }
    (0..count as u32).map(|pixel| sets.find(pixel)).collect()
}

/// Consecutive numbers for the sets, in the order of their first pixels.
fn dense(sets: &[u32]) -> Vec<u32> {
    let mut number = vec![u32::MAX; sets.len()];
    let mut count = 0;
    let numbers = sets.iter().map(|set| {
        let number = &mut number[*set as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        *number
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::{Areas, difference};
    use crate::plane::Plane;

    #[test]
    fn a_texture_becomes_one_area_and_a_step_of_color_remains() {
        let (width, height) = (90, 60);
        let noise = |x: usize, y: usize| ((x * 7919 + y * 104_729) % 17) as f32 / 17.0;
        let values = (0..width * height).map(|index| {
            let (x, y) = (index % width, index / width);
            0.2 * noise(x, y) + if x < 40 { 0.1 } else { 0.5 }
        });
        let values: Vec<f32> = values.collect();
        let plane = || Plane::new(width, height, values.clone());
        let mut areas = Areas::new(&[plane(), plane(), plane()]);
        let cost = |one: &super::Area, other: &super::Area, border: &super::Border| {
            difference(one.color(), other.color()).min(border.contrast())
        };
        areas.merge(cost, |left, _| left <= 2);
        assert_eq!(areas.areas.len(), 2);
        let left = areas.label[0];
        let wrong = areas
            .label
            .iter()
            .enumerate()
            .filter(|(index, area)| (**area == left) != (index % width < 40));
        assert!(wrong.count() < 3 * height);
        let (one, other) = (&areas.areas[0], &areas.areas[1]);
        assert!((one.pixels + other.pixels - (width * height) as f32).abs() < 0.5);
        assert!((areas.borders[0][&1].length - areas.borders[1][&0].length).abs() < 0.5);
        assert!(difference(one.color(), other.color()) > 0.5);
    }
}
