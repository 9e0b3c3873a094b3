//! Detection of lines: a difference of two Gaussians across the edges, summed along them (Kang, Lee and Chui 2007),
//! with a hysteresis threshold.

use crate::flow::Flow;
use crate::plane::Plane;

/// Ratio of the wide Gaussian's sigma to the narrow one's, with which their difference best approximates the second
/// derivative.
const WIDE_SIGMA_RATIO: f32 = 1.6;
/// Share of the tone that a line must be darker than its surroundings in addition, so that a light surface with a faint
/// texture gives no lines. Dark tones are negative, so there the share is a discount.
const BIAS: f32 = 0.01;
/// Tone below which the discount no longer grows. It must stay below the threshold of a line: otherwise all of a dark
/// nose would be one line, of which thinning leaves a short stroke that is dropped.
const MIN_BIASED_TONE: f32 = -0.15;
/// Sigma of the sum along a line, in working pixels.
const ALONG_SIGMA: f32 = 3.0;

/// Returns a plane with high values on lines. `sigma` is that of the narrow Gaussian in working pixels.
pub(crate) fn response(plane: &Plane, flow: &Flow, sigma: f32) -> Plane {
    along(&across(plane, flow, sigma), flow)
}

fn across(plane: &Plane, flow: &Flow, sigma: f32) -> Plane {
    let reach = (2.0 * WIDE_SIGMA_RATIO * sigma).ceil() as i32;
    let gaussian = |distance: f32, sigma: f32| (-distance * distance / (2.0 * sigma * sigma)).exp();
    let weights: Vec<(f32, f32, f32)> = (-reach..=reach)
        .map(|step| {
            let distance = step as f32;
            (
                distance,
                gaussian(distance, sigma),
                gaussian(distance, sigma * WIDE_SIGMA_RATIO),
            )
        })
        .collect();
    let (narrow, wide) = weights
        .iter()
        .fold((0.0, 0.0), |sums, weight| (sums.0 + weight.1, sums.1 + weight.2));
    each(plane, |x, y, index| {
        let (normal_x, normal_y) = (-flow.y.values[index], flow.x.values[index]);
        let (mut near, mut far) = (0.0, 0.0);
        for (distance, narrow, wide) in &weights {
            let value = plane.interpolated(x + normal_x * distance, y + normal_y * distance);
            near += value * narrow;
            far += value * wide;
        }
        let (near, far) = (near / narrow, far / wide);
        // Positive where the picture is darker than its surroundings.
        far - near - BIAS * far.max(MIN_BIASED_TONE)
    })
}

fn along(plane: &Plane, flow: &Flow) -> Plane {
    let steps = (2.0 * ALONG_SIGMA) as i32;
    each(plane, |x, y, index| {
        let mut sum = plane.values[index];
        let mut weights = 1.0;
        for way in [-1.0, 1.0] {
            let (mut at_x, mut at_y) = (x, y);
            let (mut along_x, mut along_y) = (flow.x.values[index] * way, flow.y.values[index] * way);
            for step in 1..=steps {
                at_x += along_x;
                at_y += along_y;
                let weight = (-(step * step) as f32 / (2.0 * ALONG_SIGMA * ALONG_SIGMA)).exp();
                sum += weight * plane.interpolated(at_x, at_y);
                weights += weight;
                let (next_x, next_y) = (
                    flow.x.at(at_x.round() as isize, at_y.round() as isize),
                    flow.y.at(at_x.round() as isize, at_y.round() as isize),
                );
                // The flow has no sign, so the next vector is flipped if it points backwards.
                let ahead = if next_x * along_x + next_y * along_y < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                (along_x, along_y) = (next_x * ahead, next_y * ahead);
            }
        }
        sum / weights
    })
}

fn each(plane: &Plane, value: impl Fn(f32, f32, usize) -> f32) -> Plane {
    let (width, height) = (plane.width, plane.height);
    let values = (0..width * height).map(|index| value((index % width) as f32, (index / width) as f32, index));
    Plane::new(width, height, values.collect())
}

/// Returns true for pixels whose response is above `strong`, and for pixels above `weak` that are connected to them.
pub(crate) fn lines(response: &Plane, strong: f32, weak: f32) -> Vec<bool> {
    let (width, height) = (response.width, response.height);
    let mut line = vec![false; width * height];
    let mut waiting: Vec<usize> = Vec::new();
    for (index, value) in response.values.iter().enumerate() {
        if *value > strong {
            line[index] = true;
            waiting.push(index);
        }
    }
    while let Some(index) = waiting.pop() {
        let (x, y) = (index % width, index / width);
        for near_y in y.saturating_sub(1)..=(y + 1).min(height - 1) {
            for near_x in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                let near = near_y * width + near_x;
                if !line[near] && response.values[near] > weak {
                    line[near] = true;
                    waiting.push(near);
                }
            }
        }
    }
    line
}
