//! The checks of a version that is to be installed, and its permissions for the operator.
use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use linepress_platform::config::Config;
use linepress_plugin_host::{CredentialSource, Preview, find_folder, id_in};
use linepress_registry::{PublicKey, Release, Store, changes, looks_like};
use linepress_terminal::{one_line, print_line};

use super::activate;

/// Checks the publisher's signature, and that the key is the one of the first installation.
pub(super) fn check_publisher(
    config: &Config,
    store: &Store,
    release: &Release,
    announced: Option<&PublicKey>,
) -> anyhow::Result<()> {
    let Release {
        id, version, publisher, ..
    } = release;
    release.check_signature()?;
    if let Some(announced) = announced {
        if *announced != publisher.key {
            bail!(
                "{id} {version} is signed with the key {}, which is not the one that you named: do not install it",
                publisher.key
            );
        }
        return Ok(());
    }
    match activate::known_key(config, store, id)? {
        Some(known) if known != publisher.key.to_string() => bail!(
            "{id} {version} is signed with another key than before: {} instead of {known}. Another person may have published it. \
             If the publisher announced the new key, and you can verify that, add --publisher-key {}",
            publisher.key,
            publisher.key
        ),
        _ => Ok(()),
    }
}

/// Fails if an installed plugin has an id that a person could take for this one.
pub(super) fn refuse_lookalikes(config: &Config, id: &str) -> anyhow::Result<()> {
    for folder in config.plugin_folders() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut ids = entries.filter_map(|entry| id_in(&entry.path()).ok());
        let Some(other) = ids.find(|other| looks_like(other, id)) else {
            continue;
        };
        if config.bundled_plugins.as_deref() == Some(folder) {
            bail!(
                "{id} looks like {other}, which the program contains: it may be an imitation, and is not installed by name. To \
                 use it all the same, unpack its archive into {}",
                config.plugins_dir.display()
            );
        }
        bail!(
            "{id} looks like {other}, which is installed: it may be an imitation. To use it all the same, remove {other} first"
        );
    }
    Ok(())
}

/// Prints where the version comes from and what it asks for, the permissions last. `old` is the active version, if what
/// it asks for was granted; `sources` are those that the operator has just named.
pub(super) fn show(
    config: &Config,
    release: &Release,
    new: &Preview,
    old: Option<&Preview>,
    sources: &BTreeMap<String, CredentialSource>,
) {
    let Release { id, publisher, .. } = release;
    print_line!("{id} {}\t{}", new.version, new.world);
    print_line!("from\t{} ({})", one_line(&publisher.name), publisher.key);
    print_line!("digest\t{}", new.digest);
    if let Some(bundled) = &config.bundled_plugins
        && find_folder(&[bundled], id).is_some()
    {
        print_line!("replaces\tthe plugin with this id that the program contains");
    }
    match old {
        None => show_all(new),
        Some(old) => show_changes(old, new),
    }
    show_sources(config, new, old, sources);
}

fn show_all(new: &Preview) {
    if let Some(variant) = &new.variant {
        print_line!("variant\tof {}, with the name {}", variant.of, one_line(&variant.name));
    }
    print_line!("limits\t{}", new.limits.lines().join(", "));
    for request in new.requests.lines() {
        print_line!("asks\t{}", one_line(&request));
    }
    if new.requests.is_empty() {
        print_line!("asks\tfor nothing: it has no access to the network");
    }
}

fn show_changes(old: &Preview, new: &Preview) {
    print_line!("replaces\t{}", old.version);
    let changes = changes(old, new);
    for change in &changes {
        print_line!("{}", one_line(change));
    }
    if changes.is_empty() {
        print_line!("It asks for what {} asks for, and has the same settings.", old.version);
    }
}

/// Prints the source of each credential that the active version does not use: another plugin with this id may have left
/// one in the settings file.
fn show_sources(config: &Config, new: &Preview, old: Option<&Preview>, sources: &BTreeMap<String, CredentialSource>) {
    let credentials = |preview: &Preview| -> BTreeSet<String> {
        let credentials = preview.requests.credentials.iter();
        credentials.map(|credential| credential.name.clone()).collect()
    };
    let used = old.map(credentials).unwrap_or_default();
    for name in credentials(new).difference(&used) {
        let before = config.credentials.get(&new.id).and_then(|sources| sources.get(name));
        let source = match (sources.get(name), before) {
            (Some(named), _) => described(named),
            (None, Some(before)) => format!("{}, which the settings file already contains", described(before)),
            (None, None) => format!("none; add --credential {name}=SOURCE"),
        };
        print_line!("source\t{name}: {}", one_line(&source));
    }
}

fn described(source: &CredentialSource) -> String {
    match source {
        CredentialSource::Env(variable) => format!("env:{variable}"),
        CredentialSource::File(path) => format!("file:{}", path.display()),
    }
}
