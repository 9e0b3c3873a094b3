//! The three shapes a page can have.

crate::text_enum! {
    /// The shape of a page and of every book that contains it.
    #[derive(Default)]
    pub enum Aspect {
        /// 1:1.
        Square = "square",
        /// 3:4.
        #[default]
        Portrait = "portrait",
        /// 4:3.
        Landscape = "landscape",
    }
}

impl Aspect {
    /// The recommended width and height of an image, in pixels.
    pub fn recommended_pixels(self) -> (u32, u32) {
        match self {
            Self::Square => (1024, 1024),
            Self::Portrait => (1152, 1536),
            Self::Landscape => (1536, 1152),
        }
    }

    /// The aspect whose shape is closest to a picture of this size, so that the picture needs the least padding.
    pub fn nearest(width: u32, height: u32) -> Self {
        // The distance is the logarithm of the ratio, so that twice as wide is as far off as twice as high.
        let distance = |aspect: &Self| {
            let (recommended_width, recommended_height) = aspect.recommended_pixels();
            let shape = f64::from(width) / f64::from(height);
            let wanted = f64::from(recommended_width) / f64::from(recommended_height);
            (shape / wanted).ln().abs()
        };
        Self::ALL
            .iter()
            .copied()
            .min_by(|one, other| distance(one).total_cmp(&distance(other)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_aspect_is_the_one_that_needs_the_least_padding() {
        for &aspect in Aspect::ALL {
            let (width, height) = aspect.recommended_pixels();
            assert_eq!(Aspect::nearest(width, height), aspect);
            assert_eq!(Aspect::nearest(width * 3, height * 3 + 20), aspect);
        }
        // The boundary between 1:1 and 4:3 is their geometric mean, 1.1547.
        assert_eq!(Aspect::nearest(1154, 1000), Aspect::Square);
        assert_eq!(Aspect::nearest(1155, 1000), Aspect::Landscape);
        assert_eq!(Aspect::nearest(1000, 1154), Aspect::Square);
        assert_eq!(Aspect::nearest(1000, 1155), Aspect::Portrait);
        assert_eq!(Aspect::nearest(1, 12_000), Aspect::Portrait);
    }
}
