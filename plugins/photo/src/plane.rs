//! A grayscale picture of floating-point numbers, and the averages from which filters are built.

/// A grayscale picture in rows from the top. 0 is black and 1 is white.
#[derive(Clone, Debug)]
pub(crate) struct Plane {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) values: Vec<f32>,
}

impl Plane {
    pub(crate) fn new(width: usize, height: usize, values: Vec<f32>) -> Self {
        debug_assert_eq!(values.len(), width * height);
        Self { width, height, values }
    }

    /// The value of a point. For a point outside, the value of the nearest point inside.
    pub(crate) fn at(&self, x: isize, y: isize) -> f32 {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.values[y * self.width + x]
    }

    /// The bilinear interpolation of the four nearest values.
    pub(crate) fn interpolated(&self, x: f32, y: f32) -> f32 {
        let (left, top) = (x.floor(), y.floor());
        let (u, v) = (x - left, y - top);
        let (left, top) = (left as isize, top as isize);
        let upper = self.at(left, top) * (1.0 - u) + self.at(left + 1, top) * u;
        let lower = self.at(left, top + 1) * (1.0 - u) + self.at(left + 1, top + 1) * u;
        upper * (1.0 - v) + lower * v
    }

    pub(crate) fn map(&self, function: impl Fn(f32) -> f32) -> Self {
        Self::new(
            self.width,
            self.height,
            self.values.iter().map(|value| function(*value)).collect(),
        )
    }

    pub(crate) fn zip(&self, other: &Self, function: impl Fn(f32, f32) -> f32) -> Self {
        let pairs = self.values.iter().zip(&other.values);
        Self::new(
            self.width,
            self.height,
            pairs.map(|(one, two)| function(*one, *two)).collect(),
        )
    }

    /// The mean of a square around each point. Its cost does not depend on the radius.
    pub(crate) fn mean(&self, radius: usize) -> Self {
        self.rows_averaged(radius)
            .transposed()
            .rows_averaged(radius)
            .transposed()
    }

    /// A Gaussian blur, approximated by three means.
    pub(crate) fn blurred(&self, sigma: f32) -> Self {
        let radius = (sigma * 0.977).round().max(1.0) as usize;
        self.mean(radius).mean(radius).mean(radius)
    }

    fn rows_averaged(&self, radius: usize) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for row in self.values.chunks_exact(self.width) {
            // Sums in double precision, because differences of long sums in single precision are inexact.
            let mut sums = Vec::with_capacity(self.width + 1);
            sums.push(0.0_f64);
            let mut sum = 0.0;
            for value in row {
                sum += f64::from(*value);
                sums.push(sum);
            }
            values.extend((0..self.width).map(|x| {
                let (from, to) = (x.saturating_sub(radius), (x + radius + 1).min(self.width));
                ((sums[to] - sums[from]) / (to - from) as f64) as f32
            }));
        }
        Self::new(self.width, self.height, values)
    }

    fn transposed(&self) -> Self {
        let mut values = Vec::with_capacity(self.values.len());
        for x in 0..self.width {
            values.extend((0..self.height).map(|y| self.values[y * self.width + x]));
        }
        Self::new(self.height, self.width, values)
    }
}

#[cfg(test)]
mod tests {
    use super::Plane;

    #[test]
    fn the_mean_of_a_uniform_picture_is_the_picture() {
        let plane = Plane::new(7, 5, vec![0.25; 35]);
        assert!(plane.mean(3).values.iter().all(|value| (value - 0.25).abs() < 1e-6));
    }

    #[test]
    fn a_point_is_spread_over_its_square() {
        let mut values = vec![0.0; 81];
        values[40] = 9.0;
        let mean = Plane::new(9, 9, values).mean(1);
        assert!((mean.at(4, 4) - 1.0).abs() < 1e-5 && (mean.at(5, 5) - 1.0).abs() < 1e-5);
        assert!(mean.at(6, 4).abs() < 1e-5);
    }
}
