//! The component's exports.
use linepress_plugin_sdk::layout::{self, Book, Description, Guest, LayoutError, Leaf};

use crate::{formats, leaves};

struct Classic;

impl Guest for Classic {
    fn describe() -> Description {
        Description {
            id: "linepress.classic".to_owned(),
            name: "Classic".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            formats: formats::formats(),
            extra: Vec::new(),
        }
    }

    fn lay_out(book: Book, format_id: String) -> Result<Vec<Leaf>, LayoutError> {
        leaves::lay_out(&book, &format_id)
    }
}

layout::export!(Classic);
