//! The definition of a tool: its description, inputs, outputs and effect.
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, CONFIRM_ARGUMENT, KEY_ARGUMENT};
use super::earlier_question::EarlierQuestion;
use super::refusal::Wording;
use super::reply::{NEXT, Outcome, Reply};
use super::schemas::Components;
use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::credits::pricing;
use linepress_core::downloads::LINK_LIFETIME;
use linepress_core::idempotency::IdempotencyKey;
use linepress_platform::database::PageRequest;
use linepress_platform::error::Result;
use linepress_platform::scopes::{Scope, Scopes};

/// The longest duration of one call that waits. Many clients give up after 60 seconds.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(50);

/// A tool. Its description is for an agent without other documentation: it says what the tool does, what it costs and
/// what to do next.
pub(super) struct ToolSpec {
    pub name: &'static str,
    pub title: &'static str,
    /// May contain placeholders of prices.
    pub description: &'static str,
    pub effect: Effect,
    pub input: &'static [Input],
    /// The fields of the result, except `next`, and their types. Empty for a tool that returns only a picture and text:
    /// many clients pass a structured result to their model in place of everything else, pictures included.
    pub output: &'static [(&'static str, Kind)],
    pub call: fn(Call) -> BoxFuture<'static, Outcome<Reply>>,
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

    fn annotations(self) -> ToolAnnotations {
        ToolAnnotations::new()
            .read_only(self == Self::Reads)
            .destructive(matches!(self, Self::Destroys | Self::Redraws))
            .idempotent(self != Self::Adds)
    }
}

/// One or several arguments of a tool.
pub(super) enum Input {
    /// The required id of a resource.
    Id(&'static str),
    /// The fields of a schema of the REST document.
    Fields(&'static str),
    /// The fields of a schema of the REST document, except those that the tool always rejects.
    FieldsWithout(&'static str, &'static [&'static str]),
    /// An optional whole number from 1.
    Number(&'static str, &'static str),
    /// An optional text.
    Text(&'static str, &'static str),
    /// One of a list of words; optional.
    Word(&'static str, &'static [&'static str], &'static str),
    /// One of the values of an enum of the REST document; optional.
    OneOf(&'static str, &'static str, &'static str),
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

/// The type of a field of a result. The schema says no more about it: the list of tools is part of every conversation,
/// and the results are self-explanatory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Object,
    List,
    Text,
    Whole,
    Flag,
}

/// One call of a tool.
pub(super) struct Call {
    pub app: App,
    pub caller: Caller,
    pub tool: &'static str,
    pub arguments: Arguments,
    /// The user's response to an earlier question.
    pub earlier_question: EarlierQuestion,
    pub context: RequestContext<RoleServer>,
}

impl Call {
    /// Reads which page of a list is requested; the ids of the list's items start with `prefix`.
    pub(super) fn take_page_request(&mut self, prefix: &'static str) -> Result<PageRequest> {
        let limit: Option<Value> = self.arguments.take_optional("limit")?;
        let after: Option<String> = self.arguments.take_optional("after")?;
        let scope = self.app.cursors.scope(self.caller.account_id(), prefix);
        PageRequest::parse(limit.map(|limit| limit.to_string()).as_deref(), after.as_deref(), scope)
    }
}

impl ToolSpec {
    /// Returns true if a call may have an idempotency key.
    pub(super) fn takes_key(&self) -> bool {
        let takes = |input: &Input| matches!(input, Input::Order | Input::OptionalKey);
        self.input.iter().any(takes)
    }

    /// The tool as clients see it.
    pub(super) fn describe(&self, components: &Components) -> Tool {
        let tool = Tool::new(
            self.name,
            pricing::fill_in(&with_limits(self.description)),
            Arc::new(self.input_schema(components)),
        )
        .with_title(self.title)
        .with_annotations(self.effect.annotations().open_world(self.fetches()));
        if self.output.is_empty() {
            return tool;
        }
        tool.with_raw_output_schema(Arc::new(self.output_schema()))
    }

    /// The properties that the tool's errors depend on.
    pub(super) fn wording(&self) -> Wording {
        let takes_source = |input: &Input| matches!(input, Input::Fields("NewPage"));
        Wording {
            takes_source: self.input.iter().any(takes_source),
        }
    }

    /// Returns true if a call may have the server fetch an address that the caller chose.
    fn fetches(&self) -> bool {
        let names_address = |input: &Input| matches!(input, Input::Fields("NewImport" | "NewImage"));
        self.input.iter().any(names_address)
    }

    fn input_schema(&self, components: &Components) -> JsonObject {
        let mut fields = Map::new();
        let mut required = Vec::new();
        for input in self.input {
            input.add(components, &mut fields, &mut required);
        }
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), Value::Object(fields));
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        schema.insert("additionalProperties".into(), false.into());
        schema
    }

    /// The schema of results. Clients also check errors against it, which have the field `error` only.
    fn output_schema(&self) -> JsonObject {
        let mut fields: Map<String, Value> = self
            .output
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), kind.schema()))
            .collect();
        fields.insert(NEXT.into(), json!({"type": "string"}));
        let names: Vec<&str> = self.output.iter().map(|(name, _)| *name).collect();
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), Value::Object(fields));
        schema.insert("anyOf".into(), json!([{"required": names}, {"required": ["error"]}]));
        schema
    }
}

impl Input {
    fn add(&self, components: &Components, fields: &mut Map<String, Value>, required: &mut Vec<Value>) {
        let mut optional = |name: &str, schema: Value| {
            fields.insert(name.into(), schema);
        };
        match self {
            Self::Id(name) => {
                optional(name, json!({"type": "string"}));
                required.push((*name).into());
            }
            Self::Fields(schema) => add_fields(components, schema, &[], fields, required),
            Self::FieldsWithout(schema, left_out) => add_fields(components, schema, left_out, fields, required),
            Self::Number(name, description) => {
                optional(
                    name,
                    json!({"type": "integer", "minimum": 1, "description": with_limits(description)}),
                );
            }
            Self::Text(name, description) => optional(name, json!({"type": "string", "description": description})),
            Self::Word(name, words, description) => {
                optional(
                    name,
                    json!({"type": "string", "enum": words, "description": description}),
                );
            }
            Self::OneOf(name, schema, description) => {
                let values = &components.input(schema)["enum"];
                optional(
                    name,
                    json!({"type": "string", "enum": values, "description": description}),
                );
            }
            Self::Ids(name, description) => {
                let ids = json!({"type": "array", "items": {"type": "string"}, "description": description});
                optional(name, ids);
                required.push((*name).into());
            }
            Self::Flag(name, description) => optional(name, json!({"type": "boolean", "description": description})),
            Self::OptionalKey => optional(
                KEY_ARGUMENT,
                json!({"type": "string", "description": "A repeat with the same key does nothing."}),
            ),
            Self::Order => {
                let key = "Unique for each order. A retry with the same key costs nothing.";
                optional(
                    KEY_ARGUMENT,
                    json!({"type": "string", "minLength": 1, "maxLength": IdempotencyKey::MAX_KEY_CHARS, "description": key}),
                );
                optional(
                    CONFIRM_ARGUMENT,
                    json!({"type": "integer", "description": "The exact cost."}),
                );
                required.push(KEY_ARGUMENT.into());
            }
            Self::Page => {
                optional(
                    "limit",
                    json!({"type": "integer", "minimum": 1, "maximum": PageRequest::MAX_LIMIT}),
                );
                optional(
                    "after",
                    json!({"type": "string", "description": "The cursor in next (meta.next_cursor)."}),
                );
            }
        }
    }
}

/// The description with the server's limits in place of their names in braces.
fn with_limits(description: &str) -> String {
    description
        .replace("{link_minutes}", &(LINK_LIFETIME.as_secs() / 60).to_string())
        .replace("{max_wait_seconds}", &MAX_WAIT.as_secs().to_string())
}

/// Adds the fields of a schema of the REST document as arguments.
fn add_fields(
    components: &Components,
    schema: &str,
    left_out: &[&str],
    fields: &mut Map<String, Value>,
    required: &mut Vec<Value>,
) {
    let schema = components.input(schema);
    required.extend(schema["required"].as_array().cloned().unwrap_or_default());
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    fields.extend(
        properties
            .into_iter()
            .filter(|(name, _)| !left_out.contains(&name.as_str())),
    );
}

impl Kind {
    fn schema(self) -> Value {
        let name = match self {
            Self::Object => "object",
            Self::List => "array",
            Self::Text => "string",
            Self::Whole => "integer",
            Self::Flag => "boolean",
        };
        json!({"type": name})
    }
}
