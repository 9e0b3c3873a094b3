//! Bodies of which there are two kinds, told apart by the field that makes each.

use serde_json::{Value, json};

/// One kind of a body.
struct Kind {
    /// The name of its schema.
    name: &'static str,
    description: &'static str,
    /// The field that makes it this kind; the other kind has none of this name.
    required: &'static str,
    /// Whether it has no other field.
    alone: bool,
}

const UPLOADED: &str = "A file that was uploaded before.";
const FETCHED: &str = "A file that the server fetches.";

/// The kinds of each such schema. Each becomes a schema of its own, because generators of clients take the name of a class
/// from there, and have no type for a field that must be null.
const KINDS: [(&str, [Kind; 2]); 4] = [
    (
        "PageEntry",
        [
            Kind {
                name: "NewPageEntry",
                description: "A page to be drawn, for 1 credit.",
                required: "title",
                alone: false,
            },
            Kind {
                name: "ExistingPageEntry",
                description: "A ready page of the same aspect, for nothing. It brings its own title and drawing.",
                required: "page_id",
                alone: true,
            },
        ],
    ),
    (
        "BookPageBody",
        [
            Kind {
                name: "NewBookPageBody",
                description: "A page to be drawn in the book, for 1 credit.",
                required: "page",
                alone: false,
            },
            Kind {
                name: "ExistingBookPageBody",
                description: "A ready page of the book's aspect, for nothing.",
                required: "page_id",
                alone: false,
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
                alone: false,
            },
            Kind {
                name: "ImportFromAddress",
                description: FETCHED,
                required: "image_url",
                alone: false,
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
                alone: false,
            },
            Kind {
                name: "ImageFromAddress",
                description: FETCHED,
                required: "image_url",
                alone: false,
            },
        ],
    ),
];

/// Tells the kinds of each such schema apart.
pub(super) fn tell_apart(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    for (name, kinds) in &KINDS {
        let whole = schemas[*name].take();
        let [one, other] = kinds;
        schemas[one.name] = one.of(&whole, other);
        schemas[other.name] = other.of(&whole, one);
        let kinds = kinds
            .each_ref()
            .map(|kind| json!({"$ref": format!("#/components/schemas/{}", kind.name)}));
        schemas[*name] = json!({"description": whole["description"], "oneOf": kinds});
    }
}

impl Kind {
    fn of(&self, whole: &Value, other: &Self) -> Value {
        let mut kind = whole.clone();
        kind["description"] = self.description.into();
        let mut required = whole["required"].as_array().cloned().unwrap_or_default();
        required.push(self.required.into());
        kind["required"] = required.into();
        if let Some(fields) = kind["properties"].as_object_mut() {
            fields.retain(|name, _| name == self.required || !(self.alone || name == other.required));
            fields.get_mut(self.required).into_iter().for_each(without_null);
        }
        kind
    }
}

/// The schema of an optional field as it is where the field must be there.
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
