//! The definition of a tool: its description, inputs, effect and function.
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use utoipa::openapi::Object;

use super::arguments::{CONFIRM_ARGUMENT, KEY_ARGUMENT};
use super::handler::Handler;
use super::placeholders::fill_in;
use super::refusal::Wording;
use linepress_accounts::idempotency::IdempotencyKey;
use linepress_platform::database::PageRequest;
use linepress_platform::scopes::{Scope, Scopes};

/// A tool. Its description is for an agent without other documentation: it says what the tool does, what it costs and
/// when it helps. It gives the agent no orders: directories reject that, and the instructions of the server, prompts
/// and `next` guide the agent.
pub(super) struct ToolSpec {
    pub name: &'static str,
    pub title: &'static str,
    /// May contain placeholders of prices and limits.
    pub description: &'static str,
    pub effect: Effect,
    pub input: &'static [Input],
    pub handler: &'static dyn Handler,
}

/// The effect of a call on the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    /// Idempotent: a second call has the same result.
    Sets,
    /// Not idempotent: a second call adds something again.
    Adds,
    /// Deletes or replaces something permanently.
    Destroys,
    /// Costs credits. A second call with the same key costs nothing.
    Spends,
    /// Costs credits, as `Spends` does, and replaces a picture in the end.
    Redraws,
}

impl Effect {
    /// The scopes that a token needs.
    pub(super) fn scopes(self) -> Scopes {
        match self {
            Self::Reads => Scopes::of(&[Scope::BooksRead]),
            Self::Sets | Self::Adds | Self::Destroys => Scopes::of(&[Scope::BooksWrite]),
            Self::Spends | Self::Redraws => Scopes::of(&[Scope::BooksWrite, Scope::CreditsSpend]),
        }
    }

    /// Returns true if a call changes nothing, so that it is allowed during maintenance.
    pub(super) fn only_reads(self) -> bool {
        self == Self::Reads
    }

    /// Returns true if a call orders drawings. Clients may follow such a call as a task.
    pub(super) fn orders(self) -> bool {
        matches!(self, Self::Spends | Self::Redraws)
    }

    /// The hints for clients. The hint that a call is idempotent has no meaning for a tool that only reads, and is
    /// false by default.
    fn annotations(self) -> ToolAnnotations {
        let hints = ToolAnnotations::new()
            .read_only(self.only_reads())
            .destructive(matches!(self, Self::Destroys | Self::Redraws));
        match self {
            Self::Reads | Self::Adds => hints,
            Self::Sets | Self::Destroys | Self::Spends | Self::Redraws => hints.idempotent(true),
        }
    }
}

/// One or several arguments of a tool.
pub(super) enum Input {
    /// The required id of a resource.
    Id(&'static str),
    /// The fields of a request, by its schema.
    Fields(fn() -> Object),
    /// The fields of a request, except those that the tool always rejects.
    FieldsWithout(fn() -> Object, &'static [&'static str]),
    /// An optional whole number from 1.
    Number(&'static str, &'static str),
    /// An optional text.
    Text(&'static str, &'static str),
    /// One of the words of an enum; optional.
    OneOf(&'static str, fn() -> Vec<Value>, &'static str),
    /// The words that are looked for in a list.
    Query,
    /// A value that the items of a list must have, one of the words of an enum; optional.
    Filter(&'static str, fn() -> Vec<Value>),
    /// A required list of ids.
    Ids(&'static str, &'static str),
    /// An optional boolean.
    Flag(&'static str, &'static str),
    /// The optional idempotency key of a call that costs nothing.
    OptionalKey,
    /// The idempotency key of a call that costs credits, and the price that the caller confirms.
    Order,
    /// The limit and the cursor of a list.
    Page,
}

impl ToolSpec {
    /// Returns true if a call may have an idempotency key.
    pub(super) fn takes_key(&self) -> bool {
        let takes = |input: &Input| matches!(input, Input::Order | Input::OptionalKey);
        self.input.iter().any(takes)
    }

    /// The tool as clients see it. Without `SOURCE_ARGUMENT` unless `draws_from_pictures`.
    pub(super) fn describe(&self, draws_from_pictures: bool) -> Tool {
        let mut arguments = self.arguments();
        if !draws_from_pictures {
            arguments.fields.remove(SOURCE_ARGUMENT);
        }
        let tool = Tool::new(self.name, fill_in(self.description), Arc::new(arguments.into_schema()))
            .with_title(self.title)
            .with_annotations(self.effect.annotations().open_world(self.fetches()));
        match self.handler.result_schema() {
            Some(schema) => tool.with_raw_output_schema(Arc::new(schema)),
            None => tool,
        }
    }

    /// The properties that the tool's errors depend on.
    pub(super) fn wording(&self) -> Wording {
        Wording {
            takes_source: self.takes(SOURCE_ARGUMENT),
        }
    }

    /// Returns true if a call may have the server fetch an address that the caller chose.
    fn fetches(&self) -> bool {
        self.takes(ADDRESS_ARGUMENT)
    }

    fn takes(&self, argument: &str) -> bool {
        self.arguments().fields.contains_key(argument)
    }

    fn arguments(&self) -> ArgumentSchemas {
        let mut arguments = ArgumentSchemas::default();
        for input in self.input {
            input.add_to(&mut arguments);
        }
        arguments
    }
}

/// The picture to draw from.
const SOURCE_ARGUMENT: &str = "source_upload_id";

/// The address of a file.
const ADDRESS_ARGUMENT: &str = "image_url";

/// The schemas of a tool's arguments.
#[derive(Default)]
struct ArgumentSchemas {
    fields: Map<String, Value>,
    required: Vec<String>,
}

impl ArgumentSchemas {
    fn add(&mut self, name: &str, schema: Value) {
        self.fields.insert(name.into(), schema);
    }

    fn add_required(&mut self, name: &str, schema: Value) {
        self.add(name, schema);
        self.required.push(name.into());
    }

    /// Adds the fields of a request as arguments.
    fn add_fields(&mut self, request: Object, left_out: &[&str]) {
        self.required.extend(request.required);
        let fields = request.properties.into_iter();
        let taken = fields.filter(|(name, _)| !left_out.contains(&name.as_str()));
        self.fields.extend(taken.map(|(name, schema)| (name, json!(schema))));
    }

    fn into_schema(self) -> JsonObject {
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), self.fields.into());
        if !self.required.is_empty() {
            schema.insert("required".into(), self.required.into());
        }
        schema.insert("additionalProperties".into(), false.into());
        schema
    }
}

impl Input {
    fn add_to(&self, arguments: &mut ArgumentSchemas) {
        match self {
            Self::Id(name) => arguments.add_required(name, json!({"type": "string"})),
            Self::Fields(request) => arguments.add_fields(request(), &[]),
            Self::FieldsWithout(request, left_out) => arguments.add_fields(request(), left_out),
            Self::Number(name, description) => arguments.add(
                name,
                json!({"type": "integer", "minimum": 1, "description": fill_in(description)}),
            ),
            Self::Text(name, description) => arguments.add(name, json!({"type": "string", "description": description})),
            Self::OneOf(name, words, description) => arguments.add(
                name,
                json!({"type": "string", "enum": words(), "description": description}),
            ),
            Self::Query => arguments.add(
                "q",
                json!({"type": "string", "description": "Words or their beginnings."}),
            ),
            Self::Filter(name, words) => arguments.add(name, json!({"type": "string", "enum": words()})),
            Self::Ids(name, description) => arguments.add_required(
                name,
                json!({"type": "array", "items": {"type": "string"}, "description": description}),
            ),
            Self::Flag(name, description) => {
                arguments.add(name, json!({"type": "boolean", "description": description}));
            }
            Self::OptionalKey => arguments.add(
                KEY_ARGUMENT,
                json!({"type": "string", "description": "A repeat with this key does nothing."}),
            ),
            Self::Order => {
                let key = "New per order; kept on retries.";
                arguments.add_required(
                    KEY_ARGUMENT,
                    json!({"type": "string", "maxLength": IdempotencyKey::MAX_KEY_CHARS, "description": key}),
                );
                arguments.add(
                    CONFIRM_ARGUMENT,
                    json!({"type": "integer", "description": "The exact cost."}),
                );
            }
            Self::Page => {
                arguments.add(
                    "limit",
                    json!({"type": "integer", "minimum": 1, "maximum": PageRequest::MAX_LIMIT}),
                );
                arguments.add("after", json!({"type": "string", "description": "The cursor in next."}));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tools;

    #[test]
    fn every_tool_has_its_own_name_and_schemas_without_references() {
        let mut names = BTreeSet::new();
        for spec in tools::all() {
            assert!(names.insert(spec.name), "{}", spec.name);
            for draws_from_pictures in [false, true] {
                let described = json!(spec.describe(draws_from_pictures)).to_string();
                assert!(
                    !described.contains("$ref") && !described.contains("_price}"),
                    "{described}"
                );
            }
        }
    }

    #[test]
    fn only_a_server_that_draws_from_pictures_offers_to() {
        let create_page = tools::all().find(|spec| spec.name == "create_page").unwrap();
        for draws_from_pictures in [false, true] {
            let schema = create_page.describe(draws_from_pictures).input_schema;
            let schema = json!(schema);
            let has_source = schema["properties"].get(SOURCE_ARGUMENT).is_some();
            assert_eq!(has_source, draws_from_pictures);
        }
        let with_source: Vec<&str> = tools::all()
            .filter(|spec| spec.wording().takes_source)
            .map(|spec| spec.name)
            .collect();
        assert_eq!(
            with_source,
            [
                "generate_book_page",
                "create_character",
                "regenerate_character",
                "create_page",
                "regenerate_page"
            ]
        );
    }

    #[test]
    fn the_tools_that_take_an_address_reach_the_open_world() {
        let fetching: Vec<&str> = tools::all()
            .filter(|spec| spec.fetches())
            .map(|spec| spec.name)
            .collect();
        assert_eq!(
            fetching,
            ["replace_book_cover_image", "import_page", "replace_page_image"]
        );
    }
}
