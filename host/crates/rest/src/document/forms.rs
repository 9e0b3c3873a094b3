//! Forms with a file: they have the fields of the equivalent JSON body, with the file in place of its upload id or
//! address.

use linepress_imaging::FORMATS;
use serde_json::{Value, json};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::kinds::without_null;

macro_rules! form_type {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                // `describe` fills in the schema.
                ObjectBuilder::new().into()
            }
        }

        impl ToSchema for $name {}
    )*};
}

form_type! {
    /// Finished artwork that becomes a page.
    ImportForm;
    /// Finished artwork that replaces an image.
    ImageForm;
}

/// Each form, its description, and the equivalent JSON body.
const FORMS: [(&str, &str, &str); 2] = [
    ("ImportForm", "Finished artwork that becomes a page.", "NewImport"),
    ("ImageForm", "Finished artwork that replaces an image.", "NewImage"),
];

/// Creates the schemas of the forms. Must run before `kinds` splits the schemas of the bodies.
pub(super) fn describe(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    for (form, description, body) in FORMS {
        let mut schema = schemas[body].clone();
        schema["description"] = description.into();
        let fields = schema["properties"].as_object_mut().expect("a body has fields");
        for place in ["upload_id", "image_url"] {
            fields.remove(place);
        }
        // A form field is either present or missing; it cannot be null.
        fields.values_mut().for_each(without_null);
        let image = json!({
            "type": "string",
            "format": "binary",
            "description": format!("A {FORMATS}."),
        });
        fields.insert("image".into(), image);
        let mut required = schema["required"].as_array().cloned().unwrap_or_default();
        required.insert(0, "image".into());
        schema["required"] = required.into();
        schemas[form] = schema;
    }
}
