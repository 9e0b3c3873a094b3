//! Changes of the settings of plugins, approvals among them. They are in the settings file, which the running server
//! reads again within seconds.
use std::collections::BTreeMap;
use std::path::Path;

use linepress_plugin_host::{CredentialSource, Grant, Preview};
use tracing::Instrument as _;

use super::approval::{self, Terms};
use super::choosing::Chosen;
use super::provenance::Installation;
use super::rollback::RolledBack;
use super::{ManagedPlugin, PluginApproval, blocking, folder_of, get, present_config};
use crate::administration::audit_log::{self, Change, Target};
use crate::administration::{Actor, begin};
use crate::plugin_store;
use linepress_platform::app::App;
use linepress_platform::config::{Config, Edited, LockedFile, SettingChanges};
use linepress_platform::error::{Error, ErrorKind, Result, chain};
use linepress_platform::field::Field;

/// Approves what a plugin requests, for exactly the files that the operator looked at. Nothing changes if it requests
/// nothing. None if there is no such plugin.
pub async fn allow(app: &App, actor: &Actor, id: &str, given: &PluginApproval) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    let terms = Terms::try_from(given)?;
    let Some(folder) = folder_of(app, id) else {
        return Ok(None);
    };
    let (config, preview) = read(present_config(app).await, &folder).await?;
    // The folder may contain another plugin since the server looked at it.
    if preview.id != id {
        return Err(approval::other_files());
    }
    approve(app, actor, config, preview, &terms).await?;
    get(app, actor, id).await
}

/// Approves what the plugin in this folder requests. Returns the grant; `None` if it requests nothing.
pub async fn allow_folder(app: &App, actor: &Actor, folder: &Path, terms: &Terms) -> Result<Option<Grant>> {
    actor.require_operator()?;
    let (config, preview) = read(present_config(app).await, folder).await?;
    approve(app, actor, config, preview, terms).await
}

async fn approve(app: &App, actor: &Actor, config: Config, preview: Preview, terms: &Terms) -> Result<Option<Grant>> {
    if preview.requests.is_empty() {
        return Ok(None);
    }
    let grant = approval::grant(&preview, terms, config.grants.get(&preview.id))?;
    let change = PluginChange::Allow {
        version: preview.version.to_string(),
        grant: grant.clone(),
        sources: terms.sources.clone(),
    };
    apply(app, actor, config, preview.id, change).await?;
    Ok(Some(grant))
}

/// Approves what the plugin in this folder requests without an entry in the audit log, before there is a database.
/// Returns the grant; `None` if it requests nothing.
pub fn allow_unrecorded(config: &Config, folder: &Path, terms: &Terms) -> Result<Option<Grant>> {
    let preview = Preview::read(folder, &config.plugins).map_err(unreadable)?;
    if preview.requests.is_empty() {
        return Ok(None);
    }
    let grant = approval::grant(&preview, terms, config.grants.get(&preview.id))?;
    let file = lock_file(config, &preview.id)?;
    let written = file.approve_plugin(&preview.id, &grant, &terms.sources);
    written.map_err(not_written)?;
    Ok(Some(grant))
}

pub(super) async fn read(config: Config, folder: &Path) -> Result<(Config, Preview)> {
    let folder = folder.to_owned();
    blocking(move || {
        let preview = Preview::read(&folder, &config.plugins).map_err(unreadable)?;
        Ok((config, preview))
    })
    .await?
}

pub(super) fn unreadable(reason: String) -> Error {
    Error::invalid_field(Field::named("plugin"), format!("is refused: {reason}"))
}

/// Removes the approval of a plugin, which is then no longer loaded. Nothing changes if it has none. None if there is
/// no such plugin.
pub async fn deny(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    if folder_of(app, id).is_none() {
        return Ok(None);
    }
    withdraw(app, actor, id).await?;
    get(app, actor, id).await
}

/// Removes the approval of a plugin, whether or not its folder still exists. Returns false if it has none.
pub async fn withdraw(app: &App, actor: &Actor, id: &str) -> Result<bool> {
    actor.require_operator()?;
    let config = present_config(app).await;
    if !config.grants.contains_key(id) {
        return Ok(false);
    }
    apply(app, actor, config, id.to_owned(), PluginChange::Deny).await?;
    Ok(true)
}

/// Removes the approval of a plugin without an entry in the audit log, before there is a database. Returns false if it
/// has none.
pub fn withdraw_unrecorded(config: &Config, id: &str) -> Result<bool> {
    if !config.grants.contains_key(id) {
        return Ok(false);
    }
    let file = lock_file(config, id)?;
    PluginChange::Deny.write(file, id)?;
    Ok(true)
}

/// A change of the settings file that concerns a plugin.
pub(super) enum PluginChange {
    Allow {
        version: String,
        grant: Grant,
        sources: BTreeMap<String, CredentialSource>,
    },
    Deny,
    Install(Box<Installation>),
    Remove,
    Choose(Chosen),
    Configure(SettingChanges),
    RollBack(RolledBack),
}

impl PluginChange {
    /// The entries of the audit log. An installation has a second one for what it approves.
    fn entries(&self) -> Vec<Change<'_>> {
        match self {
            Self::Allow {
                version,
                grant,
                sources,
            } => vec![approved(version, grant, sources)],
            Self::Deny => vec![Change::DenyPlugin],
            Self::Install(installed) => {
                let Installation {
                    version,
                    digest,
                    grant,
                    sources,
                    provenance,
                } = &**installed;
                let installed = Change::InstallPlugin {
                    from: provenance.from.as_deref(),
                    version,
                    digest,
                    publisher: &provenance.publisher,
                    key: &provenance.key,
                    index: &provenance.index,
                };
                let approved = grant.as_ref().map(|grant| approved(version, grant, sources));
                [installed].into_iter().chain(approved).collect()
            }
            Self::Remove => vec![Change::RemovePlugin],
            Self::Choose(Chosen { from, to }) => vec![Change::ChoosePlugins {
                setting: to.setting(),
                from,
                to: to.ids(),
            }],
            Self::RollBack(RolledBack { from, to, problem, .. }) => vec![Change::RollBackPlugin { from, to, problem }],
            // Without the values, which may be secrets.
            Self::Configure(changes) => vec![Change::ConfigurePlugin {
                settings: changes.keys().map(String::as_str).collect(),
            }],
        }
    }

    /// Returns whether the plugin, which may have been removed, is approved again, so that it may store values.
    fn approves(&self) -> bool {
        match self {
            Self::Allow { .. } => true,
            Self::Install(installed) => installed.grant.is_some(),
            _ => false,
        }
    }

    /// The settings that change, in words and by name. Environment variables must not contain them.
    fn settings(&self, id: &str) -> Vec<(String, String)> {
        match self {
            Self::Choose(chosen) => {
                let setting = chosen.to.setting();
                vec![(format!("setting `{setting}`"), setting.into())]
            }
            Self::Configure(changes) => {
                let names = changes.keys();
                let named = names.map(|name| (format!("setting {name} of {id}"), format!("plugins.{id}.{name}")));
                named.collect()
            }
            Self::Allow { .. } | Self::Deny | Self::Install(_) | Self::Remove | Self::RollBack(_) => {
                approval_settings(id)
            }
        }
    }

    pub(super) fn write(&self, file: LockedFile, id: &str) -> Result<Edited> {
        let written = match self {
            Self::Allow { grant, sources, .. } => file.approve_plugin(id, grant, sources),
            Self::Deny => file.disapprove_plugin(id),
            Self::Install(installed) => {
                let Installation {
                    grant,
                    sources,
                    provenance,
                    ..
                } = &**installed;
                file.install_plugin(id, grant.as_ref(), sources, &provenance.key)
            }
            Self::Remove => file.remove_plugin(id),
            Self::Choose(chosen) => file.choose_plugins(&chosen.to),
            Self::Configure(changes) => file.configure_plugin(id, changes),
            Self::RollBack(RolledBack { grant: Some(grant), .. }) => file.approve_plugin(id, grant, &BTreeMap::new()),
            Self::RollBack(RolledBack { grant: None, .. }) => file.disapprove_plugin(id),
        };
        written.map_err(not_written)
    }
}

fn approved<'a>(version: &'a str, grant: &'a Grant, sources: &'a BTreeMap<String, CredentialSource>) -> Change<'a> {
    Change::AllowPlugin {
        version,
        digest: &grant.digest,
        origins: &grant.origins,
        private: &grant.private,
        credentials: sources.keys().map(String::as_str).collect(),
        permissions: &grant.permissions,
    }
}

/// Records the change and makes it, in a task of its own: a client that disconnects after the file was written would
/// otherwise end the transaction of the entry.
pub(super) async fn apply(app: &App, actor: &Actor, config: Config, id: String, change: PluginChange) -> Result<()> {
    let (app, actor) = (app.clone(), actor.clone());
    let applied = tokio::spawn(record_and_write(app, actor, config, id, change).in_current_span());
    applied.await.map_err(Error::internal)?
}

async fn record_and_write(app: App, actor: Actor, config: Config, id: String, change: PluginChange) -> Result<()> {
    // Before the transaction, during which other changes of the database may have to wait.
    let plugin = id.clone();
    let (file, change) = blocking(move || {
        let file = lock_for(&config, &plugin, &change)?;
        Ok::<_, Error>((file, change))
    })
    .await??;
    let mut tx = begin(&app, &actor).await?;
    // Before the file is written, so that a change that cannot be recorded is not made.
    for entry in change.entries() {
        audit_log::record(&app, &mut tx, &actor, Target::Plugin(&id), entry).await?;
    }
    if change.approves() {
        plugin_store::reopen(&mut tx, &id).await?;
    }
    let plugin = id.clone();
    let edited = blocking(move || change.write(file, &plugin)).await??;
    let Err(error) = tx.commit().await else {
        return Ok(());
    };
    if let Err(problem) = blocking(move || edited.undo()).await? {
        let problem = chain(&problem);
        tracing::error!(
            plugin = id,
            problem,
            "settings file not restored after a change that was not recorded"
        );
    }
    Err(error.into())
}

/// Locks the settings file for a change of the approval of a plugin. Fails if environment variables, which take
/// precedence over the file, contain the approval.
pub(super) fn lock_file(config: &Config, id: &str) -> Result<LockedFile> {
    lock_unless_given(config, approval_settings(id))
}

/// Does the same for any change that concerns a plugin.
pub(super) fn lock_for(config: &Config, id: &str, change: &PluginChange) -> Result<LockedFile> {
    let file = lock_unless_given(config, change.settings(id))?;
    // The new order was derived from the present one, which another command may have changed until the file was locked.
    if let PluginChange::Choose(Chosen { from, to }) = change
        && config.load_again().is_ok_and(|now| to.present(&now) != *from)
    {
        let problem = format!(
            "cannot be chosen, because `{}` has just changed: look at it and try again",
            to.setting()
        );
        return Err(Error::invalid_field(Field::named("plugin"), problem));
    }
    Ok(file)
}

fn approval_settings(id: &str) -> Vec<(String, String)> {
    let tables = [("grants", "grant"), ("publishers", "publisher's key")];
    let named = tables.map(|(table, what)| (format!("{what} of {id}"), format!("{table}.{id}")));
    named.into()
}

fn lock_unless_given(config: &Config, settings: Vec<(String, String)>) -> Result<LockedFile> {
    for (what, name) in settings {
        if config.given.is_in_environment(&name) {
            let problem = format!("the {what} is set by environment variables: change it there");
            return Err(not_written(problem));
        }
    }
    config.lock_file().map_err(not_written)
}

fn not_written(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::from(ErrorKind::SettingsNotWritable).with_cause(cause)
}
