//! Smoothing that keeps edges: first all that is small is blurred away, then the edges of what is left are brought back
//! from the photograph (a rolling guidance of guided filters: Zhang et al. 2014, He et al. 2010).

use crate::plane::Plane;

/// Rounds after which nothing changes that one sees.
const ROUNDS: usize = 4;

/// `texture` is the size of what goes away, `contrast` the difference of tones that is an edge.
pub(crate) fn smooth(photograph: &Plane, texture: f32, contrast: f32) -> Plane {
    let radius = (texture * 1.5).round().max(1.0) as usize;
    let mut guide = photograph.blurred(texture * 0.5);
    for _ in 0..ROUNDS {
        guide = guided(&guide, photograph, radius, contrast * contrast);
    }
    guide
}

/// The picture as a linear function of the guide in every small square.
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

/// The same contrast everywhere: a face in the shadow has lines as one in the light has.
pub(crate) fn evened(plane: &Plane) -> Plane {
    const FLATTEST: f32 = 0.06;
    let radius = plane.width.max(plane.height) / 10;
    let mean = plane.mean(radius);
    let deviation = plane
        .map(|value| value * value)
        .mean(radius)
        .zip(&mean, |square, mean| (square - mean * mean).max(0.0).sqrt());
    let centered = plane.zip(&mean, |value, mean| value - mean);
    centered.zip(&deviation, |value, deviation| 0.25 * value / (deviation + FLATTEST))
}
