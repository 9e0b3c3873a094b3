//! The change of the active version of a plugin, with its approval.
use std::path::Path;

use linepress_operator::administration::Actor;
use linepress_operator::administration::plugins::{self, Provenance, Terms};
use linepress_platform::config::Config;
use linepress_plugin_host::{Grant, Preview};
use linepress_registry::{LockedStore, Store};
use linepress_terminal::{print_error_line, print_line, printable};
use semver::Version;

use super::allow;

/// The version that becomes the active one.
pub(super) struct Activation<'a> {
    pub(super) id: &'a str,
    pub(super) version: &'a Version,
    /// The version that is active now.
    pub(super) from: Option<Version>,
    pub(super) terms: Terms,
    pub(super) provenance: Provenance,
}

/// Makes an installed version the active one and approves it. The version before stays active if the approval fails: a
/// running server continues with it while the new one is not approved.
pub(super) async fn activate(
    config: &Config,
    store: &Store,
    locked: &LockedStore,
    activation: Activation<'_>,
) -> anyhow::Result<()> {
    let Activation {
        id,
        version,
        from,
        terms,
        provenance,
    } = activation;
    locked.activate(id, version)?;
    let provenance = Provenance {
        from: from.as_ref().map(Version::to_string),
        ..provenance
    };
    let folder = store.version_folder(id, version);
    match approve(config, &folder, &terms, provenance).await {
        Ok(grant) => {
            print_line!("{id} {version} is active");
            if let Some(grant) = grant {
                print_line!("granted: {}", grant.origins.join(", "));
            }
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

/// Returns true if the operator has granted what this active version requests.
pub(super) fn is_granted(config: &Config, active: &Preview) -> bool {
    let Some(grant) = config.grants.get(&active.id) else {
        return active.requests.is_empty();
    };
    let origins = active.requests.origins.iter().map(|request| request.origin.to_string());
    let is_current = grant.digest.eq_ignore_ascii_case(&active.digest);
    active.requests.is_empty() || is_current && origins.into_iter().all(|origin| grant.origins.contains(&origin))
}

async fn approve(
    config: &Config,
    folder: &Path,
    terms: &Terms,
    provenance: Provenance,
) -> anyhow::Result<Option<Grant>> {
    match crate::cli::open(config.clone()).await {
        Ok(app) => Ok(plugins::install(&app, &Actor::command_line(), folder, terms, provenance).await?),
        Err(error) if !allow::is_without_database(&error) => Err(error),
        Err(error) => {
            let grant = plugins::install_unrecorded(config, folder, terms, provenance)?;
            allow::note_unrecorded(&error);
            Ok(grant)
        }
    }
}

/// Prints whether the server can load the version now.
pub(super) fn report(config: &Config, preview: &Preview) -> anyhow::Result<()> {
    allow::report_effect(config, preview)
}
