//! Settings that are valid and probably a mistake, which a starting server logs.
use std::collections::{BTreeMap, BTreeSet};

use linepress_platform::config::Config;
use linepress_plugin_host::{CredentialSource, Preview, SettingProblem, SettingsSchema, find_folder, own_settings};
use serde_json::Value;
use url::{Host, Url};

/// A sentence about each doubtful setting.
pub(super) fn doubts(config: &Config) -> Vec<String> {
    let mut doubts: Vec<String> = missing_font_folders(config);
    doubts.extend(plain_address(config));
    let installed = configured_plugins(config);
    for (plugin, settings) in &config.plugins {
        let own = active_settings(config, plugin, settings);
        doubts.extend(doubtful_settings(plugin, installed.get(plugin.as_str()), &own));
    }
    for (plugin, sources) in &config.credentials {
        doubts.extend(unusable_credentials(plugin, installed.get(plugin.as_str()), sources));
    }
    doubts
}

/// An installed plugin, or the reason why it is refused, which is logged when the plugins are loaded.
type Installed = Result<Preview, String>;

/// The installed plugins with settings or credentials, each read once, because reading hashes all of its files.
fn configured_plugins(config: &Config) -> BTreeMap<&str, Installed> {
    let configured: BTreeSet<&String> = config.plugins.keys().chain(config.credentials.keys()).collect();
    let installed = configured.into_iter().filter_map(|plugin| {
        let folder = find_folder(&config.plugin_folders(), plugin)?;
        Some((plugin.as_str(), Preview::read(&folder, &config.plugins)))
    });
    installed.collect()
}

/// The settings of a plugin without those that remain for another stored version.
fn active_settings(config: &Config, plugin: &str, settings: &Value) -> Value {
    match find_folder(&config.plugin_folders(), plugin) {
        Some(folder) => own_settings(&folder, settings),
        None => settings.clone(),
    }
}

/// The default folders are not reported: a machine may have only one of them.
fn missing_font_folders(config: &Config) -> Vec<String> {
    let default = Config::default().font_folders;
    let missing = config.font_folders.iter().filter(|folder| !folder.is_dir());
    missing
        .filter(|folder| !default.contains(folder))
        .map(|folder| format!("`font_folders` names {}, which is not a folder", folder.display()))
        .collect()
}

fn plain_address(config: &Config) -> Option<String> {
    let url = Url::parse(&config.public_url).ok()?;
    let is_doubtful = url.scheme() == "http" && url.host().is_some_and(|host| is_public(&host));
    is_doubtful.then(|| {
        let url = &config.public_url;
        format!("`public_url` is {url}: passwords and keys are sent unencrypted. Use https, with a reverse proxy")
    })
}

/// Returns true for a host that is probably on the internet.
fn is_public(host: &Host<&str>) -> bool {
    const PRIVATE_DOMAINS: [&str; 8] = [
        "arpa",
        "home",
        "internal",
        "intranet",
        "lan",
        "local",
        "localhost",
        "test",
    ];
    match host {
        Host::Ipv4(address) => {
            !(address.is_private() || address.is_loopback() || address.is_link_local() || address.is_unspecified())
        }
        Host::Ipv6(address) => {
            !(address.is_unique_local()
                || address.is_loopback()
                || address.is_unicast_link_local()
                || address.is_unspecified())
        }
        Host::Domain(name) => name
            .rsplit_once('.')
            .is_some_and(|(_, last)| !PRIVATE_DOMAINS.contains(&last)),
    }
}

/// The settings of a plugin that its config.json does not allow.
fn doubtful_settings(plugin: &str, installed: Option<&Installed>, settings: &Value) -> Vec<String> {
    let Some(installed) = installed else {
        return vec![format!("`plugins` has settings of {plugin}, which is not installed")];
    };
    let schema = installed.as_ref().ok().and_then(|preview| preview.schema.as_deref());
    let Some(schema) = schema else { return Vec::new() };
    match SettingsSchema::parse(schema) {
        Err(problem) => vec![format!("the settings of {plugin} cannot be checked: {problem}")],
        Ok(schema) => {
            let problems = schema.problems(settings);
            let sentences = problems.iter().map(SettingProblem::sentence);
            sentences
                .map(|problem| format!("{problem}, in [plugins.\"{plugin}\"]"))
                .collect()
        }
    }
}

fn unusable_credentials(
    plugin: &str,
    installed: Option<&Installed>,
    sources: &BTreeMap<String, CredentialSource>,
) -> Vec<String> {
    let Some(installed) = installed else {
        return vec![format!(
            "`credentials` has secrets for {plugin}, which is not installed"
        )];
    };
    let is_requested = |name: &str| match installed {
        Ok(Preview { requests, .. }) => requests.credentials.iter().any(|credential| credential.name == name),
        Err(_) => true,
    };
    let mut doubts = Vec::new();
    for (name, source) in sources {
        if !is_requested(name) {
            doubts.push(format!(
                "`credentials` has {name:?} for {plugin}, which the plugin does not request"
            ));
        } else if let Some(variable) = unset_variable(source) {
            doubts.push(format!(
                "`credentials` takes {name:?} for {plugin} from the environment, where neither {variable} nor {variable}_FILE is set"
            ));
        }
    }
    doubts
}

fn unset_variable(source: &CredentialSource) -> Option<&str> {
    let CredentialSource::Env(name) = source else {
        return None;
    };
    let is_set = |name: &str| std::env::var_os(name).is_some();
    (!is_set(name) && !is_set(&format!("{name}_FILE"))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubtful_setting_is_named() {
        let empty = tempfile::tempdir().unwrap();
        let usual = Config {
            plugins_dir: empty.path().to_owned(),
            public_url: "http://127.0.0.1:8080".into(),
            ..Config::default()
        };
        assert_eq!(doubts(&usual), Vec::<String>::new());
        let source = CredentialSource::Env("NO_SUCH_VARIABLE_OF_A_TEST".into());
        let doubtful = Config {
            public_url: "http://books.example.com".into(),
            font_folders: vec!["/nowhere/fonts".into()],
            plugins: BTreeMap::from([("acme.flux".into(), serde_json::json!({ "model": "a" }))]),
            credentials: BTreeMap::from([("acme.fal".into(), BTreeMap::from([("api_key".into(), source)]))]),
            ..usual
        };
        assert_eq!(
            doubts(&doubtful),
            [
                "`font_folders` names /nowhere/fonts, which is not a folder",
                "`public_url` is http://books.example.com: passwords and keys are sent unencrypted. Use https, with a reverse \
                 proxy",
                "`plugins` has settings of acme.flux, which is not installed",
                "`credentials` has secrets for acme.fal, which is not installed",
            ]
        );
    }

    #[test]
    fn a_private_host_may_use_plain_http() {
        for (url, is_doubtful) in [
            ("http://localhost:8080", false),
            ("http://books", false),
            ("http://books.lan", false),
            ("http://192.168.1.5:8080", false),
            ("http://[::1]:8080", false),
            ("https://books.example.com", false),
            ("http://books.example.com", true),
            ("http://203.0.113.7", true),
        ] {
            let config = Config {
                public_url: url.into(),
                ..Config::default()
            };
            assert_eq!(plain_address(&config).is_some(), is_doubtful, "{url}");
        }
    }
}
