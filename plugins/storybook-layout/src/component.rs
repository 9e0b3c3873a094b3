//! The component's exports.
use linepress_plugin_sdk::layout::{self, Book, Description, Guest, LayoutError, Leaf};

use crate::{formats, leaves};

struct Storybook;

impl Guest for Storybook {
    fn describe() -> Description {
        Description {
            id: "linepress.storybook".to_owned(),
            name: "Storybook".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            formats: formats::formats(),
            extra: Vec::new(),
        }
    }

    fn lay_out(book: Book, format_id: String) -> Result<Vec<Leaf>, LayoutError> {
        leaves::lay_out(&book, &format_id)
    }
}

layout::export!(Storybook);
