//! Batches of rows for statements that are prepared once.

/// The number of rows of the largest batch. More would not be faster: to prepare and to bind a statement, SQLite
/// searches all its parameters for each of them (`sqlite3VListNameToNum` and `sqlite3VListNumToName` in SQLite 3).
const MAX_BATCH_ROWS: usize = 32;

/// Splits rows into batches of `MAX_BATCH_ROWS`, and the rest into smaller powers of two. A statement that writes a
/// batch therefore has one of a few texts, however many rows there are, and a connection prepares each of them once.
pub fn batches<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let exponent = rest.len().min(MAX_BATCH_ROWS).checked_ilog2()?;
        let (batch, others) = rest.split_at(1 << exponent);
        rest = others;
        Some(batch)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn batches_contain_every_row_in_order_and_have_few_sizes() {
        let all: Vec<usize> = (0..500).collect();
        let mut sizes = BTreeSet::new();
        for count in 0..=all.len() {
            let rows = &all[..count];
            let split: Vec<&[usize]> = batches(rows).collect();
            assert_eq!(split.concat(), rows);
            sizes.extend(split.iter().map(|batch| batch.len()));
        }
        assert_eq!(Vec::from_iter(sizes), [1, 2, 4, 8, 16, 32]);
    }
}
