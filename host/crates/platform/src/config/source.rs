//! The sources of settings: a file, then the environment.
use std::path::{Path, PathBuf};

use super::problem::{lacks_quotes, problem_of, setting_at};
use super::{Config, Given};

/// An unknown or invalid setting, with its name and position. The server does not start with one.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the settings file {} cannot be read", file.display())]
    Unreadable { file: PathBuf, source: std::io::Error },
    #[error(
        "this user may not read the settings file {}: run the command as the server's user, or name another file with `--config`",
        file.display()
    )]
    ForAnotherUser { file: PathBuf },
    #[error("{}, line {line}: {problem}", file.display())]
    File {
        file: PathBuf,
        line: usize,
        problem: String,
    },
    #[error("the environment variable {name}: {problem}")]
    Variable { name: String, problem: String },
    #[error("the environment variables LINEPRESS_... contradict each other: {problem}")]
    Environment { problem: String },
    #[error("the environment variable {name} is not a setting. linepress.example.toml lists all settings")]
    UnknownVariable { name: String },
    #[error("setting `{setting}`: {problem}")]
    Wrong { setting: &'static str, problem: String },
}

/// The settings file in the current folder, which is read when no other is named.
const LOCAL_FILE: &str = "linepress.toml";
/// The settings file of the machine, which is read when the current folder has none.
const SYSTEM_FILE: &str = "/etc/linepress.toml";

impl Config {
    /// The settings file that is read when no other is named.
    pub fn usual_file() -> PathBuf {
        let files = [LOCAL_FILE, SYSTEM_FILE].map(PathBuf::from);
        files
            .into_iter()
            .find(|file| file.exists())
            .unwrap_or(LOCAL_FILE.into())
    }

    /// Reads `file`, which must exist if it is given, or otherwise the usual file if it exists; then the environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let path = &file.map_or_else(Self::usual_file, Path::to_owned);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(ConfigError::ForAnotherUser { file: path.to_owned() });
            }
            Err(source) => {
                return Err(ConfigError::Unreadable {
                    file: path.to_owned(),
                    source,
                });
            }
        };
        Self::read_in_place(path, &text)
    }

    /// Reads the settings again, from the same file, which may have been deleted. Settings that came from elsewhere are
    /// returned unchanged.
    pub fn load_again(&self) -> Result<Self, ConfigError> {
        match &self.file {
            Some(file) if file.exists() => Self::load(Some(file)),
            Some(file) => Self::read_in_place(file, ""),
            None => Ok(self.clone()),
        }
    }

    /// Returns true if the settings file has changed since it was read.
    pub fn is_outdated(&self) -> bool {
        let text = self
            .file
            .as_ref()
            .map(|file| std::fs::read_to_string(file).unwrap_or_default());
        text.is_some_and(|text| !self.given.is_text(&text))
    }

    /// Parses the text of the file and the environment, and notes where the settings come from.
    fn read_in_place(file: &Path, text: &str) -> Result<Self, ConfigError> {
        let config = Self::read(file, text, std::env::vars())?;
        let environment = settings_of(std::env::vars()).into_keys();
        Ok(Self {
            file: Some(file.to_owned()),
            given: Given::read(text, environment.filter_map(|name| setting_of(&name))),
            ..config
        })
    }

    /// Parses the text of the file and these variables.
    pub(super) fn read(
        file: &Path,
        text: &str,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let variables: Vec<(String, String)> = variables.collect();
        // The file alone first, because the line numbers are lost after merging.
        check_file(file, text)?;
        let merged = config::Config::builder()
            .add_source(config::File::from_str(text, config::FileFormat::Toml))
            .add_source(environment(variables.iter().cloned()))
            .build();
        let merged = merged.map_err(|error| ConfigError::Environment {
            problem: error.to_string(),
        })?;
        let settings = serde_path_to_error::deserialize::<_, Self>(merged)
            .map_err(|error| wrong_variable(&setting_at(error.path()), error.inner(), &variables))?;
        settings.completed()
    }
}

fn check_file(file: &Path, text: &str) -> Result<(), ConfigError> {
    let wrong = |error: &toml::de::Error, problem: String| {
        let before = &text[..error.span().map_or(0, |span| span.start)];
        ConfigError::File {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            problem,
        }
    };
    let settings = toml::Deserializer::parse(text).map_err(|error| wrong(&error, problem_of_syntax(text, &error)))?;
    match serde_path_to_error::deserialize::<_, Config>(settings) {
        Ok(_) => Ok(()),
        Err(error) => {
            let setting = setting_at(error.path());
            let error = error.into_inner();
            let message = error.message().trim();
            let problem = problem_of(&setting, message);
            // The message already names the setting.
            let is_named = setting.is_empty() || message.starts_with("unknown field");
            Err(wrong(
                &error,
                if is_named {
                    problem
                } else {
                    format!("`{setting}`: {problem}")
                },
            ))
        }
    }
}

/// The problem of a file that is not TOML, without the line itself, which may contain a secret.
fn problem_of_syntax(text: &str, error: &toml::de::Error) -> String {
    let problem = error.message().trim();
    let start = error.span().map_or(0, |span| span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |line_break| line_break + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    if lacks_quotes(line) {
        format!("{problem}. Write texts in quotes, such as listen = \"127.0.0.1:8080\"")
    } else {
        problem.to_owned()
    }
}

/// The error of a setting whose value is in the environment, because the file alone was valid.
fn wrong_variable(setting: &str, error: &config::ConfigError, variables: &[(String, String)]) -> ConfigError {
    let message = message_of(error);
    if let Some(name) = unknown_variable(&message, variables) {
        return ConfigError::UnknownVariable { name };
    }
    let problem = problem_of(setting, &message);
    match variable_of(setting, variables) {
        Some(name) => ConfigError::Variable { name, problem },
        None => ConfigError::Environment { problem },
    }
}

/// The message of an error, without its value and without the setting, which the crate `config` names in its own way.
fn message_of(error: &config::ConfigError) -> String {
    match error {
        config::ConfigError::Type { expected, .. } => format!("invalid type: another, expected {expected}"),
        config::ConfigError::At { error, .. } => message_of(error),
        other => other.to_string(),
    }
}

/// The variable that contains the setting, a part of it, or the table around it.
fn variable_of(setting: &str, variables: &[(String, String)]) -> Option<String> {
    let is_within = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let names = variables.iter().map(|(name, _)| name);
    let mut of_setting = names
        .filter(|name| setting_of(name).is_some_and(|named| is_within(&named, setting) || is_within(setting, &named)));
    of_setting.next().cloned()
}

/// The setting that a variable contains, such as `limits.pages` for `LINEPRESS_LIMITS__PAGES`.
fn setting_of(variable: &str) -> Option<String> {
    let setting = variable.strip_prefix("LINEPRESS_")?;
    Some(setting.to_ascii_lowercase().replace("__", "."))
}

/// The name of the variable that is not a setting, if that is the error. The error itself only names the field in lower
/// case, and then all valid fields.
fn unknown_variable(message: &str, variables: &[(String, String)]) -> Option<String> {
    let (_, rest) = message.split_once("unknown field `")?;
    let (field, _) = rest.split_once('`')?;
    let names_it = |name: &str| setting_of(name).is_some_and(|setting| setting.split('.').any(|part| part == field));
    let unknown = variables.iter().find(|(name, _)| names_it(name));
    unknown.map(|(name, _)| name.clone())
}

/// The source of settings from environment variables; lists are separated by commas.
fn environment(variables: impl Iterator<Item = (String, String)>) -> config::Environment {
    config::Environment::with_prefix("LINEPRESS")
        .prefix_separator("_")
        .separator("__")
        .try_parsing(true)
        .list_separator(",")
        .with_list_parse_key("roles")
        .with_list_parse_key("font_folders")
        .with_list_parse_key("image_providers")
        .with_list_parse_key("import_private_hosts")
        .with_list_parse_key("webhook_private_hosts")
        .with_list_parse_key("denied_networks")
        .with_list_parse_key("trusted_proxies")
        .with_list_parse_key("sign_in.oidc.private_hosts")
        .with_list_parse_key("plugin_index.public_keys")
        .with_list_parse_key("plugin_index.private_hosts")
        .with_list_parse_key("blocked_words.toddler")
        .with_list_parse_key("blocked_words.child")
        .with_list_parse_key("blocked_words.teen")
        .with_list_parse_key("blocked_words.adult")
        .source(Some(settings_of(variables)))
}

/// The variables that are not settings, in addition to those of tests: the name of the file, the folder of builds, and
/// those of clients.
const OTHER_VARIABLES: [&str; 4] = [
    "LINEPRESS_CONFIG",
    "LINEPRESS_TARGET_DIR",
    "LINEPRESS_URL",
    "LINEPRESS_KEY",
];

/// The variables that are settings.
fn settings_of(variables: impl Iterator<Item = (String, String)>) -> config::Map<String, String> {
    variables
        .filter(|(name, _)| {
            name.starts_with("LINEPRESS_")
                && !OTHER_VARIABLES.contains(&name.as_str())
                && !name.starts_with("LINEPRESS_TEST_")
        })
        .map(|(name, value)| match serde_json::from_str::<Vec<String>>(&value) {
            // A list as it is written in the file.
            Ok(list) => (name, list.join(",")),
            Err(_) => (name, value),
        })
        .collect()
}
