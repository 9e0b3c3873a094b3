//! Bodies of which there are two kinds, told apart by the fields that one has and the other has not.

use serde_json::{Value, json};

/// One kind of a body.
struct Kind {
    title: &'static str,
    description: &'static str,
    /// The field that makes it this kind.
    required: &'static str,
    /// Whether no other field may stand beside it.
    alone: bool,
}

const UPLOADED: Kind = Kind {
    title: "An upload",
    description: "A file that was uploaded before.",
    required: "upload_id",
    alone: false,
};

const FETCHED: Kind = Kind {
    title: "An address",
    description: "A file that the server fetches.",
    required: "image_url",
    alone: false,
};

/// The kinds of each such schema.
const KINDS: [(&str, [Kind; 2]); 4] = [
    (
        "PageEntry",
        [
            Kind {
                title: "New page",
                description: "A page to be drawn, for 1 credit.",
                required: "title",
                alone: false,
            },
            Kind {
                title: "Existing page",
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
                title: "New page",
                description: "A page to be drawn in the book, for 1 credit.",
                required: "page",
                alone: false,
            },
            Kind {
                title: "Existing page",
                description: "A ready page of the book's aspect, for nothing.",
                required: "page_id",
                alone: false,
            },
        ],
    ),
    ("NewImport", [UPLOADED, FETCHED]),
    ("NewImage", [UPLOADED, FETCHED]),
];

/// Tells the kinds of each such schema apart.
pub(super) fn tell_apart(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    for (name, [one, other]) in &KINDS {
        let whole = schemas[*name].take();
        let kinds = [one.of(&whole, other), other.of(&whole, one)];
        schemas[*name] = json!({"description": whole["description"], "oneOf": kinds});
    }
}

impl Kind {
    fn of(&self, whole: &Value, other: &Self) -> Value {
        let mut kind = whole.clone();
        kind["title"] = self.title.into();
        kind["description"] = self.description.into();
        let mut required = whole["required"].as_array().cloned().unwrap_or_default();
        required.push(self.required.into());
        kind["required"] = required.into();
        for (name, schema) in kind["properties"].as_object_mut().into_iter().flatten() {
            if name == self.required {
                without_null(schema);
            } else if self.alone || name == other.required {
                *schema = json!({"type": "null"});
            }
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
