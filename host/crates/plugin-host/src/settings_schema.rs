//! `config.json`, the JSON Schema of a plugin's settings, and the check of settings against it.
use std::collections::BTreeMap;
use std::path::Path;

use boon::{Compiler, ErrorKind, InstanceToken, SchemaIndex, Schemas, SchemeUrlLoader, Types, ValidationError};
use serde_json::Value;

use crate::log_text::excerpt;

/// The name of the file in a plugin's folder.
pub(crate) const SCHEMA_FILE: &str = "config.json";

/// Maximum size of a schema.
pub(crate) const MAX_SCHEMA_BYTES: u64 = 256 << 10;

/// Maximum number of regular expressions in a schema. Each may take megabytes once it is compiled.
const MAX_PATTERNS: usize = 20;

/// Maximum size of a regular expression.
const MAX_PATTERN_BYTES: usize = 200;

/// Maximum number of problems that are reported.
const MAX_PROBLEMS: usize = 8;

/// Maximum size of a quotation from the schema.
const MAX_QUOTED_BYTES: usize = 300;

/// A setting that the schema of its plugin does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingProblem {
    /// The name of the setting, with a path to the part of it that is wrong, such as `parameters.seed`. Empty if the
    /// problem concerns all settings together.
    pub setting: String,
    /// The requirement that it does not meet. It never contains the value, which may be a secret.
    pub problem: String,
}

impl SettingProblem {
    /// The problem in one sentence.
    pub fn sentence(&self) -> String {
        match self.setting.as_str() {
            "" => format!("the settings {}", self.problem),
            setting => format!("`{setting}` {}", self.problem),
        }
    }
}

/// The address of the schema while it is compiled. Nothing is loaded from it.
const SCHEMA_URL: &str = "https://linepress.invalid/config.json";

/// The schema of a plugin's settings.
pub struct SettingsSchema {
    schemas: Schemas,
    index: SchemaIndex,
    /// The names of the settings, for messages.
    names: Vec<String>,
}

impl SettingsSchema {
    /// Parses a schema. The error says why it cannot be used.
    pub fn parse(text: &str) -> Result<Self, String> {
        let schema: Value = serde_json::from_str(text).map_err(|error| format!("config.json is not JSON: {error}"))?;
        // References can form a cycle, and a validator that follows one does not end.
        if refers(&schema) {
            return Err("config.json uses `$ref`, which this host does not follow: write the schema out".into());
        }
        let patterns = patterns(&schema);
        if patterns.len() > MAX_PATTERNS || patterns.iter().any(|pattern| pattern.len() > MAX_PATTERN_BYTES) {
            return Err(format!(
                "config.json has more than {MAX_PATTERNS} patterns, or one with more than {MAX_PATTERN_BYTES} bytes: use fewer \
                 or shorter ones"
            ));
        }
        let properties = schema["properties"].as_object();
        let names = properties.map(|properties| properties.keys().cloned().collect());
        let mut compiler = Compiler::new();
        // Loads nothing: a schema must not make the host read a file.
        compiler.use_loader(Box::new(SchemeUrlLoader::new()));
        let mut schemas = Schemas::new();
        compiler.add_resource(SCHEMA_URL, schema).map_err(no_schema)?;
        let index = compiler.compile(SCHEMA_URL, &mut schemas).map_err(no_schema)?;
        Ok(Self {
            schemas,
            index,
            names: names.unwrap_or_default(),
        })
    }

    /// The settings that the schema does not allow.
    pub fn problems(&self, settings: &Value) -> Vec<SettingProblem> {
        let mut problems = Vec::new();
        if let Err(error) = self.schemas.validate(settings, self.index) {
            self.gather(&error, &mut problems);
        }
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    fn gather(&self, error: &ValidationError<'_, '_>, problems: &mut Vec<SettingProblem>) {
        match &error.kind {
            ErrorKind::Group | ErrorKind::Schema { .. } | ErrorKind::AllOf => {
                for cause in &error.causes {
                    self.gather(cause, problems);
                }
            }
            _ => problems.extend(self.problems_of(error)),
        }
    }

    fn problems_of(&self, error: &ValidationError<'_, '_>) -> Vec<SettingProblem> {
        let path = dotted(&error.instance_location.tokens);
        let within = |name: &str| match path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        let named = |name: &str, problem: String| SettingProblem {
            setting: excerpt(within(name), MAX_QUOTED_BYTES),
            problem,
        };
        match &error.kind {
            ErrorKind::Required { want } => {
                let missing = want
                    .iter()
                    .map(|name| named(name, "is missing: the plugin needs it".into()));
                missing.collect()
            }
            ErrorKind::AdditionalProperties { got } => {
                let unknown = got.iter().map(|name| named(name, self.unknown(&path)));
                unknown.collect()
            }
            kind => vec![SettingProblem {
                setting: excerpt(path, MAX_QUOTED_BYTES),
                problem: excerpt(requirement(kind), MAX_QUOTED_BYTES),
            }],
        }
    }

    fn unknown(&self, path: &str) -> String {
        let names = self.names.join(", ");
        match path.is_empty() && !names.is_empty() {
            true => excerpt(
                format!("is not a setting of this plugin. Its settings are {names}"),
                MAX_QUOTED_BYTES,
            ),
            false => "is not a setting of this plugin: remove it".into(),
        }
    }
}

fn no_schema(error: impl ToString) -> String {
    let problem = excerpt(error.to_string(), MAX_QUOTED_BYTES);
    format!("config.json is not a JSON Schema: {problem}")
}

/// The settings that the schema in a plugin's folder does not allow; none if there is no schema that can be used.
pub fn setting_problems(folder: &Path, settings: &Value) -> Vec<SettingProblem> {
    let Ok(bytes) = linepress_files::read_inside(folder, Path::new(SCHEMA_FILE), MAX_SCHEMA_BYTES) else {
        return Vec::new();
    };
    let schema = String::from_utf8(bytes).map_err(|_| "config.json is not UTF-8".to_owned());
    match schema.and_then(|text| SettingsSchema::parse(&text)) {
        Ok(schema) => schema.problems(settings),
        Err(problem) => {
            let folder = &*folder.to_string_lossy();
            tracing::warn!(folder, problem, "the settings of a plugin cannot be checked");
            Vec::new()
        }
    }
}

/// The values of settings that a person typed. The schema in the plugin's folder decides whether `5` is a text or a
/// number; `None` remains.
pub fn settings_from_text(folder: &Path, typed: BTreeMap<String, Option<String>>) -> BTreeMap<String, Option<Value>> {
    let schema = linepress_files::read_inside(folder, Path::new(SCHEMA_FILE), MAX_SCHEMA_BYTES).ok();
    let schema: Value = schema
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let value = |(name, text): (String, Option<String>)| {
        let value = text.map(|text| value_from_text(&schema["properties"][&name], text));
        (name, value)
    };
    typed.into_iter().map(value).collect()
}

fn value_from_text(property: &Value, text: String) -> Value {
    let options = property["enum"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_option = options.iter().any(|option| option.as_str() == Some(&text));
    let types = match &property["type"] {
        Value::Array(types) => types.as_slice(),
        Value::Null => &[],
        one => std::slice::from_ref(one),
    };
    let fits = |value: &Value| types.is_empty() || types.iter().any(|name| is_of_type(value, name));
    match serde_json::from_str(&text) {
        Ok(value) if fits(&value) && !is_option && !value.is_string() => value,
        _ => text.into(),
    }
}

/// Returns true if a value has a type of JSON Schema. A fraction counts as a whole number, so that the schema rejects
/// it as one.
fn is_of_type(value: &Value, name: &Value) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(_) => name == "number" || name == "integer",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// Returns true if the schema contains a reference.
fn refers(schema: &Value) -> bool {
    const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
    match schema {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, field)| REFERENCES.contains(&name.as_str()) || refers(field)),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// The regular expressions of the schema.
fn patterns(schema: &Value) -> Vec<&str> {
    match schema {
        Value::Object(fields) => {
            let own = fields.iter().flat_map(|(name, field)| match (name.as_str(), field) {
                ("pattern", Value::String(pattern)) => vec![pattern.as_str()],
                ("patternProperties", Value::Object(named)) => named.keys().map(String::as_str).collect(),
                _ => Vec::new(),
            });
            own.chain(fields.values().flat_map(patterns)).collect()
        }
        Value::Array(items) => items.iter().flat_map(patterns).collect(),
        _ => Vec::new(),
    }
}

/// A place in the settings, in the form in which operators write the names of settings.
fn dotted(tokens: &[InstanceToken<'_>]) -> String {
    let parts: Vec<String> = tokens
        .iter()
        .map(|token| match token {
            InstanceToken::Prop(name) => name.to_string(),
            InstanceToken::Item(index) => index.to_string(),
        })
        .collect();
    parts.join(".")
}

/// The requirement of a value, in words.
fn requirement(kind: &ErrorKind<'_, '_>) -> String {
    use ErrorKind as Kind;
    match kind {
        Kind::Type { want, .. } => format!("must be {}", types(want)),
        Kind::Enum { want } => format!("must be one of {}", listed(want)),
        Kind::Const { want } => format!("must be {want}"),
        Kind::Minimum { want, .. } => format!("must be at least {want}"),
        Kind::Maximum { want, .. } => format!("must be at most {want}"),
        Kind::ExclusiveMinimum { want, .. } => format!("must be more than {want}"),
        Kind::ExclusiveMaximum { want, .. } => format!("must be less than {want}"),
        Kind::MultipleOf { want, .. } => format!("must be a multiple of {want}"),
        Kind::MinLength { want: 1, .. } => "must not be empty".into(),
        Kind::MinLength { want, .. } => format!("must have at least {want} characters"),
        Kind::MaxLength { want, .. } => format!("must have at most {want} characters"),
        Kind::MinItems { want, .. } => format!("must have at least {want} items"),
        Kind::MaxItems { want, .. } => format!("must have at most {want} items"),
        Kind::MinProperties { want, .. } => format!("must have at least {want} fields"),
        Kind::MaxProperties { want, .. } => format!("must have at most {want} fields"),
        Kind::UniqueItems { .. } => "must not name anything twice".into(),
        Kind::Pattern { want, .. } => format!("must match the pattern {want}"),
        Kind::Format { want, .. } => format!("must have the format {want}"),
        _ => "does not fit the plugin's config.json: look there at what it must be".into(),
    }
}

fn types(kinds: &Types) -> String {
    let kinds: Vec<String> = kinds
        .iter()
        .map(|kind| in_words(&kind.to_string()).to_owned())
        .collect();
    kinds.join(" or ")
}

fn in_words(kind: &str) -> &str {
    match kind {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a text",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a table",
        "null" => "absent",
        other => other,
    }
}

fn listed(options: &[Value]) -> String {
    let options: Vec<String> = options.iter().map(ToString::to_string).collect();
    options.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(settings: &Value) -> Vec<String> {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["model"],
            "properties": {
                "model": {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
                "sizes": {"enum": ["auto", "fixed"]},
                "timeout_s": {"type": "integer", "minimum": 1, "maximum": 290},
                "omit": {"type": "array", "items": {"type": "string"}},
            },
        });
        let schema = SettingsSchema::parse(&schema.to_string()).unwrap();
        schema.problems(settings).iter().map(SettingProblem::sentence).collect()
    }

    #[test]
    fn each_problem_names_its_setting_and_what_it_must_be() {
        for (settings, expected) in [
            (json!({"model": "flux", "omit": ["a"]}), vec![]),
            (json!({}), vec!["`model` is missing: the plugin needs it"]),
            (
                json!({"model": ""}),
                vec!["`model` must match the pattern ^[a-z]+$", "`model` must not be empty"],
            ),
            (
                json!({"model": "flux", "size": "topsecret"}),
                vec!["`size` is not a setting of this plugin. Its settings are "],
            ),
            (
                json!({"model": "flux", "sizes": "topsecret"}),
                vec!["`sizes` must be one of \"auto\", \"fixed\""],
            ),
            (
                json!({"model": "flux", "timeout_s": 0}),
                vec!["`timeout_s` must be at least 1"],
            ),
            (
                json!({"model": "flux", "timeout_s": "5"}),
                vec!["`timeout_s` must be a whole number"],
            ),
            (
                json!({"model": "flux", "omit": ["a", 5]}),
                vec!["`omit.1` must be a text"],
            ),
            (json!("topsecret"), vec!["the settings must be a table"]),
        ] {
            let mut found = problems(&settings);
            found.sort();
            let is_expected = |(found, expected): (&String, &&str)| found.starts_with(*expected);
            assert!(
                found.len() == expected.len() && found.iter().zip(&expected).all(is_expected),
                "{settings}: {found:?}"
            );
            assert!(!found.concat().contains("topsecret"));
        }
    }

    #[test]
    fn a_typed_value_has_the_type_of_the_schema() {
        for (property, text, value) in [
            (json!({"type": "string"}), "5", json!("5")),
            (json!({"type": "integer"}), "5", json!(5)),
            (json!({"type": "integer"}), "five", json!("five")),
            (json!({"type": "integer"}), "5.5", json!(5.5)),
            (json!({"type": ["string", "null"]}), "5", json!("5")),
            (json!({"type": ["string", "integer"]}), "5", json!(5)),
            (json!({"type": "string"}), "\"a\"", json!("\"a\"")),
            (json!({"type": "boolean"}), "true", json!(true)),
            (json!({"type": "array"}), "[\"a\"]", json!(["a"])),
            (json!({"enum": ["512", "1K"]}), "512", json!("512")),
            (json!(null), "auto", json!("auto")),
        ] {
            assert_eq!(value_from_text(&property, text.to_owned()), value, "{property}");
        }
    }

    #[test]
    fn a_schema_that_could_harm_the_host_is_not_used() {
        let endless = json!({"properties": {"a": {"$ref": "#/properties/a"}}});
        let many: Vec<Value> = (0..=MAX_PATTERNS)
            .map(|number| json!({"pattern": number.to_string()}))
            .collect();
        let long = json!({"patternProperties": {"a".repeat(MAX_PATTERN_BYTES + 1): {}}});
        for (text, problem) in [
            (&*json!({"allOf": many}).to_string(), "more than 20 patterns"),
            (&*long.to_string(), "more than 20 patterns"),
            ("{", "config.json is not JSON"),
            (&*endless.to_string(), "uses `$ref`"),
            (r#"{"type": "table"}"#, "config.json is not a JSON Schema"),
            (
                r#"{"properties": {"a": {"pattern": "^(a+)+\\1$"}}}"#,
                "config.json is not a JSON Schema",
            ),
        ] {
            let error = SettingsSchema::parse(text).err().unwrap_or_default();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
