//! Lists that a query aggregates into one text: record separators between the records, and unit separators between the
//! fields of a record. No name or id contains either character.

const RECORD_SEPARATOR: char = '\u{1e}';
const UNIT_SEPARATOR: char = '\u{1f}';

/// The records of an aggregated text, which is NULL when there are none.
pub fn records(gathered: Option<&str>) -> impl Iterator<Item = &str> {
    gathered.into_iter().flat_map(|text| text.split(RECORD_SEPARATOR))
}

/// The two fields of a record; `None` when it has no separator.
pub fn fields(record: &str) -> Option<(&str, &str)> {
    record.split_once(UNIT_SEPARATOR)
}
