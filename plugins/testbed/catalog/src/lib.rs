//! A layout that describes 100,000 print formats, more than the host accepts.
use linepress_plugin_sdk::layout::{Aspect, Book, Description, Format, Guest, LayoutError, Leaf, Pixels};

pub struct Catalog;

impl Guest for Catalog {
    fn describe() -> Description {
        let format = |number: u32| Format {
            id: format!("format_{number}"),
            name: format!("Format {number}, {}", "fine ".repeat(30)),
            aspect: Aspect::Portrait,
            trim_width: 210_000,
            trim_height: 330_000,
            bleed: 0,
            recommended: Pixels {
                width: 1152,
                height: 1536,
            },
            template: "catalog.typ".into(),
            extra: Vec::new(),
        };
        Description {
            id: "testbed.catalog".into(),
            name: "Catalog".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            formats: (0..100_000).map(format).collect(),
            extra: Vec::new(),
        }
    }

    fn lay_out(_book: Book, _format_id: String) -> Result<Vec<Leaf>, LayoutError> {
        Ok(Vec::new())
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::layout::export!(Catalog);
