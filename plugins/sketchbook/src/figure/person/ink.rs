//! The limits of line art: areas that are too small to color, and black spots that are too large.

use tiny_skia::Path;

use crate::art::Detail;
use crate::figure::Layer;

/// The limits of line art, in units of the person.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink {
    /// The minimum width of an area.
    pub(super) narrowest: f32,
    /// The maximum radius of a black spot.
    pub(super) largest_blot: f32,
}

impl Ink {
    /// Returns the limits for a person whose unit has `scale` pixels.
    pub(super) fn at_scale(scale: f32, detail: &Detail) -> Self {
        Self {
            narrowest: detail.smallest_radius * 1.6 / scale,
            largest_blot: detail.largest_blot / scale,
        }
    }

    /// Leaves out what is too small.
    pub(super) fn thinned(&self, mut layer: Layer) -> Layer {
        let sides = |path: &Path| (path.bounds().width(), path.bounds().height());
        let is_wide = |path: &Path| {
            let (width, height) = sides(path);
            width.min(height) >= self.narrowest
        };
        let is_long = |path: &Path| {
            let (width, height) = sides(path);
            width.max(height) >= self.narrowest
        };
        layer.seams.retain(is_wide);
        let is_shown = match (&layer.fill, &layer.line) {
            (Some(fill), _) => is_wide(fill),
            (None, Some(line)) => is_long(line),
            (None, None) => true,
        };
        if is_shown { layer } else { Layer::default() }
    }
}
