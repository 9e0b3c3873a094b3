//! The subject of a photograph: the areas whose colors differ from those that surround the picture (Zhu et al. 2014).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::areas::{Areas, difference};

/// Difference of color up to which areas count as the same surface.
const SAME: f32 = 0.1;
/// Minimum salience of the subject, compared with that of the area that stands out most.
const MIN_SALIENCE: f32 = 0.12;
/// Factor of the limit between subject and background, because a subject that loses a part is worse than one that gains
/// one.
const LIMIT_SHARE: f32 = 0.8;
/// Slope of the share of the subject by salience, so that an area near the limit is undecided.
const STEEPNESS: f32 = 4.0;
/// Distance up to which areas are compared, as a fraction of the longer side.
const NEAR: f32 = 0.6;
/// Ratio of the length at the edge of the picture to the square root of the size that is typical for the limit between
/// subject and background. That of a background on all sides is 4.
const MAX_TOUCH: f32 = 1.7;

/// Notes for each area how far it belongs to the subject.
pub(crate) fn mark(areas: &mut Areas) {
    let salience = salience(areas);
    let pixels: Vec<f32> = areas.areas.iter().map(|area| area.pixels).collect();
    let limit = (LIMIT_SHARE * limit(&salience, &pixels)).max(MIN_SALIENCE);
    for (area, salience) in areas.areas.iter_mut().zip(salience) {
        area.subject = area.pixels * (0.5 + (salience - limit) * STEEPNESS).clamp(0.0, 1.0);
    }
}

/// The value that divides the pixels into two groups with the largest variance between them (Otsu 1979).
fn limit(values: &[f32], pixels: &[f32]) -> f32 {
    let mean = |is_in: &dyn Fn(f32) -> bool| {
        let group = values.iter().zip(pixels).filter(|(value, _)| is_in(**value));
        let (sum, count) = group.fold((0.0, 0.0), |all, (value, pixels)| {
            (all.0 + value * pixels, all.1 + pixels)
        });
        (sum / f32::max(count, 1.0), count)
    };
    let variance = |limit: f32| {
        let (low, high) = (mean(&|value| value < limit), mean(&|value| value >= limit));
        low.1 * high.1 * (high.0 - low.0).powi(2)
    };
    let steps = (1..50).map(|step| step as f32 / 50.0);
    steps
        .max_by(|one, other| variance(*one).total_cmp(&variance(*other)))
        .unwrap_or(0.5)
}

/// How much each area stands out: 0 to 1.
fn salience(areas: &Areas) -> Vec<f32> {
    let all = areas.areas.len();
    let height = areas.label.len() / areas.width;
    let longer = areas.width.max(height) as f32;
    let background: Vec<f32> = (0..all).map(|area| background(areas, area)).collect();
    let colors: Vec<_> = areas.areas.iter().map(|area| area.color()).collect();
    let centers: Vec<_> = areas.areas.iter().map(|area| area.center()).collect();
    let total = (areas.width * height) as f32;
    let contrast = (0..all).map(|one| {
        let others = (0..all).map(|other| {
            let distance = (centers[one].0 - centers[other].0).hypot(centers[one].1 - centers[other].1) / longer;
            let weight = (-distance * distance / (2.0 * NEAR * NEAR)).exp();
            let share = areas.areas[other].pixels / total;
            weight * share * background[other] * difference(colors[one], colors[other])
        });
        others.sum::<f32>() * (1.0 - background[one])
    });
    let contrast: Vec<f32> = contrast.collect();
    let most = contrast.iter().copied().fold(1e-6, f32::max);
    contrast.into_iter().map(|value| value / most).collect()
}

/// How likely an area belongs to the background: 0 to 1. The surface that it belongs to touches much of the edge of the
/// picture, compared with its size.
fn background(areas: &Areas, area: usize) -> f32 {
    let (mut rim, mut pixels) = (0.0, 0.0);
    for (other, distance) in distances(areas, area).into_iter().enumerate() {
        let weight = (-distance * distance / (2.0 * SAME * SAME)).exp();
        rim += weight * areas.areas[other].rim;
        pixels += weight * areas.areas[other].pixels;
    }
    1.0 - (-(rim / pixels.sqrt() / MAX_TOUCH).powi(4)).exp()
}

/// The smallest sum of differences of color on a way from an area to each other one.
fn distances(areas: &Areas, from: usize) -> Vec<f32> {
    let mut distances = vec![f32::INFINITY; areas.areas.len()];
    distances[from] = 0.0;
    let mut waiting = BinaryHeap::from([Reverse((0.0_f32.to_bits(), from))]);
    while let Some(Reverse((bits, area))) = waiting.pop() {
        let distance = f32::from_bits(bits);
        if distance > distances[area] || distance > 4.0 * SAME {
            continue;
        }
        for near in areas.borders[area].keys() {
            let near = *near as usize;
            let further = distance + difference(areas.areas[area].color(), areas.areas[near].color());
            if further < distances[near] {
                distances[near] = further;
                waiting.push(Reverse((further.to_bits(), near)));
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::areas::{Areas, difference};
    use crate::plane::Plane;

    #[test]
    fn what_differs_from_the_edges_of_the_picture_is_the_subject() {
        let side = 120;
        // Sky and meadow, with a ball in front of both.
        let color = |x: f32, y: f32| match (x - 60.0).hypot(y - 60.0) < 25.0 {
            true => [0.9, 0.3, 0.1],
            false if y < 60.0 => [0.6, -0.1, -0.2],
            false => [0.4, -0.2, 0.2],
        };
        let planes = [0, 1, 2].map(|plane| {
            let values = (0..side * side).map(|index| color((index % side) as f32, (index / side) as f32)[plane]);
            Plane::new(side, side, values.collect())
        });
        let mut areas = Areas::new(&planes);
        areas.merge(
            |one, other, _| difference(one.color(), other.color()),
            |_, cost| cost > 0.1,
        );
        mark(&mut areas);
        let share = |x: usize, y: usize| areas.areas[areas.label[y * side + x] as usize].subject_share();
        assert_eq!(areas.areas.len(), 3);
        assert!(share(60, 60) > 0.9 && share(5, 5) < 0.1 && share(5, 110) < 0.1);
    }
}
