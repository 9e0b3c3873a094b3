//! Bodies that come in two kinds, distinguished by a required field.
use utoipa::openapi::{Object, OneOfBuilder, Ref};

use super::schema::{Schemas, object, without_null};

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
const KINDS: [(&str, [Kind; 2]); 5] = [
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
    (
        "NewCoverImage",
        [
            Kind {
                name: "CoverImageFromUpload",
                description: UPLOADED,
                required: "upload_id",
                has_no_other_field: false,
            },
            Kind {
                name: "CoverImageFromAddress",
                description: FETCHED,
                required: "image_url",
                has_no_other_field: false,
            },
        ],
    ),
];

/// Splits each such schema into its two kinds.
pub(super) fn split(schemas: &mut Schemas) {
    for (name, kinds) in &KINDS {
        let whole = schemas.remove(*name).expect("a handler takes this body");
        let whole = object(whole);
        let [one, other] = kinds;
        let either = OneOfBuilder::new()
            .description(whole.description.clone())
            .item(Ref::from_schema_name(one.name))
            .item(Ref::from_schema_name(other.name));
        schemas.insert((*name).into(), either.into());
        schemas.insert(one.name.into(), one.schema_from(&whole, other).into());
        schemas.insert(other.name.into(), other.schema_from(&whole, one).into());
    }
}

impl Kind {
    fn schema_from(&self, whole: &Object, other: &Self) -> Object {
        let mut kind = whole.clone();
        kind.description = Some(self.description.into());
        kind.required.push(self.required.into());
        kind.properties
            .retain(|name, _| name == self.required || !(self.has_no_other_field || name == other.required));
        kind.properties
            .get_mut(self.required)
            .into_iter()
            .for_each(without_null);
        kind
    }
}
