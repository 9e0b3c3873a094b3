//! The commands `linepress plugin use`, `linepress plugin stop-using` and `linepress plugin set`.
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::bail;
use clap::Args;
use linepress_operator::administration::Actor;
use linepress_operator::administration::plugins::{self, PluginSettingsChange, PluginUse};
use linepress_platform::config::{Config, PluginChoice};
use linepress_plugin_host::{Preview, settings_from_text};
use linepress_terminal::{one_line, print_line, printable};

use super::allow::{is_without_database, note_unrecorded, report_effect};
use super::installed::{Found, folder_of};

#[derive(Args)]
pub(in crate::cli) struct Use {
    /// The plugin's id, or the path of its folder.
    plugin: String,
    /// The place of an image provider in the order of preference, from 1. Default: its present place, or the first.
    #[arg(long, value_name = "NUMBER")]
    position: Option<usize>,
}

#[derive(Args)]
pub(in crate::cli) struct StopUsing {
    /// The plugin's id.
    plugin: String,
}

#[derive(Args)]
pub(in crate::cli) struct Set {
    /// The plugin's id, or the path of its folder.
    plugin: String,
    /// A setting and its new value, such as model=flux-2; a value other than a text is written as JSON. May be
    /// repeated.
    #[arg(value_name = "NAME=VALUE", value_parser = setting, required_unless_present = "unset")]
    settings: Vec<(String, String)>,
    /// Remove this setting, so that the plugin's default applies; may be repeated.
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let owned = parts.map(|(name, value)| (name.to_owned(), value.to_owned()));
    // The error does not repeat the text, which may be a secret.
    owned.ok_or_else(|| "it must be NAME=VALUE".into())
}

pub(super) async fn use_plugin(config: Config, arguments: Use) -> anyhow::Result<()> {
    let found = Found::new(&config, &arguments.plugin)?;
    let given = PluginUse {
        position: arguments.position,
    };
    let chosen = match crate::cli::open(config.clone()).await {
        Ok(app) => plugins::use_folder(&app, &Actor::command_line(), &found.folder, &given).await?,
        Err(error) if !is_without_database(&error) => return Err(error),
        Err(error) => {
            let chosen = plugins::use_unrecorded(&config, &found.folder, &given)?;
            note_unrecorded(&error);
            chosen
        }
    };
    match chosen {
        None => print_line!("{} is in use in this way already", found.preview.id),
        Some(PluginChoice::ImageProviders(order)) => print_line!("image providers\t{}", one_line(&order.join(", "))),
        Some(PluginChoice::Planner(id)) => print_line!("planner\t{}", one_line(&id)),
        Some(PluginChoice::Layout(id)) => print_line!("layout\t{}", one_line(&id)),
        Some(PluginChoice::Reviewer(id)) => print_line!("reviewer\t{}", one_line(&id)),
    }
    report_effect(&config, &found.preview)
}

pub(super) async fn stop_using(config: Config, arguments: StopUsing) -> anyhow::Result<()> {
    let id = &arguments.plugin;
    let was_used = match crate::cli::open(config.clone()).await {
        Ok(app) => plugins::leave_out(&app, &Actor::command_line(), id).await?,
        Err(error) if !is_without_database(&error) => return Err(error),
        Err(error) => {
            let was_used = plugins::leave_out_unrecorded(&config, id)?;
            note_unrecorded(&error);
            was_used
        }
    };
    if !was_used {
        bail!(
            "`image_providers` does not name {id}, and neither does `reviewer`; `linepress provider list` lists the \
             providers"
        );
    }
    print_line!("{id} is no longer used; a running server applies this within seconds");
    Ok(())
}

pub(super) async fn set(config: Config, arguments: Set) -> anyhow::Result<()> {
    let folder = folder_of(&config, &arguments.plugin)?;
    let change = PluginSettingsChange {
        settings: settings_from_text(&folder, typed(arguments.settings, arguments.unset)),
    };
    let has_changed = match crate::cli::open(config.clone()).await {
        Ok(app) => plugins::configure_folder(&app, &Actor::command_line(), &folder, &change).await?,
        Err(error) if !is_without_database(&error) => return Err(error),
        Err(error) => {
            let has_changed = plugins::configure_unrecorded(&config, &folder, &change)?;
            note_unrecorded(&error);
            has_changed
        }
    };
    report(&config, &folder, has_changed)
}

fn typed(settings: Vec<(String, String)>, unset: Vec<String>) -> BTreeMap<String, Option<String>> {
    let unset = unset.into_iter().map(|name| (name, None));
    let set = settings.into_iter().map(|(name, value)| (name, Some(value)));
    unset.chain(set).collect()
}

/// Prints what has changed, and whether the server can load the plugin with it.
fn report(config: &Config, folder: &Path, has_changed: bool) -> anyhow::Result<()> {
    if !has_changed {
        print_line!("the plugin has these settings already");
        return Ok(());
    }
    print_line!("the settings are saved");
    match Preview::read(folder, &config.load_again()?.plugins) {
        Ok(preview) => report_effect(config, &preview),
        Err(reason) => {
            print_line!("not yet loaded: {}", printable(&reason));
            Ok(())
        }
    }
}
