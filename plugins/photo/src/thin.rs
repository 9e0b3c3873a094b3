//! Thinning of lines to one pixel (Zhang and Suen 1984).

/// Offsets of the eight neighbors, clockwise from the one above.
pub(crate) const AROUND: [(isize, isize); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// Returns, for each of the eight neighbors, whether it belongs to a line. Neighbors outside the picture do not.
pub(crate) fn neighbors(line: &[bool], width: usize, index: usize) -> [bool; 8] {
    let (x, y) = ((index % width) as isize, (index / width) as isize);
    let height = (line.len() / width) as isize;
    AROUND.map(|(dx, dy)| {
        let (x, y) = (x + dx, y + dy);
        x >= 0 && y >= 0 && x < width as isize && y < height && line[y as usize * width + x as usize]
    })
}

/// Removes pixels from the rims of lines until the lines are one pixel wide.
pub(crate) fn thin(line: &mut [bool], width: usize) {
    let mut inked: Vec<usize> = (0..line.len()).filter(|index| line[*index]).collect();
    loop {
        let before = inked.len();
        for first in [true, false] {
            let rim: Vec<usize> = inked
                .iter()
                .copied()
                .filter(|index| is_rim(neighbors(line, width, *index), first))
                .collect();
            for index in rim {
                line[index] = false;
            }
            inked.retain(|index| line[*index]);
        }
        if inked.len() == before {
            return;
        }
    }
}

fn is_rim(near: [bool; 8], first: bool) -> bool {
    let count = near.iter().filter(|inked| **inked).count();
    let changes = (0..8).filter(|at| !near[*at] && near[(at + 1) % 8]).count();
    let [above, _, right, _, below, _, left, _] = near;
    let side = if first {
        !(right && below && (above || left))
    } else {
        !(above && left && (right || below))
    };
    (2..=6).contains(&count) && changes == 1 && side
}

#[cfg(test)]
mod tests {
    use super::{neighbors, thin};

    #[test]
    fn a_bar_becomes_a_line_of_one_pixel() {
        let (width, height) = (30, 12);
        let mut line: Vec<bool> = (0..width * height)
            .map(|index| (3..27).contains(&(index % width)) && (3..9).contains(&(index / width)))
            .collect();
        thin(&mut line, width);
        let left: Vec<usize> = (0..line.len()).filter(|index| line[*index]).collect();
        assert!((12..27).contains(&left.len()), "{}", left.len());
        for index in left {
            assert!(neighbors(&line, width, index).iter().filter(|inked| **inked).count() <= 2);
        }
    }
}
