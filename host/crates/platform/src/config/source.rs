//! The sources of settings: a file, then the environment.
use std::path::{Path, PathBuf};

use super::Config;

/// An unknown or invalid setting, with its name and position. The server does not start with one.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the settings file {} cannot be read", file.display())]
    Unreadable { file: PathBuf, source: std::io::Error },
    #[error("{}, line {line}: {problem}", file.display())]
    File {
        file: PathBuf,
        line: usize,
        problem: String,
    },
    #[error("an environment variable LINEPRESS_... is invalid")]
    Environment(#[source] config::ConfigError),
    #[error("the environment variable {name} is not a setting. linepress.example.toml lists all settings")]
    UnknownVariable { name: String },
    #[error("setting `{setting}`: {problem}")]
    Wrong { setting: &'static str, problem: String },
}

/// The settings file that is read when no other is named.
const DEFAULT_FILE: &str = "linepress.toml";

impl Config {
    /// The settings file that is read when no other is named.
    pub fn usual_file() -> PathBuf {
        DEFAULT_FILE.into()
    }

    /// Reads `file`, which must exist if it is given, or otherwise `linepress.toml` if it exists; then the environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let path = file.unwrap_or(Path::new(DEFAULT_FILE));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => {
                return Err(ConfigError::Unreadable {
                    file: path.to_owned(),
                    source,
                });
            }
        };
        Self::read(path, &text, std::env::vars())
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
            .build()
            .and_then(config::Config::try_deserialize::<Self>);
        let merged = merged.map_err(|error| match unknown_variable(&error, &variables) {
            Some(name) => ConfigError::UnknownVariable { name },
            None => ConfigError::Environment(error),
        });
        merged?.completed()
    }
}

fn check_file(file: &Path, text: &str) -> Result<(), ConfigError> {
    let wrong = |error: &toml::de::Error, setting: &str| {
        let before = &text[..error.span().map_or(0, |span| span.start)];
        // Not the line itself, which may contain a password.
        let problem = match setting {
            "" => error.message().trim().to_owned(),
            setting => format!("`{setting}`: {}", error.message().trim()),
        };
        ConfigError::File {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            problem,
        }
    };
    let settings = toml::Deserializer::parse(text).map_err(|error| wrong(&error, ""))?;
    match serde_path_to_error::deserialize::<_, Config>(settings) {
        Ok(_) => Ok(()),
        Err(error) => {
            let setting = error.path().to_string();
            let error = error.into_inner();
            // The message already names the setting.
            let unknown = error.message().starts_with("unknown field");
            Err(wrong(&error, if unknown { "" } else { &setting }))
        }
    }
}

/// The name of the variable that is not a setting, if that is the error. The error itself only names the field in lower
/// case, and then all valid fields.
fn unknown_variable(error: &config::ConfigError, variables: &[(String, String)]) -> Option<String> {
    let text = error.to_string();
    let (_, rest) = text.split_once("unknown field `")?;
    let (field, _) = rest.split_once('`')?;
    let names_it = |name: &str| {
        let setting = name.strip_prefix("LINEPRESS_").map(str::to_ascii_lowercase);
        setting.is_some_and(|setting| setting.split("__").any(|part| part == field))
    };
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
        .with_list_parse_key("font_folders")
        .with_list_parse_key("image_providers")
        .with_list_parse_key("import_private_hosts")
        .with_list_parse_key("denied_networks")
        .with_list_parse_key("trusted_proxies")
        .with_list_parse_key("sign_in.oidc.private_hosts")
        .source(Some(settings_of(variables)))
}

/// The variables that are settings: not `LINEPRESS_CONFIG`, which names the file, and not those for tests and builds.
fn settings_of(variables: impl Iterator<Item = (String, String)>) -> config::Map<String, String> {
    variables
        .filter(|(name, _)| {
            name.starts_with("LINEPRESS_")
                && name != "LINEPRESS_CONFIG"
                && name != "LINEPRESS_TARGET_DIR"
                && !name.starts_with("LINEPRESS_TEST_")
        })
        .collect()
}
