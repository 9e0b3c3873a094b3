//! Edge-preserving smoothing: small structures are blurred, and then the edges of the remaining ones are restored from
//! the photograph (rolling guidance, Zhang et al. 2014, with guided filters, He et al. 2010).

use crate::plane::Plane;

/// Number of rounds. More rounds make no visible difference.
const ROUNDS: usize = 4;

/// Smooths a photograph. `texture` is the size in pixels of structures to remove, and `contrast` is the difference of
/// tones that counts as an edge.
pub(crate) fn smooth(photograph: &Plane, texture: f32, contrast: f32) -> Plane {
    let radius = (texture * 1.5).round().max(1.0) as usize;
    let mut guide = photograph.blurred(texture * 0.5);
    for _ in 0..ROUNDS {
        guide = guided(&guide, photograph, radius, contrast * contrast);
    }
    guide
}

/// The guided filter, which represents the picture as a linear function of the guide in every small square.
fn guided(guide: &Plane, picture: &Plane, radius: usize, epsilon: f32) -> Plane {
    let mean_guide = guide.mean(radius);
    let mean_picture = picture.mean(radius);
    let product = guide.zip(picture, |one, two| one * two).mean(radius);
    let square = guide.map(|value| value * value).mean(radius);
    let covariance = product.zip(&mean_guide.zip(&mean_picture, |one, two| one * two), |one, two| {
        one - two
    });
    let variance = square.zip(&mean_guide, |square, mean| (square - mean * mean).max(0.0));
    let slope = covariance.zip(&variance, |covariance, variance| covariance / (variance + epsilon));
    let offset = mean_picture.zip(&slope.zip(&mean_guide, |slope, mean| slope * mean), |mean, part| {
        mean - part
    });
    let sloped = slope.mean(radius).zip(guide, |slope, value| slope * value);
    sloped.zip(&offset.mean(radius), |sloped, offset| sloped + offset)
}

/// Equalizes the local contrast, so that a face in shadow gets the same lines as a face in light.
pub(crate) fn with_even_contrast(plane: &Plane) -> Plane {
    /// Added to the deviation, so that noise in flat areas is not amplified.
    const DEVIATION_OFFSET: f32 = 0.06;
    let radius = plane.width.max(plane.height) / 10;
    let mean = plane.mean(radius);
    let deviation = plane
        .map(|value| value * value)
        .mean(radius)
        .zip(&mean, |square, mean| (square - mean * mean).max(0.0).sqrt());
    let centered = plane.zip(&mean, |value, mean| value - mean);
    centered.zip(&deviation, |value, deviation| {
        0.25 * value / (deviation + DEVIATION_OFFSET)
    })
}
