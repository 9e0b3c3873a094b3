//! Lists that a query gathers into one text: records stand between record separators, the fields of a record between unit
//! separators. Neither may stand in a name or an id.

const BETWEEN_RECORDS: char = '\u{1e}';
const BETWEEN_FIELDS: char = '\u{1f}';

/// The records of a gathered text, which is NULL when there are none.
pub fn records(gathered: Option<&str>) -> impl Iterator<Item = &str> {
    gathered.into_iter().flat_map(|text| text.split(BETWEEN_RECORDS))
}

/// The two fields of a record.
pub fn fields(record: &str) -> Option<(&str, &str)> {
    record.split_once(BETWEEN_FIELDS)
}
