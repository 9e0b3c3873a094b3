//! The command `linepress plugin remove`.
use anyhow::bail;
use clap::Args;
use linepress_operator::administration::Actor;
use linepress_operator::administration::{plugin_values, plugins};
use linepress_platform::config::Config;
use linepress_registry::{Active, Reference, Store};
use linepress_terminal::print_line;

use super::allow::{is_without_database, note_unrecorded};
use super::passed_settings;

#[derive(Args)]
pub(in crate::cli) struct Remove {
    /// The plugin's id, or its id and a version that is stored and not active.
    plugin: Reference,
}

pub(super) async fn remove(config: Config, arguments: Remove) -> anyhow::Result<()> {
    let Reference { id, version } = arguments.plugin;
    let store = Store::new(&config.plugins_dir);
    let locked = store.lock()?;
    if let Some(version) = version {
        let passed = passed_settings::passed(&config, &id);
        if !locked.remove_version(&id, &version)? {
            bail!("{id} {version} is not stored");
        }
        print_line!("{id} {version} is no longer stored");
        passed_settings::report_added(&config, &id, &passed);
        return Ok(());
    }
    match store.active(&id)? {
        Active::Version(_) => {}
        Active::None if !store.records(&id)?.is_empty() => {}
        _ => bail!(
            "{id} was not installed by name: remove its folder from {}",
            config.plugins_dir.display()
        ),
    }
    refuse_if_used(&config, &id)?;
    let _changing = locked.begin_change(&id)?;
    // First the approval: what remains of an interrupted removal has no permission.
    withdraw(&config, &id).await?;
    locked.deactivate(&id)?;
    locked.remove_all(&id)?;
    print_line!(
        "{id} is removed with its approval, the key of its publisher and what it stored; a running server applies this \
         within seconds"
    );
    if config.load_again()?.credentials.contains_key(&id) {
        print_line!("the sources of its credentials remain in the settings file");
    }
    Ok(())
}

/// Fails if the settings name the plugin: without its reviewer, a server would draw what nobody reviews.
fn refuse_if_used(config: &Config, id: &str) -> anyhow::Result<()> {
    for (kind, chosen) in [("planner", &config.planner), ("layout", &config.layout)] {
        if chosen == id {
            bail!("{id} is the {kind} in use: run `linepress plugin use` with another {kind} first");
        }
    }
    if config.uses_plugin(id) {
        bail!("{id} is in use: run `linepress plugin stop-using {id}` first");
    }
    Ok(())
}

async fn withdraw(config: &Config, id: &str) -> anyhow::Result<()> {
    match crate::cli::open(config.clone()).await {
        Ok(app) => {
            plugins::remove(&app, &Actor::command_line(), id).await?;
            // Another plugin with this id must not read it.
            plugin_values::close(&app, &Actor::command_line(), id).await?;
            Ok(())
        }
        Err(error) if !is_without_database(&error) => Err(error),
        Err(error) => {
            plugins::remove_unrecorded(config, id)?;
            note_unrecorded(&error);
            Ok(())
        }
    }
}
