//! The file that the caller of a check expects.
use linepress_printers::{Edition, Paper, Part, Size};
use serde::{Deserialize, Serialize};

/// The file that the caller expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    pub edition: Edition,
    /// The part of the book. `None` lets the check guess it from the pages.
    pub part: Option<Part>,
    /// For a cover, the number of pages of the interior.
    pub pages: Option<u32>,
    /// The size of a trimmed page. `None` lets the check take it from the printer's list.
    pub trim: Option<Size>,
    /// True when the interior is printed in color.
    #[serde(default)]
    pub color: bool,
    /// For a cover, the paper of the interior. `None` allows every paper that the printer has.
    #[serde(default)]
    pub paper: Option<Paper>,
    /// True for a cover with a barcode of its own, to which the printer adds none.
    #[serde(default)]
    pub has_barcode: bool,
}
