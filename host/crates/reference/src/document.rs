//! The parts of an OpenAPI document that the reference shows.
use std::sync::LazyLock;

use serde_json::{Map, Value};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];
static NO_OBJECT: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// An OpenAPI document.
pub(crate) struct Document<'a>(&'a Value);

/// A group of operations.
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
}

/// An operation with its address.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    value: &'a Value,
}

impl<'a> Document<'a> {
    pub(crate) fn new(value: &'a Value) -> Self {
        Self(value)
    }

    pub(crate) fn description(&self) -> &'a str {
        text(&self.0["info"], "description")
    }

    pub(crate) fn tags(&self) -> impl Iterator<Item = Tag<'a>> + use<'a> {
        items(&self.0["tags"]).iter().map(|tag| Tag {
            name: text(tag, "name"),
            description: text(tag, "description"),
        })
    }

    /// Every operation, in the order of the addresses.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Operation<'a>> + use<'a> {
        let paths = object(&self.0["paths"]).iter();
        paths.flat_map(|(path, item)| {
            METHODS.into_iter().filter_map(move |method| {
                Some(Operation {
                    method,
                    path,
                    value: item.get(method)?,
                })
            })
        })
    }

    pub(crate) fn operations_of(&self, tag: &Tag<'_>) -> Vec<Operation<'a>> {
        self.operations()
            .filter(|operation| operation.tag() == tag.name)
            .collect()
    }

    pub(crate) fn schemas(&self) -> &'a Map<String, Value> {
        object(&self.0["components"]["schemas"])
    }

    /// The schema of this name.
    pub(crate) fn schema(&self, name: &str) -> &'a Value {
        &self.0["components"]["schemas"][name]
    }
}

impl Tag<'_> {
    /// The name in an address.
    pub(crate) fn slug(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }
}

impl<'a> Operation<'a> {
    pub(crate) fn id(&self) -> &'a str {
        text(self.value, "operationId")
    }

    pub(crate) fn tag(&self) -> &'a str {
        items(&self.value["tags"])
            .first()
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The whole description.
    pub(crate) fn description(&self) -> String {
        let parts = [text(self.value, "summary"), text(self.value, "description")];
        parts.join("\n\n").trim().to_owned()
    }

    /// The first sentence of the description.
    pub(crate) fn summary(&self) -> String {
        let description = self.description().replace('\n', " ");
        match description.split_once(". ") {
            Some((first, _)) => format!("{first}."),
            None => description,
        }
    }

    pub(crate) fn parameters(&self) -> &'a [Value] {
        items(&self.value["parameters"])
    }

    pub(crate) fn parameters_in<'b>(&self, place: &'b str) -> impl Iterator<Item = &'a Value> + use<'a, 'b> {
        self.parameters()
            .iter()
            .filter(move |parameter| parameter["in"] == place)
    }

    /// True if the request needs an idempotency key.
    pub(crate) fn needs_key(&self) -> bool {
        self.parameters_in("header")
            .any(|parameter| parameter["name"] == "Idempotency-Key" && parameter["required"] == true)
    }

    /// True if the request needs no API key.
    pub(crate) fn is_open(&self) -> bool {
        self.value["security"].as_array().is_some_and(Vec::is_empty)
    }

    /// The names and examples of the parameters in the path, in their order.
    pub(crate) fn path_values(&self) -> Vec<(&'a str, &'a str)> {
        let names = self
            .path
            .split('{')
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('}')?.0));
        let value = |name: &'a str| {
            let described = self.parameters_in("path").find(|parameter| parameter["name"] == name);
            let example = described.and_then(|parameter| parameter["schema"]["examples"][0].as_str());
            (name, example.unwrap_or("TOKEN"))
        };
        names.map(value).collect()
    }

    /// The path with the examples of its parameters, relative to the server.
    pub(crate) fn filled_path(&self) -> String {
        let mut path = self.path.to_owned();
        for (name, value) in self.path_values() {
            path = path.replace(&format!("{{{name}}}"), value);
        }
        // Operations with a server of their own are outside of the base address.
        if self.value["servers"].is_array() {
            path
        } else {
            format!("/api/v1{path}")
        }
    }

    /// The types of its body, with their schemas and examples.
    pub(crate) fn bodies(&self) -> &'a Map<String, Value> {
        object(&self.value["requestBody"]["content"])
    }

    /// The example of a body of JSON.
    pub(crate) fn json_example(&self) -> Option<&'a Value> {
        self.bodies().get("application/json")?.get("example")
    }

    /// Every response with its status.
    pub(crate) fn responses(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        object(&self.value["responses"])
            .iter()
            .map(|(status, response)| (status.as_str(), response))
    }

    /// The media type of the usual response, None if it has no body.
    pub(crate) fn reply_type(&self) -> Option<&'a str> {
        let (_, response) = self.responses().find(|(status, _)| status.starts_with('2'))?;
        let types = object(&response["content"]);
        if types.contains_key("application/json") {
            return Some("application/json");
        }
        types.keys().next().map(String::as_str)
    }
}

/// The name of the schema that a reference leads to.
pub(crate) fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or(&NO_OBJECT)
}
