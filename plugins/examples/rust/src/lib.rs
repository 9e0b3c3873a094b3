//! An image provider that draws a quilt of panels with a shape in each.
mod page;

use page::{Dice, Page};

wit_bindgen::generate!({ path: "wit", world: "image-provider", generate_all });

use exports::linepress::image::provider::{Description, DrawError, DrawRequest, Drawing, Guest};
use linepress::types::types::{Aspect, Audience, Media};

struct Quilt;

impl Guest for Quilt {
    fn describe() -> Description {
        Description {
            id: "acme.quilt".into(),
            name: "Quilt".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            aspects: vec![Aspect::Square, Aspect::Portrait, Aspect::Landscape],
            max_references: 0,
            extra: Vec::new(),
        }
    }

    fn draw(request: DrawRequest) -> Result<Drawing, DrawError> {
        use linepress::host::{config, log};
        let columns = columns_of(&config::get())?;
        let mut page = Page::new(request.size.width, request.size.height, pen(request.audience));
        // The same request gives the same drawing. A different seed gives a different one.
        let mut dice = Dice::new(request.seed ^ u64::from(page::crc32(request.prompt.as_bytes())));
        page.quilt(columns, &mut dice);
        log::write(log::Level::Debug, &format!("a quilt of {columns} columns"));
        Ok(Drawing {
            image: Media {
                media_type: "image/png".into(),
                bytes: page.png(),
            },
            extra: vec![("model".into(), "quilt".into())],
        })
    }
}

#[cfg(target_family = "wasm")] // native linkers reject the names of the exports
export!(Quilt);

/// Half the width of a line in pixels. Young children need thick lines.
fn pen(audience: Audience) -> i32 {
    match audience {
        Audience::Toddler => 5,
        Audience::Child => 4,
        Audience::Teen => 3,
        Audience::Adult => 2,
    }
}

/// Reads the only setting, which `config.json` documents.
fn columns_of(settings: &str) -> Result<i32, DrawError> {
    let settings: serde_json::Value = serde_json::from_str(settings).unwrap_or_default();
    let columns = match &settings["columns"] {
        serde_json::Value::Null => Some(4),
        columns => columns.as_i64(),
    };
    match columns {
        Some(columns @ 2..=8) => Ok(columns as i32),
        _ => Err(DrawError::Unavailable("the setting columns must be 2 to 8".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_columns_is_a_setting() {
        assert_eq!(columns_of("{}").unwrap(), 4);
        assert_eq!(columns_of(r#"{"columns": 8}"#).unwrap(), 8);
        for settings in [r#"{"columns": 1}"#, r#"{"columns": "many"}"#] {
            assert!(matches!(columns_of(settings), Err(DrawError::Unavailable(_))), "{settings}");
        }
    }
}
