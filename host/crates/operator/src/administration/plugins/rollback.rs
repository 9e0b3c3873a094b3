//! The return to an earlier version of a plugin that the server makes by itself.
use linepress_plugin_host::{Grant, Preview};
use linepress_registry::{LockedStore, Record, RegistryError, Store};

use super::approval::{self, Terms, is_granted, is_within_grant};
use super::changes::{PluginChange, apply};
use super::{blocking, present_config};
use crate::administration::Actor;
use crate::loaded_plugins;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::config::Config;
use linepress_platform::error::{Error, Result};
use linepress_platform::plugin_trials::FailedTrial;

/// The age of an installed version up to which its first calls decide. Later, a version that worked before may have
/// failed because the machine is at fault.
const TRIAL_DAYS: u64 = 7;

/// The reason why a version stays in use although its first calls failed, for the log.
pub(crate) type Kept = String;

/// The change of a rollback, as the audit log and the settings file record it.
pub(super) struct RolledBack {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) problem: String,
    /// The grant of the earlier version; `None` if it requests nothing.
    pub(super) grant: Option<Grant>,
}

/// A version that becomes the active one again. The store stays locked meanwhile.
struct Target {
    locked: LockedStore,
    record: Record,
    active: Record,
    change: RolledBack,
    config: Config,
}

/// Goes back from a version whose first calls failed to the one that was active when it was installed, if that one is
/// still approved. Returns the version that is active now, or the reason why nothing changes.
pub(crate) async fn roll_back(app: &App, failed: &FailedTrial) -> Result<std::result::Result<String, Kept>> {
    let (config, now, trial) = (present_config(app).await, app.clock.now(), failed.clone());
    let target = match blocking(move || target(config, now, &trial)).await?? {
        Ok(target) => target,
        Err(kept) => return Ok(Err(kept)),
    };
    let id = failed.version.id.clone();
    let Target {
        locked,
        record,
        active,
        change,
        config,
    } = target;
    let (plugin, version) = (id.clone(), record.version.clone());
    let activated = blocking(move || {
        // Until the approval is written and the version loaded, the server's watch of the folders must leave it alone.
        let changing = locked.begin_change(&plugin)?;
        locked.activate(&plugin, &version)?;
        Ok::<_, RegistryError>((locked, changing))
    });
    let (locked, changing) = activated.await?.map_err(Error::internal)?;
    let (to, grant) = (change.to.clone(), change.grant.clone());
    let applied = apply(
        app,
        &Actor::server(),
        config,
        id.clone(),
        PluginChange::RollBack(change),
    )
    .await;
    if let Err(error) = applied {
        // The version before is neither approved nor recorded, so the failed one is active again.
        let (plugin, version) = (id.clone(), active.version.clone());
        let restored = blocking(move || locked.activate(&plugin, &version)).await?;
        if let Err(problem) = restored {
            let problem = problem.to_string();
            tracing::error!(
                plugin = id,
                problem,
                "version of a plugin not restored after a failed rollback"
            );
        }
        return Err(error);
    }
    let locked = note_failure(locked, id.clone(), (active, record), failed.problem.clone()).await?;
    take_effect(app, &id, grant).await?;
    drop((changing, locked));
    Ok(Ok(to))
}

/// Remembers the version that failed, so that an update does not offer it again, and that the restored one is not left
/// out.
async fn note_failure(
    locked: LockedStore,
    plugin: String,
    (failed, restored): (Record, Record),
    problem: String,
) -> Result<LockedStore> {
    let (id, version) = (plugin.clone(), failed.version.clone());
    let noted = blocking(move || {
        let noted = locked
            .note_failure(&id, &version, &problem)
            .and_then(|()| locked.forget_left_out(&id, &restored.version));
        (locked, noted)
    });
    let (locked, noted) = noted.await?;
    if let Err(error) = noted {
        let (error, version) = (error.to_string(), failed.version);
        tracing::warn!(plugin, %version, error, "failed version of a plugin not recorded: an update offers it again");
    }
    Ok(locked)
}

/// Loads the version that is active now, and calls it at once.
async fn take_effect(app: &App, id: &str, grant: Option<Grant>) -> Result<()> {
    let plugin = id.to_owned();
    let loaded = app.plugins.configure_and_reload(move |settings| {
        let grants = &mut settings.network.grants;
        match grant {
            Some(grant) => drop(grants.insert(plugin, grant)),
            None => drop(grants.remove(&plugin)),
        }
    });
    loaded.await.map_err(Error::internal)?;
    loaded_plugins::end_pause(app, id).await
}

/// The version to go back to, or the reason why the present one stays. An error is one that may pass.
fn target(config: Config, now: Timestamp, failed: &FailedTrial) -> Result<std::result::Result<Target, Kept>> {
    let version = &failed.version;
    let id = &version.id;
    let store = Store::new(&config.plugins_dir);
    // Before the lock, which creates the store.
    if store.active_version(id).map_err(Error::internal)?.is_none() {
        return Ok(Err(
            "it was not installed by name, so no earlier version is stored".into()
        ));
    }
    let locked = store.lock().map_err(Error::internal)?;
    let Some(active) = store.active_record(id).map_err(Error::internal)? else {
        return Ok(Err("its installation is not recorded".into()));
    };
    if active.version.to_string() != version.version {
        return Ok(Err("another version is active by now".into()));
    }
    if !is_recent(&active, now) {
        return Ok(Err(format!("it was installed more than {TRIAL_DAYS} days ago")));
    }
    let Some(record) = store.record_before(id).map_err(Error::internal)? else {
        return Ok(Err("the version before it is not stored".into()));
    };
    let read = |version| Preview::read(&store.version_folder(id, version), &config.plugins);
    let (present, preview) = match (read(&active.version), read(&record.version)) {
        (Ok(present), Ok(preview)) => (present, preview),
        (Err(reason), _) | (_, Err(reason)) => return Ok(Err(reason)),
    };
    let before = &record.version;
    if preview.id != *id || preview.digest != record.digest {
        return Ok(Err(format!(
            "the files of the version before it, {before}, have changed since they were installed"
        )));
    }
    if !is_approved(&config, &present, &preview) {
        return Ok(Err(format!(
            "the version before it, {before}, requests more than is approved now"
        )));
    }
    let terms = Terms {
        digest: Some(preview.digest.clone()),
        ..Terms::default()
    };
    let grant = match preview.requests.is_empty() {
        true => None,
        false => Some(approval::grant(&preview, &terms, config.grants.get(id))?),
    };
    Ok(Ok(Target {
        change: RolledBack {
            from: active.version.to_string(),
            to: record.version.to_string(),
            problem: failed.problem.clone(),
            grant,
        },
        locked,
        record,
        active,
        config,
    }))
}

/// Returns true if the operator has approved everything that the earlier version requests.
fn is_approved(config: &Config, present: &Preview, earlier: &Preview) -> bool {
    is_granted(config, earlier) || is_granted(config, present) && is_within_grant(present, earlier)
}

/// Returns true for a version that was installed in the last days. One without a readable time counts as old.
fn is_recent(record: &Record, now: Timestamp) -> bool {
    let installed: Option<Timestamp> = serde_json::from_value(record.installed_at.clone().into()).ok();
    let trial = std::time::Duration::from_secs(TRIAL_DAYS * 24 * 3600);
    installed.is_some_and(|installed| installed.plus(trial) > now)
}
