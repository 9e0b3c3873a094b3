//! The objects that a row of the database names.
//!
//! PDFs are not among them: the server makes a PDF again when its object is missing, so a backup without them is
//! smaller and restores the same books. Objects that are marked for deletion are not among them either.
use linepress_drawings::queue::{DrawingStatus, source_from_request};
use linepress_platform::database::{Cell, Cells, Column};

/// The columns that contain the key of an object.
const KEYS: [(&str, &str); 3] = [
    ("artworks", "image_key"),
    ("artworks", "master_key"),
    ("uploads", "object_key"),
];

/// The positions of the columns of a table that name objects.
#[derive(Debug, Default)]
pub(super) struct NamingColumns {
    keys: Vec<usize>,
    /// The status and the request of a drawing job, which names its source picture until the drawing ends.
    drawing: Option<(usize, usize)>,
}

impl NamingColumns {
    pub(super) fn of(table: &str, columns: &[Column]) -> Self {
        let position = |name: &str| columns.iter().position(|column| column.name == name);
        let keys = KEYS.iter().filter(|(owner, _)| *owner == table);
        let drawing = match table {
            "drawings" => position("status").zip(position("request")),
            _ => None,
        };
        Self {
            keys: keys.filter_map(|(_, column)| position(column)).collect(),
            drawing,
        }
    }

    /// The keys of the objects that the row names.
    pub(super) fn keys(&self, row: &Cells) -> Vec<String> {
        let text = |index: usize| match row.get(index) {
            Some(Cell::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let mut keys: Vec<String> = self
            .keys
            .iter()
            .filter_map(|index| text(*index))
            .map(String::from)
            .collect();
        if let Some((status, request)) = self.drawing {
            let open = [DrawingStatus::Queued, DrawingStatus::Running].map(|status| status.to_string());
            let is_open = text(status).is_some_and(|status| open.iter().any(|open| open == status));
            if let Some(source) = text(request).filter(|_| is_open).and_then(source_from_request) {
                keys.push(source.key);
            }
        }
        keys
    }
}
