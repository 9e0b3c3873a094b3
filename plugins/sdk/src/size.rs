//! Picture sizes that an API supports: any size in steps, a few fixed sizes, or a ratio.

use crate::image::{Aspect, Pixels};

/// Bounds of an API that supports any size in steps of `step` pixels.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub step: u32,
    /// Minimum width and height in pixels.
    pub min_side: u32,
    /// Maximum width and height in pixels.
    pub max_side: u32,
    /// Minimum of width times height.
    pub min_pixels: u32,
    /// Maximum of width times height.
    pub max_pixels: u32,
}

impl Bounds {
    /// Returns the size within the bounds that is nearest to the wanted one and has the same ratio.
    pub fn fit(&self, wanted: &Pixels) -> Pixels {
        let (width, height) = (f64::from(wanted.width.max(1)), f64::from(wanted.height.max(1)));
        let (area, long, short) = (width * height, width.max(height), width.min(height));
        let min_scale = (f64::from(self.min_pixels) / area)
            .sqrt()
            .max(f64::from(self.min_side) / short);
        let max_scale = (f64::from(self.max_pixels) / area)
            .sqrt()
            .min(f64::from(self.max_side) / long);
        // A size that is scaled up is rounded up, and one that is scaled down is rounded down, so that it stays within
        // the bounds.
        let scale = 1.0_f64.max(min_scale).min(max_scale);
        let step = f64::from(self.step.max(1));
        let steps = |side: f64| {
            let steps = side * scale / step;
            if scale < 1.0 {
                steps.floor()
            } else if scale > 1.0 {
                steps.ceil()
            } else {
                steps.round()
            }
        };
        let side = |side: f64| (steps(side).max(1.0) * step) as u32;
        Pixels {
            width: side(width),
            height: side(height),
        }
    }
}

/// Returns the size with the nearest ratio. Among sizes with equal ratios, the one with the nearest area.
pub fn closest(wanted: &Pixels, sizes: &[(u32, u32)]) -> Pixels {
    let logarithms = |width: u32, height: u32| (f64::from(width.max(1)).ln(), f64::from(height.max(1)).ln());
    let (width, height) = logarithms(wanted.width, wanted.height);
    let distance = |&&(one, other): &&(u32, u32)| {
        let (one, other) = logarithms(one, other);
        ((one - other) - (width - height)).abs() * 1000.0 + ((one + other) - (width + height)).abs()
    };
    let nearest = sizes
        .iter()
        .min_by(|one, other| distance(one).total_cmp(&distance(other)));
    let &(width, height) = nearest.unwrap_or(&(wanted.width, wanted.height));
    Pixels { width, height }
}

/// Returns the ratio of an aspect in the notation of many APIs, such as `3:4`.
pub fn ratio(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Square => "1:1",
        Aspect::Portrait => "3:4",
        Aspect::Landscape => "4:3",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        step: 16,
        min_side: 64,
        max_side: 2048,
        min_pixels: 655_360,
        max_pixels: 4_000_000,
    };

    fn fit(width: u32, height: u32) -> (u32, u32) {
        let size = BOUNDS.fit(&Pixels { width, height });
        (size.width, size.height)
    }

    #[test]
    fn a_size_within_the_bounds_is_rounded_to_steps() {
        assert_eq!(fit(1152, 1536), (1152, 1536));
        assert_eq!(fit(1150, 1540), (1152, 1536));
    }

    #[test]
    fn a_size_beyond_the_bounds_is_scaled_into_them() {
        assert_eq!(fit(2550, 3300), (1568, 2048));
        assert_eq!(fit(512, 512), (816, 816));
        for (width, height) in [(3000, 4000), (4096, 4096), (300, 400), (64, 64), (1, 1)] {
            let (width, height) = fit(width, height);
            assert!(width % 16 == 0 && height % 16 == 0);
            assert!((655_360..=4_000_000).contains(&(width * height)), "{width}x{height}");
            assert!(width.max(height) <= 2048);
        }
    }

    #[test]
    fn the_closest_size_has_the_closest_ratio() {
        let sizes = [(1024, 1024), (1024, 1536), (1536, 1024), (512, 512)];
        let closest = |width, height| {
            let size = closest(&Pixels { width, height }, &sizes);
            (size.width, size.height)
        };
        assert_eq!(closest(1152, 1536), (1024, 1536));
        assert_eq!(closest(1536, 1152), (1536, 1024));
        assert_eq!(closest(1200, 1200), (1024, 1024));
        assert_eq!(closest(600, 600), (512, 512));
    }
}
