//! The change of the active version of a plugin, with its approval.
use std::path::Path;

use linepress_operator::administration::Actor;
use linepress_operator::administration::plugins::{self, Provenance, Terms};
use linepress_platform::app::App;
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_plugin_host::{Grant, own_settings, setting_problems};
use linepress_registry::{LockedStore, Record, Store};
use linepress_terminal::{one_line, print_error_line, print_line, printable};
use semver::Version;

use super::allow;

/// The database with the audit log. It is opened before anything changes.
pub(super) enum AuditLog {
    Database(Box<App>),
    /// There is no database yet, for this reason.
    Absent(anyhow::Error),
}

impl AuditLog {
    pub(super) async fn open(config: &Config) -> anyhow::Result<Self> {
        match crate::cli::open(config.clone()).await {
            Ok(app) => Ok(Self::Database(Box::new(app))),
            Err(error) if allow::is_without_database(&error) => Ok(Self::Absent(error)),
            Err(error) => Err(error),
        }
    }
}

/// The version that becomes the active one.
pub(super) struct Activation<'a> {
    pub(super) id: &'a str,
    pub(super) record: &'a Record,
    /// The version that is active now.
    pub(super) from: Option<Version>,
    /// The key that later versions must be signed with.
    pub(super) key: String,
    pub(super) terms: Terms,
}

/// Makes an installed version the active one and approves it. The version before stays active if the approval fails: a
/// running server continues with it while the new one is not approved.
pub(super) async fn activate(
    config: &Config,
    store: &Store,
    locked: &LockedStore,
    log: &AuditLog,
    activation: Activation<'_>,
) -> anyhow::Result<()> {
    let Activation {
        id,
        record,
        from,
        key,
        terms,
    } = activation;
    let version = &record.version;
    // Until its end, a running server continues with the version before: this one is not approved yet.
    let _changing = locked.begin_change(id)?;
    locked.activate(id, version)?;
    let provenance = Provenance {
        from: from.as_ref().map(Version::to_string),
        publisher: record.publisher.clone(),
        key,
        index: record.index.clone(),
    };
    let folder = store.version_folder(id, version);
    match approve(config, log, &folder, &terms, provenance).await {
        Ok(grant) => {
            print_line!("{id} {version} is active");
            if let Some(grant) = grant {
                print_grant(&grant);
            }
            print_setting_problems(config, id);
            note_change(locked, id, from.as_ref(), version);
            Ok(())
        }
        Err(error) => {
            let restored = match &from {
                Some(from) => locked.activate(id, from),
                None => locked.deactivate(id),
            };
            if let Err(problem) = restored {
                let problem = printable(&problem.to_string());
                print_error_line!("{id} {version} remains active and is not approved: {problem}");
            }
            Err(error)
        }
    }
}

/// Remembers that the operator went back from a version, and forgets it for the one that is active now.
fn note_change(locked: &LockedStore, id: &str, from: Option<&Version>, to: &Version) {
    let noted = locked.forget_left_out(id, to).and_then(|()| match from {
        Some(from) if from > to => locked.note_rollback(id, from, &Clock::System.now().to_string()),
        _ => Ok(()),
    });
    if let Err(error) = noted {
        let error = printable(&error.to_string());
        print_error_line!("the next update of {id} does not know of this change: {error}");
    }
}

/// Prints the present settings that the active version does not allow. It gets them nevertheless: which settings a
/// version needs is known only once it is active.
fn print_setting_problems(config: &Config, id: &str) {
    let Some(settings) = config.plugins.get(id) else { return };
    let folder = config.plugins_dir.join(id);
    for problem in setting_problems(&folder, &own_settings(&folder, settings)) {
        let problem = printable(&problem.sentence());
        print_line!(
            "its present settings are not allowed: {problem}. `linepress plugin set {id} NAME=VALUE` changes them"
        );
    }
}

fn print_grant(grant: &Grant) {
    print_line!("granted: {}", one_line(&grant.lines().join(", ")));
    if !grant.private.is_empty() {
        let private = one_line(&grant.private.join(", "));
        print_line!("also with private addresses or plain http: {private}");
    }
}

/// The key that a version must be signed with: that of the settings file, or else that of the active version, because
/// the settings file may have been rewritten since then. `None` before the first installation.
pub(super) fn known_key(config: &Config, store: &Store, id: &str) -> anyhow::Result<Option<String>> {
    match config.publishers.get(id) {
        Some(key) => Ok(Some(key.clone())),
        None => Ok(store.active_record(id)?.map(|record| record.key.to_string())),
    }
}

async fn approve(
    config: &Config,
    log: &AuditLog,
    folder: &Path,
    terms: &Terms,
    provenance: Provenance,
) -> anyhow::Result<Option<Grant>> {
    match log {
        AuditLog::Database(app) => Ok(plugins::install(app, &Actor::command_line(), folder, terms, provenance).await?),
        AuditLog::Absent(reason) => {
            let grant = plugins::install_unrecorded(config, folder, terms, provenance)?;
            allow::note_unrecorded(reason);
            Ok(grant)
        }
    }
}
