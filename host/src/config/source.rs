//! Where settings come from: a file, then the environment.
use std::path::{Path, PathBuf};

use super::Config;

/// A setting that is unknown or wrong. It names itself and where it stands, and stops the start.
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
    #[error("in a variable LINEPRESS_... of the environment")]
    Environment(#[source] config::ConfigError),
    #[error("{name} in the environment: there is no such setting. linepress.example.toml lists all of them")]
    UnknownVariable { name: String },
    #[error("setting `{setting}`: {problem}")]
    Wrong { setting: &'static str, problem: String },
}

/// Read where no other file is named.
const FILE: &str = "linepress.toml";

impl Config {
    /// The file that is read where no other is named.
    pub fn usual_file() -> PathBuf {
        FILE.into()
    }

    /// Reads `file`, which must exist when it is given; else `linepress.toml` where there is one; then the environment.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let path = file.unwrap_or(Path::new(FILE));
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

    /// The same of what the file holds, and of these variables.
    pub(super) fn read(
        file: &Path,
        text: &str,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let variables: Vec<(String, String)> = variables.collect();
        // By itself first: afterwards nobody knows on which line a setting stood.
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
        // Not the line itself: it may hold a password.
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
            // It names the setting itself.
            let unknown = error.message().starts_with("unknown field");
            Err(wrong(&error, if unknown { "" } else { &setting }))
        }
    }
}

/// The variable that names no setting, where that is the error. The error itself names the field in lower case, and all others.
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

/// The settings among the variables; a list is written with commas.
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

/// The variables that are settings. `LINEPRESS_CONFIG` names the file and those for tests and builds are no settings.
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
