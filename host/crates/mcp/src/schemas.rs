//! The schemas of tools, derived from the types of requests and results, so that each field is described in one place
//! only. An agent pays for all schemas in every conversation, so inputs are described in full, and outputs only by the
//! names and types of the fields that every result has.
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{ArrayItems, SchemaType, Type};
use utoipa::openapi::{Array, Object, OneOf, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use linepress_accounts::credits::pricing;

/// The schema of a request: without references, examples, nulls and placeholders of prices.
pub(super) fn request<T: ToSchema>() -> Object {
    match Components::of::<T>().expanded(&T::schema()) {
        Schema::Object(object) => object,
        _ => unreachable!("the request {} is a struct", T::name()),
    }
}

/// The words of an enum.
pub(super) fn words<T: PartialSchema>() -> Vec<Value> {
    match T::schema() {
        RefOr::T(Schema::Object(object)) => object.enum_values.unwrap_or_default(),
        _ => unreachable!("an enum has the schema of a text"),
    }
}

/// The schema of results of this type, which also have the field `next`. Clients check errors against it, too.
pub(super) fn result<T: ToSchema>() -> Map<String, Value> {
    let components = Components::of::<T>();
    let object = components.fields(&T::schema());
    let kind = |name: &String| json!({"type": components.kind_of(&object.properties[name])});
    let mut fields: Map<String, Value> = object.required.iter().map(|name| (name.clone(), kind(name))).collect();
    fields.insert("next".into(), json!({"type": Type::String}));
    let mut schema = Map::new();
    schema.insert("type".into(), json!(Type::Object));
    schema.insert("properties".into(), fields.into());
    schema.insert(
        "anyOf".into(),
        json!([{"required": object.required}, {"required": [ERROR]}]),
    );
    schema
}

/// The only field of the structured form of an error.
const ERROR: &str = "error";

/// The schemas that a type refers to, by name.
struct Components(BTreeMap<String, RefOr<Schema>>);

impl Components {
    fn of<T: ToSchema>() -> Self {
        let mut schemas = Vec::new();
        T::schemas(&mut schemas);
        Self(schemas.into_iter().collect())
    }

    fn target(&self, reference: &Ref) -> &RefOr<Schema> {
        let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
        let schema = self.0.get(name);
        schema.unwrap_or_else(|| unreachable!("a type lists the schema {name}, to which it refers"))
    }

    /// Replaces references by what they lead to, and leaves out what says nothing to an agent.
    fn expanded(&self, schema: &RefOr<Schema>) -> Schema {
        match schema {
            RefOr::Ref(reference) => {
                let mut schema = self.expanded(self.target(reference));
                // A description next to a reference is specific to this field, and overrides the other.
                if !reference.description.is_empty() {
                    *description_of(&mut schema) = Some(pricing::fill_in(&reference.description));
                }
                schema
            }
            RefOr::T(Schema::OneOf(optional)) => self.expanded(without_null(optional)),
            RefOr::T(Schema::Object(object)) => Schema::Object(self.expanded_object(object)),
            RefOr::T(Schema::Array(array)) => Schema::Array(self.expanded_array(array)),
            RefOr::T(_) => unreachable!("a request has no combined schemas"),
        }
    }

    fn expanded_object(&self, object: &Object) -> Object {
        let mut shown = object.clone();
        shown.schema_type = only_type(&object.schema_type);
        shown.description = object.description.as_deref().map(pricing::fill_in);
        let fields = object.properties.iter();
        shown.properties = fields
            .map(|(name, field)| (name.clone(), self.expanded(field).into()))
            .collect();
        shown.example = None;
        shown.examples = Vec::new();
        shown.format = None;
        // A call with an empty text is rejected with the reason.
        shown.min_length = shown.min_length.filter(|length| *length > 1);
        // The patterns of ids say less than the descriptions of where ids come from.
        shown.pattern = None;
        shown
    }

    fn expanded_array(&self, array: &Array) -> Array {
        let mut shown = array.clone();
        shown.schema_type = only_type(&array.schema_type);
        shown.description = array.description.as_deref().map(pricing::fill_in);
        if let ArrayItems::RefOrSchema(items) = &array.items {
            let mut items = self.expanded(items);
            // The list already has a description.
            *description_of(&mut items) = None;
            shown.items = RefOr::T(items).into();
        }
        shown.example = None;
        shown.examples = Vec::new();
        shown.unique_items = false;
        shown
    }

    /// The fields of a struct, including those of the structs that it flattens.
    fn fields(&self, schema: &RefOr<Schema>) -> Object {
        match schema {
            RefOr::Ref(reference) => self.fields(self.target(reference)),
            RefOr::T(Schema::Object(object)) => object.clone(),
            RefOr::T(Schema::AllOf(parts)) => {
                let mut all = Object::new();
                for Object {
                    properties, required, ..
                } in parts.items.iter().map(|part| self.fields(part))
                {
                    all.properties.extend(properties);
                    all.required.extend(required);
                }
                all
            }
            RefOr::T(_) => unreachable!("a result is a struct"),
        }
    }

    /// The JSON type of a field.
    fn kind_of(&self, schema: &RefOr<Schema>) -> SchemaType {
        match schema {
            RefOr::Ref(reference) => self.kind_of(self.target(reference)),
            RefOr::T(Schema::Object(object)) => object.schema_type.clone(),
            RefOr::T(Schema::Array(array)) => array.schema_type.clone(),
            // A struct that contains the fields of another one.
            RefOr::T(Schema::AllOf(_)) => Type::Object.into(),
            RefOr::T(_) => unreachable!("a field that every result has has one type"),
        }
    }
}

fn description_of(schema: &mut Schema) -> &mut Option<String> {
    match schema {
        Schema::Object(object) => &mut object.description,
        Schema::Array(array) => &mut array.description,
        _ => unreachable!("an expanded schema is an object, a list or a value"),
    }
}

/// The schema of a field that may be null, without null: such a field may also be left out.
fn without_null(optional: &OneOf) -> &RefOr<Schema> {
    let is_null = |item: &&RefOr<Schema>| matches!(item, RefOr::T(Schema::Object(object)) if object.schema_type == Type::Null.into());
    let mut kinds = optional.items.iter().filter(|item| !is_null(item));
    match (kinds.next(), kinds.next()) {
        (Some(only), None) => only,
        _ => unreachable!("a field of a request has one type"),
    }
}

fn only_type(schema_type: &SchemaType) -> SchemaType {
    match schema_type {
        SchemaType::Array(types) => match types.iter().find(|one| **one != Type::Null) {
            Some(only) => only.clone().into(),
            None => schema_type.clone(),
        },
        SchemaType::Type(_) | SchemaType::AnyValue => schema_type.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use utoipa::openapi::schema::AdditionalProperties;

    use super::*;

    /// A color.
    #[derive(ToSchema)]
    #[schema(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only the schema is used")]
    enum Color {
        Red,
        Green,
    }

    /// A part of a request.
    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only the schema is used")]
    struct Part {
        /// It costs {page_price}.
        #[schema(example = "x", pattern = "^x$", max_length = 3)]
        name: Option<String>,
    }

    #[derive(ToSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the schema is used")]
    struct Request {
        /// The color of everything.
        color: Option<Color>,
        /// All parts.
        #[schema(max_items = 2)]
        parts: Vec<Part>,
        #[schema(minimum = 1)]
        number: u32,
    }

    #[test]
    fn a_request_has_no_references_nulls_examples_and_placeholders() {
        let schema = request::<Request>();
        assert_eq!(schema.required, ["parts", "number"]);
        assert!(matches!(
            schema.additional_properties.as_deref(),
            Some(AdditionalProperties::FreeForm(false))
        ));
        let costs = format!("It costs {}.", pricing::credits(pricing::PAGE));
        assert_eq!(
            json!(schema.properties),
            json!({
                "color": {"type": "string", "enum": ["red", "green"], "description": "The color of everything."},
                "parts": {
                    "type": "array",
                    "maxItems": 2,
                    "description": "All parts.",
                    "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string", "maxLength": 3, "description": costs}},
                    },
                },
                "number": {"type": "integer", "minimum": 1},
            })
        );
    }

    #[test]
    fn the_words_of_an_enum_are_those_of_its_schema() {
        assert_eq!(words::<Color>(), ["red", "green"]);
    }

    #[derive(Serialize, ToSchema)]
    struct Inner {
        color: &'static str,
    }

    #[derive(Serialize, ToSchema)]
    struct Extended {
        #[serde(flatten)]
        inner: Inner,
        more: bool,
    }

    #[derive(Serialize, ToSchema)]
    struct Result {
        page: Inner,
        pages: Vec<Inner>,
        extended: Extended,
        bytes: u64,
        done: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        replayed: Option<bool>,
    }

    #[test]
    fn a_result_is_described_by_the_types_of_the_fields_that_it_always_has() {
        let all = ["page", "pages", "extended", "bytes", "done"];
        assert_eq!(
            Value::Object(result::<Result>()),
            json!({
                "type": "object",
                "properties": {
                    "page": {"type": "object"},
                    "pages": {"type": "array"},
                    "extended": {"type": "object"},
                    "bytes": {"type": "integer"},
                    "done": {"type": "boolean"},
                    "next": {"type": "string"},
                },
                "anyOf": [{"required": all}, {"required": [ERROR]}],
            })
        );
    }
}
