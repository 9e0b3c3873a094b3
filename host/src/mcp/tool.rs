//! What a tool is: its words, what it takes and returns, what it needs and does.
use std::sync::Arc;

use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, CONFIRM, KEY};
use super::confirmation::Asked;
use super::reply::{NEXT, Outcome, Reply};
use super::schemas::Components;
use crate::app::App;
use crate::caller::Caller;
use crate::database::PageRequest;
use crate::error::Result;
use crate::scopes::{Scope, Scopes};

/// A tool. Its words are for an agent that knows nothing else: what it does, what it costs, what to do next.
pub(super) struct ToolSpec {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub effect: Effect,
    /// What the arguments stand in when they are sent over REST, and errors name before their fields.
    pub envelope: &'static str,
    pub input: &'static [Input],
    /// The fields of the result and their types, beside `next`; none for a tool that returns a picture and words alone. Many
    /// clients show their model a structured result in place of everything else, pictures included.
    pub output: &'static [(&'static str, Kind)],
    pub call: fn(Call) -> BoxFuture<'static, Outcome<Reply>>,
}

/// What a call does to the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Reads,
    /// Once or twice, the result is the same.
    Sets,
    /// A second call does it again.
    Adds,
    /// What was there is gone, and cannot be had back.
    Destroys,
    /// Costs credits. A second call with the same key costs nothing.
    Spends,
    /// The same, and in the end there is another picture in place of one.
    Redraws,
}

impl Effect {
    /// What a token must allow.
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

/// One or several arguments.
pub(super) enum Input {
    /// The id of what exists.
    Id(&'static str),
    /// The fields of a schema of the REST document.
    Fields(&'static str),
    /// The same without those that the tool always refuses.
    FieldsWithout(&'static str, &'static [&'static str]),
    /// A whole number from 1 that may be left out.
    Number(&'static str, &'static str),
    /// A text that may be left out.
    Text(&'static str, &'static str),
    /// One of some words.
    Word(&'static str, &'static [&'static str], &'static str),
    /// One of the values of an enum of the REST document; may be left out.
    OneOf(&'static str, &'static str, &'static str),
    /// Ids, all of which are needed.
    Ids(&'static str, &'static str),
    /// Whether something more is wanted.
    Flag(&'static str, &'static str),
    /// The key of a call that costs nothing.
    OptionalKey,
    /// The key of a call that costs credits, and the price as the caller knows it.
    Order,
    /// Which part of a list.
    Page,
}

/// The type of a field of a result. Nothing more is said of it: every conversation pays for the list of tools, and a result
/// names its fields itself.
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
    /// What the person said whom we asked before.
    pub asked: Asked,
    pub context: RequestContext<RoleServer>,
}

impl Call {
    /// Which part of a list is wanted, of things whose ids start with `prefix`.
    pub(super) fn take_page_request(&mut self, prefix: &'static str) -> Result<PageRequest> {
        let limit: Option<Value> = self.arguments.take_optional("limit")?;
        let after: Option<String> = self.arguments.take_optional("after")?;
        let scope = self.app.cursors.scope(&self.caller.account_id, prefix);
        PageRequest::parse(limit.map(|limit| limit.to_string()).as_deref(), after.as_deref(), scope)
    }
}

impl ToolSpec {
    /// The tool as clients see it.
    pub(super) fn describe(&self, components: &Components) -> Tool {
        let tool = Tool::new(self.name, self.description, Arc::new(self.input_schema(components)))
            .with_title(self.title)
            .with_annotations(self.effect.annotations().open_world(self.fetches()));
        if self.output.is_empty() {
            return tool;
        }
        tool.with_raw_output_schema(Arc::new(self.output_schema()))
    }

    /// Whether a call may have the server fetch an address that its caller chose.
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

    /// Clients check results against it, errors too: those have one field alone.
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
                    json!({"type": "integer", "minimum": 1, "description": description}),
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
                KEY,
                json!({"type": "string", "description": "Repeats do nothing twice."}),
            ),
            Self::Order => {
                let key = "New and unique for each order; the same again for a retry, which then costs nothing.";
                optional(
                    KEY,
                    json!({"type": "string", "minLength": 1, "maxLength": 255, "description": key}),
                );
                optional(CONFIRM, json!({"type": "integer", "description": "The exact cost."}));
                required.push(KEY.into());
            }
            Self::Page => {
                optional("limit", json!({"type": "integer", "minimum": 1, "maximum": 100}));
                optional(
                    "after",
                    json!({"type": "string", "description": "meta.next_cursor of the page before."}),
                );
            }
        }
    }
}

/// The fields of a schema of the REST document as arguments.
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
