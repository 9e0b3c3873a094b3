//! Bodies of which there are two kinds, told apart by the field that one has and the other has not.

use serde_json::{Value, json};

/// One kind of a body.
struct Kind {
    title: &'static str,
    description: &'static str,
    /// The field that makes it this kind.
    required: &'static str,
    /// Fields of the other kind, which must be left out or null.
    without: &'static [&'static str],
}

const PAGE_ENTRY: [Kind; 2] = [
    Kind {
        title: "New page",
        description: "A page to be drawn, for 1 credit.",
        required: "title",
        without: &["page_id"],
    },
    Kind {
        title: "Existing page",
        description: "A ready page of the same aspect, for nothing. It brings its own title and drawing.",
        required: "page_id",
        without: &["title", "prompt", "caption", "character_ids"],
    },
];

const BOOK_PAGE_BODY: [Kind; 2] = [
    Kind {
        title: "New page",
        description: "A page to be drawn in the book, for 1 credit.",
        required: "page",
        without: &["page_id"],
    },
    Kind {
        title: "Existing page",
        description: "A ready page of the book's aspect, for nothing.",
        required: "page_id",
        without: &["page"],
    },
];

const UPLOADED: Kind = Kind {
    title: "An upload",
    description: "A file that was uploaded before.",
    required: "upload_id",
    without: &["image_url"],
};

const FETCHED: Kind = Kind {
    title: "An address",
    description: "A file that the server fetches.",
    required: "image_url",
    without: &["upload_id"],
};

/// Tells the kinds of each such schema apart.
pub fn tell_apart(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    split(&mut schemas["PageEntry"], &PAGE_ENTRY);
    split(&mut schemas["BookPageBody"], &BOOK_PAGE_BODY);
    split(&mut schemas["NewImport"], &[UPLOADED, FETCHED]);
    split(&mut schemas["NewImage"], &[UPLOADED, FETCHED]);
}

fn split(schema: &mut Value, kinds: &[Kind]) {
    let whole = schema.take();
    let kinds: Vec<Value> = kinds.iter().map(|kind| kind.of(&whole)).collect();
    *schema = json!({"description": whole["description"], "oneOf": kinds});
}

impl Kind {
    fn of(&self, whole: &Value) -> Value {
        let mut kind = whole.clone();
        kind["title"] = self.title.into();
        kind["description"] = self.description.into();
        let mut required = whole["required"].as_array().cloned().unwrap_or_default();
        required.push(self.required.into());
        kind["required"] = required.into();
        let properties = &mut kind["properties"];
        without_null(&mut properties[self.required]);
        for name in self.without {
            properties[*name] = json!({"type": "null"});
        }
        kind
    }
}

/// The schema of an optional field as it is where the field must be there.
fn without_null(schema: &mut Value) {
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
