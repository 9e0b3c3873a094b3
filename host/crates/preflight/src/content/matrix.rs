//! Affine transformations from one coordinate system to another.

/// The transformation `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// The transformation that applies `self` first and then `other`.
    pub(crate) fn then(self, other: Self) -> Self {
        let ([a, b, c, d, e, f], [oa, ob, oc, od, oe, of]) = (self.0, other.0);
        Self([
            a * oa + b * oc,
            a * ob + b * od,
            c * oa + d * oc,
            c * ob + d * od,
            e * oa + f * oc + oe,
            e * ob + f * od + of,
        ])
    }

    /// Transforms a point.
    pub(crate) fn point(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// The width and height of the transformed unit square, along its own sides.
    pub(crate) fn sides(self) -> (f64, f64) {
        let [a, b, c, d, _, _] = self.0;
        (a.hypot(b), c.hypot(d))
    }

    /// The bounds of the transformed unit square: least x, least y, greatest x, greatest y.
    pub(crate) fn bounds(self) -> [f64; 4] {
        let [a, b, c, d, e, f] = self.0;
        [
            e + a.min(0.0) + c.min(0.0),
            f + b.min(0.0) + d.min(0.0),
            e + a.max(0.0) + c.max(0.0),
            f + b.max(0.0) + d.max(0.0),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_does_not_change_the_sides_of_a_scaled_picture() {
        let scaled = Matrix([300.0, 0.0, 0.0, 200.0, 10.0, 20.0]);
        let turned = Matrix([0.0, 1.0, -1.0, 0.0, 500.0, 0.0]);
        let both = scaled.then(turned);
        assert_eq!(both.sides(), (300.0, 200.0));
        assert_eq!(both.bounds(), [280.0, 10.0, 480.0, 310.0]);
    }
}
