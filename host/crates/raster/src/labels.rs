//! Connected components of ink, computed over runs.
use crate::bitmap::{Bitmap, Run};

/// The components of a bitmap's ink, numbered from 0.
pub(crate) struct Labels {
    of_runs: Vec<u32>,
    areas: Vec<u64>,
}

impl Labels {
    /// Finds the components. With `diagonal`, pixels that touch at a corner belong together.
    pub(crate) fn of(bitmap: &Bitmap, diagonal: bool) -> Self {
        let mut sets = Sets::default();
        let mut above: (&[Run], u32) = (&[], 0);
        for row in bitmap.rows() {
            let first = sets.grow(row.len());
            join(&mut sets, above, (row, first), u32::from(diagonal));
            above = (row, first);
        }
        sets.number(bitmap.rows().flatten().map(|run| u64::from(run.end - run.start)))
    }

    pub(crate) fn of_run(&self, run: usize) -> u32 {
        self.of_runs[run]
    }

    pub(crate) fn area(&self, label: u32) -> u64 {
        self.areas[label as usize]
    }

    pub(crate) fn areas(&self) -> &[u64] {
        &self.areas
    }
}

/// Joins the runs of two rows that touch. `reach` is 1 when corners count, otherwise 0.
fn join(sets: &mut Sets, above: (&[Run], u32), below: (&[Run], u32), reach: u32) {
    let mut upper = 0;
    for (offset, run) in (0_u32..).zip(below.0) {
        while upper < above.0.len() && above.0[upper].end + reach <= run.start {
            upper += 1;
        }
        let mut index = upper;
        while index < above.0.len() && above.0[index].start < run.end + reach {
            let touching = above.1 + u32::try_from(index).expect("fewer runs than pixels");
            sets.union(touching, below.1 + offset);
            index += 1;
        }
    }
}

/// Disjoint sets of runs.
#[derive(Default)]
struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    fn grow(&mut self, count: usize) -> u32 {
        let first = u32::try_from(self.parents.len()).expect("fewer runs than pixels");
        self.parents.extend((first..).take(count));
        first
    }

    fn root(&mut self, mut index: u32) -> u32 {
        while self.parents[index as usize] != index {
            let grandparent = self.parents[self.parents[index as usize] as usize];
            self.parents[index as usize] = grandparent;
            index = grandparent;
        }
        index
    }

    fn union(&mut self, left: u32, right: u32) {
        let (left, right) = (self.root(left), self.root(right));
        // The smaller number stays the root, so that a root is always visited before its members.
        self.parents[left.max(right) as usize] = left.min(right);
    }

    fn number(mut self, lengths: impl Iterator<Item = u64>) -> Labels {
        let mut of_runs = Vec::with_capacity(self.parents.len());
        let mut areas = Vec::new();
        for (index, length) in (0_u32..).zip(lengths) {
            let root = self.root(index);
            let label = if root == index {
                areas.push(0);
                u32::try_from(areas.len() - 1).expect("fewer components than runs")
            } else {
                of_runs[root as usize]
            };
            areas[label as usize] += length;
            of_runs.push(label);
        }
        Labels { of_runs, areas }
    }
}
