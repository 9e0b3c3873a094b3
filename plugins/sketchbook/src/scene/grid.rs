//! Grids of cells, each of which is set or not.

use std::ops::Range;

const BITS: usize = u64::BITS as usize;

#[derive(Debug)]
pub(super) struct Grid {
    width: usize,
    height: usize,
    words_per_row: usize,
    /// Row by row. The first cell is the lowest bit. The bits beyond the last column are not set.
    words: Vec<u64>,
}

impl Grid {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let words_per_row = width.div_ceil(BITS);
        Self {
            width,
            height,
            words_per_row,
            words: vec![0; words_per_row * height],
        }
    }

    pub(super) fn words_per_row(&self) -> usize {
        self.words_per_row
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.words_per_row..][..self.words_per_row]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.words[row * self.words_per_row..][..self.words_per_row]
    }

    pub(super) fn contains(&self, column: usize, row: usize) -> bool {
        let is_within = column < self.width && row < self.height;
        is_within && self.row(row)[column / BITS] >> (column % BITS) & 1 == 1
    }

    /// Sets cells of a row.
    pub(super) fn set(&mut self, columns: Range<usize>, row: usize) {
        let columns = columns.start..columns.end.min(self.width);
        if columns.is_empty() {
            return;
        }
        let (first, last) = (columns.start / BITS, (columns.end - 1) / BITS);
        // The bits from the first column on, and those up to the last one.
        let (from, to) = (
            u64::MAX << (columns.start % BITS),
            u64::MAX >> (BITS - 1 - (columns.end - 1) % BITS),
        );
        let words = self.row_mut(row);
        if first == last {
            words[first] |= from & to;
            return;
        }
        words[first] |= from;
        words[first + 1..last].fill(u64::MAX);
        words[last] |= to;
    }

    pub(super) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns true if a cell of these columns and rows is set.
    pub(super) fn has_any(&self, columns: &Range<usize>, rows: Range<usize>) -> bool {
        let words = columns.start / BITS..columns.end.div_ceil(BITS);
        rows.into_iter().any(|row| {
            let mut words = words.clone().zip(&self.row(row)[words.clone()]);
            words.any(|(index, word)| {
                let first = index * BITS;
                let within = columns.start.saturating_sub(first)..columns.end - first;
                word & bits(within) != 0
            })
        })
    }

    /// Returns the number of cells that are set in this grid and in another one, whose first column and row are at
    /// these ones of this grid.
    pub(super) fn common(&self, other: &Self, (left, top): (i32, i32)) -> u32 {
        let (first, shift) = (left.div_euclid(BITS as i32), left.rem_euclid(BITS as i32));
        let mut count = 0;
        for (row, words) in (top..).zip(other.words.chunks_exact(other.words_per_row.max(1))) {
            let Some(row) = usize::try_from(row).ok().filter(|row| *row < self.height) else {
                continue;
            };
            let own = self.row(row);
            // An index below 0 becomes one beyond the row.
            let own = |index: i32| own.get(index as usize).copied().unwrap_or(0);
            for (index, word) in (first..).zip(words) {
                let cells = own(index) >> shift | own(index + 1) << 1 << (BITS as i32 - 1 - shift);
                count += (cells & word).count_ones();
            }
        }
        count
    }
}

/// Returns a word in which these bits are set. The range may end after the word.
fn bits(range: Range<usize>) -> u64 {
    let below = |end: usize| if end < BITS { (1 << end) - 1 } else { u64::MAX };
    below(range.end) & !below(range.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: usize, rows: &[Range<usize>]) -> Grid {
        let mut grid = Grid::new(width, rows.len());
        for (row, columns) in rows.iter().enumerate() {
            grid.set(columns.clone(), row);
        }
        grid
    }

    #[test]
    fn a_row_has_the_cells_that_were_set() {
        for columns in [0..1, 3..64, 60..70, 64..128, 0..150, 149..150, 5..5] {
            let grid = grid(150, &[0..0, columns.clone()]);
            for column in 0..150 {
                assert!(!grid.contains(column, 0));
                assert_eq!(
                    grid.contains(column, 1),
                    columns.contains(&column),
                    "{column} of {columns:?}"
                );
            }
            assert_eq!(grid.count() as usize, columns.len());
        }
    }

    #[test]
    fn cells_beyond_the_last_column_are_not_set() {
        assert_eq!(grid(70, &[60..90, 70..80]).count(), 10);
    }

    #[test]
    fn an_area_is_searched_up_to_its_edges() {
        let grid = grid(150, &[0..0, 63..66, 0..0]);
        assert!(grid.has_any(&(65..150), 0..2));
        assert!(grid.has_any(&(0..64), 1..3));
        for (columns, rows) in [
            (66..150, 0..3),
            (0..63, 0..3),
            (0..150, 2..3),
            (0..150, 0..1),
            (64..64, 0..3),
        ] {
            assert!(!grid.has_any(&columns, rows.clone()), "{columns:?}, {rows:?}");
        }
    }

    #[test]
    fn common_cells_are_counted_wherever_the_other_grid_is() {
        let (page, figure) = (grid(150, &[10..140, 64..65, 0..150]), grid(70, &[0..70, 3..68]));
        for left in -80..160 {
            for top in -3..4 {
                let mut expected = 0;
                for (column, row) in (0..70).flat_map(|column| [(column, 0), (column, 1)]) {
                    let on_page = (left + column, top + row);
                    let is_on_page = (0..150).contains(&on_page.0) && (0..3).contains(&on_page.1);
                    let is_set = is_on_page && page.contains(on_page.0 as usize, on_page.1 as usize);
                    expected += u32::from(is_set && figure.contains(column as usize, row as usize));
                }
                assert_eq!(page.common(&figure, (left, top)), expected, "at {left}, {top}");
            }
        }
    }
}
