//! classic-layout: title page, "this book belongs to", one drawing a sheet with a blank back, colophon.
use linepress_plugin_sdk::layout::{self, Book, Description, Guest, LayoutError, Leaf};

struct ClassicLayout;

impl Guest for ClassicLayout {
    fn describe() -> Description {
        Description { id: "linepress.classic".into(), name: "Classic".into(), version: env!("CARGO_PKG_VERSION").into(), formats: vec![], extra: vec![] }
    }
    fn lay_out(_book: Book, _format_id: String) -> Result<Vec<Leaf>, LayoutError> { Ok(vec![]) }
}

layout::export!(ClassicLayout);
