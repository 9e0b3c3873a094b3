//! The trial of a version before it becomes the active one: a server must be able to load it.
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use linepress_operator::administration::plugins::{self, Terms};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{CredentialSource, Grant, PluginSettings, Plugins, Preview};
use linepress_registry::Staged;

/// Loads the version as a server would with these terms, and fails if a server would refuse it. With
/// `may_lack_sources`, the sources of its credentials may be named later: no version of the plugin serves now.
pub(super) async fn load(
    config: &Config,
    staged: &Staged,
    terms: &Terms,
    may_lack_sources: bool,
) -> anyhow::Result<()> {
    let preview = &staged.preview;
    let (id, version) = (&preview.id, &preview.version);
    if !may_lack_sources {
        refuse_missing_sources(config, preview, terms)?;
    }
    let grant = plugins::planned_grant(config, preview, terms)?;
    refuse_plain_http(preview, grant.as_ref())?;
    let settings = settings(config, staged, grant)?;
    let plugins = Plugins::load_candidate(settings, staged.folder()).await?;
    match plugins.refusals().into_iter().next() {
        None => Ok(()),
        Some(refusal) => bail!(
            "{id} {version} cannot be loaded: {}. Nothing was changed",
            refusal.reason
        ),
    }
}

fn refuse_missing_sources(config: &Config, preview: &Preview, terms: &Terms) -> anyhow::Result<()> {
    let known = config.credentials.get(&preview.id);
    let has_source =
        |name: &String| terms.sources.contains_key(name) || known.is_some_and(|known| known.contains_key(name));
    let needed = preview
        .requests
        .credentials
        .iter()
        .filter(|credential| !credential.optional);
    let missing: Vec<&str> = needed
        .filter(|credential| !has_source(&credential.name))
        .map(|credential| credential.name.as_str())
        .collect();
    match missing.first() {
        None => Ok(()),
        Some(name) => bail!(
            "{} {} needs the credential {}, and no source of it is known: add --credential {name}=env:VARIABLE or \
             --credential {name}=file:PATH. Nothing was changed",
            preview.id,
            preview.version,
            missing.join(", ")
        ),
    }
}

/// Fails if a request without encryption would leave a private network, and names the option of this command.
fn refuse_plain_http(preview: &Preview, grant: Option<&Grant>) -> anyhow::Result<()> {
    let private = grant.map(|grant| grant.private.as_slice()).unwrap_or_default();
    let mut origins = preview
        .requests
        .origins
        .iter()
        .map(|request| request.origin.to_string());
    match origins.find(|origin| origin.starts_with("http://") && !private.contains(origin)) {
        None => Ok(()),
        Some(origin) => bail!(
            "{} {} asks to reach {origin} over plain http, which is only allowed in a private network: add --private {origin}. \
             Nothing was changed",
            preview.id,
            preview.version
        ),
    }
}

fn settings(config: &Config, staged: &Staged, grant: Option<Grant>) -> anyhow::Result<PluginSettings> {
    let preview = &staged.preview;
    let program = std::env::current_exe().context("the path of the linepress binary cannot be determined")?;
    let mut settings = plugin_settings(config, program);
    settings.cache_directory = cache_directory(config, settings.cache_directory, staged.scratch());
    match grant {
        Some(grant) => settings.network.grants.insert(preview.id.clone(), grant),
        None => settings.network.grants.remove(&preview.id),
    };
    let sources = placeholders(preview, staged.scratch())?;
    settings.network.credentials.insert(preview.id.clone(), sources);
    Ok(settings)
}

/// The folder for the compiled component: that of the server if it belongs to this user, so that the server need not
/// compile the component again. Otherwise a temporary one, because the server could not read another user's files.
fn cache_directory(config: &Config, server: PathBuf, scratch: &Path) -> PathBuf {
    let owner = |folder: &Path| std::fs::metadata(folder).ok().map(|metadata| metadata.uid());
    // Before the first start, the server's user owns at least its data folder.
    let existing = if server.exists() { &server } else { &config.data_dir };
    let is_own = owner(existing).is_some_and(|user| owner(scratch) == Some(user));
    if is_own { server } else { scratch.join("compiled") }
}

/// Sources with a placeholder for each secret: those of the server may be in its environment or in files that only it
/// can read, and a plugin that is loaded sends no requests.
fn placeholders(preview: &Preview, scratch: &Path) -> anyhow::Result<BTreeMap<String, CredentialSource>> {
    let file = scratch.join("secret");
    std::fs::write(&file, "placeholder").with_context(|| format!("{} cannot be written", file.display()))?;
    let credentials = preview.requests.credentials.iter();
    let source = |name: &String| (name.clone(), CredentialSource::File(file.clone()));
    Ok(credentials.map(|credential| source(&credential.name)).collect())
}
