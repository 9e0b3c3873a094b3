//! Distances to the nearest pixel of the other kind, by a chamfer transform.
//!
//! The weights 5, 7 and 11 (a step aside, a diagonal one and a knight's move) stay within 2% of the true distance.

/// How many units of a [`Distances`] make a pixel.
const UNIT: f32 = 5.0;
const FAR: u16 = u16::MAX / 2;

/// For each pixel of one kind the distance to the nearest of the other; for the others nothing.
pub(crate) struct Distances {
    width: usize,
    units: Vec<u16>,
}

/// The neighbours that a pass from the top left has already seen, with their weights.
const BEFORE: [(isize, isize, u16); 8] = [
    (-1, 0, 5),
    (0, -1, 5),
    (-1, -1, 7),
    (1, -1, 7),
    (-2, -1, 11),
    (2, -1, 11),
    (-1, -2, 11),
    (1, -2, 11),
];

impl Distances {
    /// The distance of every pixel to the nearest one for which `is_goal` holds; beyond the picture there are none.
    pub(crate) fn to(width: u32, height: u32, is_goal: impl Fn(usize) -> bool) -> Self {
        let (width, height) = (width as usize, height as usize);
        let mut units: Vec<u16> = (0..width * height)
            .map(|index| if is_goal(index) { 0 } else { FAR })
            .collect();
        for y in 0..height {
            for x in 0..width {
                relax(&mut units, (width, height), (x, y), 1);
            }
        }
        for y in (0..height).rev() {
            for x in (0..width).rev() {
                relax(&mut units, (width, height), (x, y), -1);
            }
        }
        Self { width, units }
    }

    /// In pixels.
    pub(crate) fn at(&self, index: usize) -> f32 {
        f32::from(self.units[index]) / UNIT
    }

    /// Whether no neighbour is farther away: the middle line of a stroke.
    pub(crate) fn is_ridge(&self, index: usize) -> bool {
        let here = self.units[index];
        let (x, y) = (index % self.width, index / self.width);
        let height = self.units.len() / self.width;
        if here == 0 || x == 0 || y == 0 || x + 1 == self.width || y + 1 == height {
            return false;
        }
        let around = [index - self.width, index - 1, index + 1, index + self.width];
        around.into_iter().all(|neighbour| self.units[neighbour] <= here)
    }
}

fn relax(units: &mut [u16], (width, height): (usize, usize), (x, y): (usize, usize), direction: isize) {
    let index = y * width + x;
    let mut nearest = units[index];
    if nearest == 0 {
        return;
    }
    let inside = x >= 2 && y >= 2 && x + 2 < width && y + 2 < height;
    for (across, down, weight) in BEFORE {
        let (across, down) = (across * direction, down * direction);
        if !inside {
            let (column, row) = (x.checked_add_signed(across), y.checked_add_signed(down));
            if column.is_none_or(|column| column >= width) || row.is_none_or(|row| row >= height) {
                continue;
            }
        }
        let neighbour = index.wrapping_add_signed(down * width as isize + across);
        nearest = nearest.min(units[neighbour] + weight);
    }
    units[index] = nearest;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_close_to_the_true_ones() {
        let distances = Distances::to(101, 101, |index| index == 50 * 101 + 50);
        for (x, y) in [(0_usize, 0_usize), (100, 50), (70, 90), (50, 51)] {
            let truth = (x as f32 - 50.0).hypot(y as f32 - 50.0);
            let error = (distances.at(y * 101 + x) - truth).abs();
            assert!(error <= truth * 0.03, "{x},{y}: {error}");
        }
    }

    #[test]
    fn without_a_goal_everything_is_far() {
        let distances = Distances::to(4, 4, |_| false);
        assert!(distances.at(0) > 1000.0);
    }
}
