//! Bodies that come in two kinds, distinguished by a required field.

use serde_json::{Value, json};

/// One kind of a body.
struct Kind {
    /// The name of its schema.
    name: &'static str,
    description: &'static str,
    /// The field that distinguishes this kind; the other kind does not have it.
    required: &'static str,
    /// True if this kind has no other field.
    has_no_other_field: bool,
}

const UPLOADED: &str = "A file that was uploaded earlier.";
const FETCHED: &str = "A file that the server fetches.";

/// The two kinds of each such schema. Each kind gets its own schema, because client generators derive a class name from
/// it, and have no type for a field that must be null.
const KINDS: [(&str, [Kind; 2]); 4] = [
    (
        "PageEntry",
        [
            Kind {
                name: "NewPageEntry",
                description: "A page to be drawn, for {page_price}.",
                required: "title",
                has_no_other_field: false,
            },
            Kind {
                name: "ExistingPageEntry",
                description: "A ready page of the same aspect, at no cost. It brings its own title and drawing.",
                required: "page_id",
                has_no_other_field: true,
            },
        ],
    ),
    (
        "BookPageBody",
        [
            Kind {
                name: "NewBookPageBody",
                description: "A page to be drawn in the book, for {page_price}.",
                required: "page",
                has_no_other_field: false,
            },
            Kind {
                name: "ExistingBookPageBody",
                description: "A ready page of the book's aspect, at no cost.",
                required: "page_id",
                has_no_other_field: false,
            },
        ],
    ),
    (
        "NewImport",
        [
            Kind {
                name: "ImportFromUpload",
                description: UPLOADED,
                required: "upload_id",
                has_no_other_field: false,
            },
            Kind {
                name: "ImportFromAddress",
                description: FETCHED,
                required: "image_url",
                has_no_other_field: false,
            },
        ],
    ),
    (
        "NewImage",
        [
            Kind {
                name: "ImageFromUpload",
                description: UPLOADED,
                required: "upload_id",
                has_no_other_field: false,
            },
            Kind {
                name: "ImageFromAddress",
                description: FETCHED,
                required: "image_url",
                has_no_other_field: false,
            },
        ],
    ),
];

/// Splits each such schema into its two kinds.
pub(super) fn split(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    for (name, kinds) in &KINDS {
        let whole = schemas[*name].take();
        let [one, other] = kinds;
        schemas[one.name] = one.schema_from(&whole, other);
        schemas[other.name] = other.schema_from(&whole, one);
        let kinds = kinds
            .each_ref()
            .map(|kind| json!({"$ref": format!("#/components/schemas/{}", kind.name)}));
        schemas[*name] = json!({"description": whole["description"], "oneOf": kinds});
    }
}

impl Kind {
    fn schema_from(&self, whole: &Value, other: &Self) -> Value {
        let mut kind = whole.clone();
        kind["description"] = self.description.into();
        let mut required = whole["required"].as_array().cloned().unwrap_or_default();
        required.push(self.required.into());
        kind["required"] = required.into();
        if let Some(fields) = kind["properties"].as_object_mut() {
            fields.retain(|name, _| name == self.required || !(self.has_no_other_field || name == other.required));
            fields.get_mut(self.required).into_iter().for_each(without_null);
        }
        kind
    }
}

/// Turns the schema of an optional field into that of a required one.
pub(super) fn without_null(schema: &mut Value) {
    let null = json!({"type": "null"});
    if let Some(kinds) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        kinds.retain(|kind| *kind != null);
        if let [only] = &mut kinds[..] {
            *schema = only.take();
        }
    } else if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|kind| kind != "null");
        if let [only] = &mut types[..] {
            schema["type"] = only.take();
        }
    }
}
