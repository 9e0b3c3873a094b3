//! The settings in force, in words, without secrets.
use std::collections::BTreeSet;
use std::fmt::Display;

use linepress_model::text_enum;
use serde::Serializer;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use toml_edit::{DocumentMut, TableLike};
use url::Url;

use super::Config;
use super::check::ROLLBACK_ON_FAILURE;

text_enum! {
    /// The place from which the value of a setting comes.
    pub enum SettingSource {
        /// It is the default.
        Default = "default",
        /// The settings file.
        File = "file",
        /// An environment variable.
        Environment = "environment",
        /// An option of the command that started the server.
        CommandLine = "command_line",
    }
}

/// A setting with the value that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name, with its tables, such as `limits.pages`.
    pub name: String,
    /// The value in words; empty if it is not set. A secret that is set is `(secret)`, the value of a plugin's setting
    /// is `(set)`, and a URL lacks its user, its query and its fragment.
    pub value: String,
    /// The place from which the value comes.
    pub source: SettingSource,
}

/// The names of the settings that were given, grouped by source.
#[derive(Clone, Debug, Default)]
pub struct Given {
    file: BTreeSet<String>,
    environment: BTreeSet<String>,
    command_line: BTreeSet<String>,
    /// The SHA-256 of the text of the file; `None` for settings that were not read.
    text: Option<[u8; 32]>,
}

impl Given {
    /// The settings of the text of a file, and those of the environment.
    pub(super) fn read(text: &str, environment: impl Iterator<Item = String>) -> Self {
        let mut file = BTreeSet::new();
        if let Ok(document) = text.parse::<DocumentMut>() {
            gather(document.as_table(), "", &mut file);
        }
        Self {
            file,
            environment: environment.collect(),
            command_line: BTreeSet::new(),
            text: Some(Sha256::digest(text).into()),
        }
    }

    /// Returns true if the file has this text, and for settings that were not read.
    pub(super) fn is_text(&self, text: &str) -> bool {
        self.text
            .is_none_or(|read| read == <[u8; 32]>::from(Sha256::digest(text)))
    }

    /// Returns true if an environment variable contains this setting or a part of it.
    pub fn is_in_environment(&self, name: &str) -> bool {
        self.environment.iter().any(|given| is_within(given, name))
    }

    fn source_of(&self, name: &str) -> SettingSource {
        let places = [
            (&self.command_line, SettingSource::CommandLine),
            (&self.environment, SettingSource::Environment),
            (&self.file, SettingSource::File),
        ];
        let holds = |given: &BTreeSet<String>| given.iter().any(|given| is_same_or_within(given, name));
        let place = places.into_iter().find(|(given, _)| holds(given));
        place.map_or(SettingSource::Default, |(_, source)| source)
    }
}

/// Returns true if the names are the same, or if one is that of a table around the other.
fn is_same_or_within(one: &str, other: &str) -> bool {
    is_within(one, other) || is_within(other, one)
}

/// Returns true if the names are the same, or if `outer` is that of a table around `inner`.
fn is_within(inner: &str, outer: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Collects the names of the values in a table of the file.
fn gather(table: &dyn TableLike, within: &str, names: &mut BTreeSet<String>) {
    for (key, item) in table.iter() {
        let name = joined(within, key);
        match item.as_table_like() {
            Some(inner) => gather(inner, &name, names),
            None => drop(names.insert(name)),
        }
    }
}

/// The name of a setting in a table, as TOML writes it.
fn joined(within: &str, key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let key = match !key.is_empty() && key.bytes().all(is_bare) {
        true => key.to_owned(),
        false => format!("{key:?}"),
    };
    match within {
        "" => key,
        within => format!("{within}.{key}"),
    }
}

impl Config {
    /// Every setting with its value, sorted by name.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::new();
        // Every field of the settings can be written as JSON: maps have texts as keys.
        let mut values = serde_json::to_value(self).unwrap_or_default();
        values["plugins"][ROLLBACK_ON_FAILURE] = self.rollback_on_failure.into();
        self.flatten("", &values, &mut settings);
        settings
    }

    /// The names of the settings whose values differ from those of other settings in a part that is not shown.
    pub fn hidden_changes(&self, other: &Self) -> Vec<&'static str> {
        let names = self.partly_shown().into_iter().zip(other.partly_shown());
        let changed = names.filter(|((_, one), (_, other))| one != other);
        changed.map(|((name, _), _)| name).collect()
    }

    /// The settings whose serialization hides something, with their values. Those of plugins are not among them.
    fn partly_shown(&self) -> [(&'static str, Option<&str>); 4] {
        let oidc = self.sign_in.oidc.as_ref();
        [
            ("database_url", Some(self.database_url.as_str())),
            ("traces.url", Some(self.traces.url.as_str())),
            ("sign_in.oidc.issuer", oidc.map(|oidc| oidc.issuer.as_str())),
            (
                "sign_in.oidc.client_secret",
                oidc.map(|oidc| oidc.client_secret.expose()),
            ),
        ]
    }

    /// Replaces the roles by those of an option of the command.
    pub fn take_roles(&mut self, roles: Vec<super::Role>) {
        self.roles = roles;
        self.given.command_line.insert("roles".into());
    }

    fn flatten(&self, name: &str, value: &Value, settings: &mut Vec<Setting>) {
        match value {
            Value::Object(fields) if name.is_empty() || !fields.is_empty() => {
                for (key, field) in fields {
                    self.flatten(&joined(name, key), field, settings);
                }
            }
            value => settings.push(Setting {
                name: name.to_owned(),
                value: match is_of_plugin(name) {
                    true => masked(value).as_str().unwrap_or_default().to_owned(),
                    false => words(value),
                },
                source: self.given.source_of(name),
            }),
        }
    }
}

/// Returns true for the settings that are passed to plugins.
fn is_of_plugin(name: &str) -> bool {
    name.strip_prefix("plugins.")
        .is_some_and(|name| name != ROLLBACK_ON_FAILURE)
}

/// The text that replaces a value in the settings of a plugin, which may be a secret; empty for an empty value.
pub fn masked(value: &Value) -> Value {
    let text = if words(value).is_empty() { "" } else { "(set)" };
    text.into()
}

/// A value in words; empty for one that is not set.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Writes a URL without its user, its password, its query and its fragment, any of which may be a secret.
pub(super) fn without_secrets<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&bare_url(text))
}

fn bare_url(text: &str) -> String {
    // The URL of a file contains no secret, and is not always a valid URL.
    if text.starts_with("sqlite:") || text.is_empty() {
        return text.to_owned();
    }
    let Ok(mut url) = Url::parse(text) else {
        return "(secret)".into();
    };
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !has_user && url.query().is_none() && url.fragment().is_none() {
        // As it was written: parsing adds a slash to a URL without a path.
        return text.to_owned();
    }
    let is_bare = !has_user || (url.set_username("").is_ok() && url.set_password(None).is_ok());
    url.set_query(None);
    url.set_fragment(None);
    match is_bare {
        true => url.to_string(),
        false => "(secret)".into(),
    }
}

/// Writes the origin of a URL: collectors of traces accept keys in paths.
pub(super) fn origin_only<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let shown = match Url::parse(text) {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) if text.is_empty() => String::new(),
        Err(_) => "(secret)".into(),
    };
    serializer.serialize_str(&shown)
}

/// Writes a list of things in their own words.
pub(super) fn as_texts<S: Serializer>(items: &[impl Display], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str, environment: &[&str]) -> Vec<Setting> {
        let names = environment.iter().map(|name| (*name).to_owned());
        let variables = environment.iter().map(|name| {
            let variable = format!("LINEPRESS_{}", name.to_uppercase().replace('.', "__"));
            (variable, "7".to_owned())
        });
        let config = Config::read(std::path::Path::new("linepress.toml"), text, variables).expect("valid settings");
        let given = Given::read(text, names);
        Config { given, ..config }.settings()
    }

    fn setting(settings: &[Setting], name: &str) -> (String, SettingSource) {
        let found = settings.iter().find(|setting| setting.name == name);
        let found = found.unwrap_or_else(|| panic!("{name} is missing: {settings:?}"));
        (found.value.clone(), found.source)
    }

    #[test]
    fn each_setting_has_the_place_from_which_it_comes() {
        let text = "workers = 3\n[limits]\npages = 5\n[plugins.\"acme.flux\"]\nmodel = \"a\"\n";
        let settings = settings(text, &["limits.pages", "limits.books"]);
        for (name, value, source) in [
            ("workers", "3", SettingSource::File),
            ("limits.pages", "7", SettingSource::Environment),
            ("limits.books", "7", SettingSource::Environment),
            ("limits.characters", "200", SettingSource::Default),
            ("plugins.\"acme.flux\".model", "(set)", SettingSource::File),
            (
                "image_providers",
                "linepress.sketchbook, linepress.photo",
                SettingSource::Default,
            ),
            ("plugins.rollback_on_failure", "false", SettingSource::Default),
            ("grants", "", SettingSource::Default),
            ("sign_in.oidc", "", SettingSource::Default),
            ("roles", "api, worker", SettingSource::Default),
        ] {
            assert_eq!(setting(&settings, name), (value.to_owned(), source), "{name}");
        }
    }

    #[test]
    fn a_table_is_in_the_environment_with_its_parts() {
        let environment = ["grants.flux.digest", "limits.pages"].map(str::to_owned);
        let given = Given::read("[grants.other]\ndigest = \"a\"\n", environment.into_iter());
        for (name, is_given) in [
            ("grants.flux", true),
            ("grants.flux.digest", true),
            ("grants.flux-2", false),
            ("grants.flux.fast", false),
            ("grants.other", false),
        ] {
            assert_eq!(given.is_in_environment(name), is_given, "{name}");
        }
    }

    #[test]
    fn no_secret_is_shown() {
        let text = "database_url = \"postgres://ada:topsecret@db.example/books?password=topsecret\"\n\
                    [sign_in.oidc]\nissuer = \"https://id.example\"\nclient_id = \"books\"\nclient_secret = \"topsecret\"\n\
                    [traces]\nurl = \"https://otel.example/v1/topsecret/traces?key=topsecret#topsecret\"\n\
                    [plugins.\"acme.flux\"]\nkey = \"topsecret\"\nnested = { keys = [\"topsecret\"] }\n";
        let settings = settings(text, &[]);
        assert!(
            settings.iter().all(|setting| !setting.value.contains("topsecret")),
            "{settings:?}"
        );
        for (name, value) in [
            ("database_url", "postgres://db.example/books"),
            ("sign_in.oidc.client_secret", "(secret)"),
            ("sign_in.oidc.issuer", "https://id.example"),
            ("traces.url", "https://otel.example"),
            ("plugins.\"acme.flux\".key", "(set)"),
            ("plugins.\"acme.flux\".nested.keys", "(set)"),
        ] {
            assert_eq!(setting(&settings, name).0, value);
        }
    }

    #[test]
    fn a_change_of_a_hidden_part_is_found() {
        let read = |secret: &str| {
            let text = format!(
                "database_url = \"postgres://ada:{secret}@db.example/books\"\n\
                 [sign_in.oidc]\nissuer = \"https://id.example\"\nclient_id = \"books\"\nclient_secret = \"{secret}\"\n\
                 [traces]\nurl = \"https://otel.example/{secret}\"\n"
            );
            let file = std::path::Path::new("linepress.toml");
            Config::read(file, &text, std::iter::empty()).expect("valid settings")
        };
        let (one, other) = (read("one"), read("other"));
        assert_eq!(one.settings(), other.settings());
        assert_eq!(
            one.hidden_changes(&other),
            ["database_url", "traces.url", "sign_in.oidc.client_secret"]
        );
        assert!(one.hidden_changes(&one).is_empty());
    }

    #[test]
    fn a_url_is_shown_without_user_query_and_fragment() {
        for (url, shown) in [
            ("https://id.example", "https://id.example"),
            ("https://ada:topsecret@id.example/books", "https://id.example/books"),
            ("https://id.example/books?key=topsecret", "https://id.example/books"),
            ("https://id.example/books#topsecret", "https://id.example/books"),
            ("topsecret", "(secret)"),
            ("", ""),
        ] {
            assert_eq!(bare_url(url), shown, "{url}");
        }
    }
}
