//! Schemas in the types of utoipa, and what those lack.
use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{Content, Object, Ref, RefOr, Schema};

/// The schemas of the document, by name.
pub(super) type Schemas = BTreeMap<String, RefOr<Schema>>;

/// The schema of a struct, which is always that of an object.
pub(super) fn object(schema: RefOr<Schema>) -> Object {
    match schema {
        RefOr::T(Schema::Object(object)) => object,
        _ => unreachable!("a struct has the schema of an object"),
    }
}

/// A keyword that utoipa has no field for, such as `const`.
pub(super) fn keyword(name: &str, value: impl Into<Value>) -> Option<Extensions> {
    Some(Extensions::from_iter([(name, value)]))
}

/// Turns the schema of an optional field into that of a required one.
pub(super) fn without_null(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::OneOf(one_of)) => {
            one_of.items.retain(|item| !is_null(item));
            if let [only] = &mut one_of.items[..] {
                *schema = std::mem::take(only);
            }
        }
        RefOr::T(Schema::Object(object)) => type_without_null(&mut object.schema_type),
        RefOr::T(Schema::Array(array)) => type_without_null(&mut array.schema_type),
        RefOr::T(_) | RefOr::Ref(_) => {}
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == Type::Null.into())
}

fn type_without_null(schema_type: &mut SchemaType) {
    if let SchemaType::Array(types) = schema_type {
        types.retain(|one| *one != Type::Null);
        if let [only] = &types[..] {
            *schema_type = only.clone().into();
        }
    }
}

/// The name of a body's schema; `None` for a file.
pub(super) fn name_of_body(content: &RefOr<Content>) -> Option<&str> {
    let RefOr::T(content) = content else { return None };
    let reference = match content.schema.as_ref()? {
        RefOr::Ref(reference) => reference,
        // The schema of an optional body is "this or null".
        RefOr::T(Schema::OneOf(optional)) => optional.items.iter().find_map(as_reference)?,
        RefOr::T(_) => return None,
    };
    reference.ref_location.rsplit('/').next()
}

fn as_reference(schema: &RefOr<Schema>) -> Option<&Ref> {
    match schema {
        RefOr::Ref(reference) => Some(reference),
        RefOr::T(_) => None,
    }
}
