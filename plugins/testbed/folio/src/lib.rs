//! A layout with one leaf for each drawing.
//!
//! A book with the title "beyond" gets a leaf for a drawing that it does not have, and a book with the title "declined"
//! is refused. Every leaf contains the current time and a random number, which must be constant in a pure world.
use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

use linepress_plugin_sdk::layout::{Aspect, Book, Description, Format, Guest, LayoutError, Leaf, Pixels};

pub struct Folio;

impl Guest for Folio {
    fn describe() -> Description {
        Description {
            id: "testbed.folio".into(),
            name: "Folio".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            formats: vec![Format {
                id: "folio".into(),
                name: "Folio".into(),
                aspect: Aspect::Portrait,
                trim_width: 210_000,
                trim_height: 330_000,
                bleed: 0,
                recommended: Pixels {
                    width: 1152,
                    height: 1536,
                },
                template: "folio.typ".into(),
                extra: Vec::new(),
            }],
            extra: Vec::new(),
        }
    }

    fn lay_out(book: Book, _format_id: String) -> Result<Vec<Leaf>, LayoutError> {
        if book.title == "declined" {
            return Err(LayoutError::Invalid("no paper for that".into()));
        }
        let leaves = book.drawings.len() as u32 + u32::from(book.title == "beyond");
        let time = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("time runs forward");
        let extra = vec![
            ("seconds".into(), time.as_secs().to_string()),
            ("dice".into(), RandomState::new().hash_one("dice").to_string()),
        ];
        Ok((0..leaves)
            .map(|drawing| Leaf {
                kind: "drawing".into(),
                drawing: Some(drawing),
                extra: extra.clone(),
            })
            .collect())
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::layout::export!(Folio);
