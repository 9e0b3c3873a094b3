//! The command `linepress plugin show`.
use std::collections::BTreeSet;

use anyhow::Context as _;
use clap::Args;
use linepress_operator::administration::plugins::{self, PluginSetting};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{Installed, Permission};
use linepress_terminal::one_line;
use serde::Serialize;

use super::installed::Found;
use crate::cli::Format;

#[derive(Args)]
pub(in crate::cli) struct Show {
    /// The plugin's id, or the path of its folder.
    plugin: String,
    #[command(flatten)]
    format: Format,
}

#[derive(Serialize)]
struct Shown {
    id: String,
    version: String,
    world: String,
    folder: String,
    /// The digest of the whole folder.
    digest: String,
    memory_mib: u32,
    deadline_seconds: u64,
    response_mib: u64,
    requests: u32,
    #[serde(skip)]
    limits: Vec<String>,
    asks: Vec<String>,
    granted: Vec<String>,
    private: Vec<String>,
    /// The granted services of the server, as the settings name them.
    permissions: BTreeSet<Permission>,
    /// The first obstacle to the requests; `None` when all are granted.
    missing: Option<String>,
    credentials: Vec<Credential>,
    settings: Vec<PluginSetting>,
}

/// The source of a secret, never the secret itself.
#[derive(Serialize)]
struct Credential {
    name: String,
    source: Option<String>,
}

pub(super) fn show(config: &Config, arguments: &Show) -> anyhow::Result<()> {
    let found = Found::new(config, &arguments.plugin)?;
    arguments.format.print_one(&shown(config, &found)?, lines)
}

fn shown(config: &Config, found: &Found) -> anyhow::Result<Shown> {
    let preview = &found.preview;
    let grant = found.grant(config).cloned().unwrap_or_default();
    let network = plugin_settings(config, std::env::current_exe()?).network;
    let installed = Installed::not_loaded(found.folder.clone(), preview.id.clone());
    let described = plugins::describe(config, vec![installed])
        .pop()
        .context("the folder is gone")?;
    let credentials = described.credentials.into_iter().map(|credential| Credential {
        name: credential.name,
        source: credential.source,
    });
    Ok(Shown {
        id: preview.id.clone(),
        version: preview.version.to_string(),
        world: preview.world.clone(),
        folder: described.folder,
        digest: preview.digest.clone(),
        memory_mib: preview.limits.memory_mib(),
        deadline_seconds: preview.limits.deadline().as_secs(),
        response_mib: preview.limits.response_bytes() >> 20,
        requests: preview.limits.requests(),
        limits: preview.limits.lines(),
        asks: preview.requests.lines(),
        granted: grant.origins,
        private: grant.private,
        permissions: grant.permissions,
        missing: preview.missing_grant(&network),
        credentials: credentials.collect(),
        settings: described.settings,
    })
}

fn lines(shown: &Shown) -> String {
    let mut lines = vec![
        format!("{} {}\t{}", shown.id, shown.version, shown.world),
        format!("folder\t{}", one_line(&shown.folder)),
        format!("digest\t{}", shown.digest),
        format!("limits\t{}", shown.limits.join(", ")),
    ];
    lines.extend(shown.asks.iter().map(|request| format!("asks\t{}", one_line(request))));
    lines.extend(shown.granted.iter().map(|origin| {
        let private = if shown.private.contains(origin) {
            ", private"
        } else {
            ""
        };
        format!("granted\t{}{private}", one_line(origin))
    }));
    lines.extend(
        shown
            .permissions
            .iter()
            .map(|permission| format!("granted\t{}", permission.in_words())),
    );
    lines.extend(
        shown
            .missing
            .iter()
            .map(|missing| format!("missing\t{}", one_line(missing))),
    );
    lines.extend(shown.credentials.iter().map(|Credential { name, source }| {
        let source = source
            .as_deref()
            .unwrap_or("no source; set it with `linepress plugin allow --credential`");
        format!("credential\t{name}: {}", one_line(source))
    }));
    lines.extend(shown.settings.iter().map(setting));
    lines.join("\n")
}

fn setting(setting: &PluginSetting) -> String {
    let mut line = format!("setting\t{}", one_line(&setting.name));
    let mut add = |what: &str, text: Option<String>| {
        line.extend(text.map(|text| format!("{what}{}", one_line(&text))));
    };
    add(" = ", setting.value.as_ref().map(ToString::to_string));
    add(", default ", setting.default.as_ref().map(ToString::to_string));
    add(": ", setting.description.clone());
    if setting.is_for_other_version {
        line.push_str(", reserved for another stored version: this one does not receive it");
    }
    line
}
