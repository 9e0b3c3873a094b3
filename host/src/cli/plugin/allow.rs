//! The commands `linepress plugin allow` and `linepress plugin deny`.
use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_operator::administration::Actor;
use linepress_operator::administration::plugins::{self, Terms};
use linepress_operator::startup::{self, plugin_settings};
use linepress_platform::config::Config;
use linepress_platform::database::{OpenError, Place};
use linepress_platform::error::chain;
use linepress_plugin_host::{CredentialSource, OriginPattern, Preview};
use linepress_terminal::{print_error_line, print_line, printable};

use super::installed::Found;

#[derive(Args)]
pub(in crate::cli) struct Allow {
    /// The plugin's id, or the path of its folder.
    plugin: String,
    /// Grant only this origin instead of all requested ones; may be repeated.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    origin: Vec<OriginPattern>,
    /// Grant this origin even if its addresses are private or it uses plain http, such as http://127.0.0.1:8188.
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    private: Vec<OriginPattern>,
    /// The source of a credential: NAME=env:VARIABLE or NAME=file:PATH; may be repeated.
    #[arg(long, value_name = "NAME=SOURCE", value_parser = credential)]
    credential: Vec<(String, CredentialSource)>,
}

#[derive(Args)]
pub(in crate::cli) struct Deny {
    /// The plugin's id.
    plugin: String,
}

pub(super) fn origin(text: &str) -> Result<OriginPattern, String> {
    OriginPattern::parse(text).map_err(|problem| format!("it {problem}"))
}

pub(super) fn credential(text: &str) -> Result<(String, CredentialSource), String> {
    let source = |text: &str| match text.split_once(':')? {
        ("env", name) if !name.is_empty() => Some(CredentialSource::Env(name.to_owned())),
        ("file", path) if !path.is_empty() => Some(CredentialSource::File(PathBuf::from(path))),
        _ => None,
    };
    let parts = text
        .split_once('=')
        .and_then(|(name, text)| Some((name.to_owned(), source(text)?)));
    // The error does not repeat the text, because a secret that was entered by mistake must not appear in a log.
    parts.ok_or_else(|| "it must be NAME=env:VARIABLE or NAME=file:PATH, not the secret itself".into())
}

impl Allow {
    fn terms(self) -> Terms {
        Terms {
            digest: None,
            origins: Some(self.origin).filter(|origins| !origins.is_empty()),
            private: Some(self.private).filter(|private| !private.is_empty()),
            sources: self.credential.into_iter().collect::<BTreeMap<_, _>>(),
        }
    }
}

pub(super) async fn allow(config: Config, arguments: Allow) -> anyhow::Result<()> {
    let found = Found::new(&config, &arguments.plugin)?;
    let asked = &found.preview.requests;
    let id = &found.preview.id;
    if !asked.is_empty() {
        print_line!("{id} {} asks", found.preview.version);
    }
    for request in asked.lines() {
        print_line!("  {}", printable(&request));
    }
    let terms = arguments.terms();
    let grant = match crate::cli::open(config.clone()).await {
        Ok(app) => plugins::allow_folder(&app, &Actor::command_line(), &found.folder, &terms).await?,
        Err(error) if !is_without_database(&error) => return Err(error),
        Err(error) => {
            let grant = plugins::allow_unrecorded(&config, &found.folder, &terms)?;
            if grant.is_some() {
                note_unrecorded(&error);
            }
            grant
        }
    };
    let Some(grant) = grant else {
        print_line!("{id} requests nothing and needs no approval");
        return Ok(());
    };
    print_line!("granted in {}: {}", file_of(&config), grant.lines().join(", "));
    if !grant.private.is_empty() {
        print_line!(
            "also with private addresses or plain http: {}",
            grant.private.join(", ")
        );
    }
    report_effect(&config, &found.preview)
}

/// Prints whether the server can load the plugin with the settings that it will see now.
pub(super) fn report_effect(config: &Config, preview: &Preview) -> anyhow::Result<()> {
    let now = config.load_again()?;
    let program = std::env::current_exe().context("the path of the linepress binary cannot be determined")?;
    match preview.missing_grant(&plugin_settings(&now, program).network) {
        None => print_line!("a running server applies this within seconds"),
        Some(missing) => print_line!("not yet loaded: {}", printable(&missing)),
    }
    Ok(())
}

pub(super) async fn deny(config: Config, arguments: Deny) -> anyhow::Result<()> {
    let id = &arguments.plugin;
    let was_granted = match crate::cli::open(config.clone()).await {
        Ok(app) => plugins::withdraw(&app, &Actor::command_line(), id).await?,
        Err(error) if !is_without_database(&error) => return Err(error),
        Err(error) => {
            let was_granted = plugins::withdraw_unrecorded(&config, id)?;
            if was_granted {
                note_unrecorded(&error);
            }
            was_granted
        }
    };
    if !was_granted {
        bail!("nothing is granted to {id}; `linepress plugin list` lists the plugins");
    }
    print_line!("the grant of {id} is removed; a running server applies this within seconds");
    if config.load_again()?.credentials.contains_key(id) {
        print_line!("the sources of its credentials remain in {}", file_of(&config));
    }
    Ok(())
}

/// Returns true if there is no database yet: plugins can be approved before the server was first started. After that,
/// each change needs its entry in the audit log.
pub(super) fn is_without_database(error: &anyhow::Error) -> bool {
    let Some(startup::OpenError::Database(error)) = error.downcast_ref() else {
        return false;
    };
    match error {
        // A file also seems to be missing when this user may not look into its folder.
        OpenError::Missing {
            place: Place::File(file),
        } => matches!(file.try_exists(), Ok(false)),
        OpenError::Empty { .. } => true,
        _ => false,
    }
}

/// Says that there is no entry of the change.
pub(super) fn note_unrecorded(error: &anyhow::Error) {
    let reason = chain(error.as_ref());
    print_error_line!("the audit log has no entry of this change: {}", printable(&reason));
}

fn file_of(config: &Config) -> String {
    let file = config.file.as_deref();
    file.map_or_else(String::new, |file| file.display().to_string())
}
