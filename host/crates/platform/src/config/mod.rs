//! All settings, parsed once: first from the file, then from `LINEPRESS_*` environment variables.
mod approvals;
mod attempts;
mod backup;
mod bin;
mod check;
mod choice;
mod credentials;
mod database_url;
mod edit;
mod limits;
mod live;
mod log_filter;
mod mail;
mod object_store;
mod oci;
mod plugin_index;
mod problem;
mod providers;
mod roles;
mod screening;
mod shown;
mod sign_in;
mod source;
mod traces;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ipnet::IpNet;
use linepress_plugin_host::{CredentialSource, Grant};
use serde::{Deserialize, Deserializer, Serialize};

pub use attempts::AttemptSettings;
pub use backup::BackupSettings;
pub use bin::BinSettings;
pub use choice::{PluginChoice, SettingChanges, changed_settings};
pub use edit::{EditError, Edited, LockedFile};
pub use limits::Limits;
pub use live::LIVE_SETTINGS;
pub use log_filter::filter as log_filter;
pub use mail::{MailSettings, MailTls};
pub use object_store::{Bucket, ObjectPlace, S3};
pub use oci::OciRegistrySettings;
pub use plugin_index::PluginIndexSettings;
pub use providers::{MAX_PROVIDERS, ProviderSettings, TEST_PROVIDER};
pub use roles::Role;
pub use screening::{BlockedWords, OnReviewFailure};
pub use shown::{Given, Setting, SettingSource, masked};
pub use sign_in::{Oidc, SignIn};
pub use source::ConfigError;
pub use traces::TraceSettings;

use crate::appearance::AppearanceSettings;
use crate::subscription::Plan;

/// The settings of one server. `linepress.example.toml` explains each.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The file that `load` read, or that it would have read if it existed. It is not a setting.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The settings that were given when `load` read them. It is not a setting.
    #[serde(skip)]
    pub given: Given,
    /// The parts of the server's work that this node does.
    #[serde(deserialize_with = "roles::roles")]
    pub roles: Vec<Role>,
    /// The address on which the server listens.
    #[serde(deserialize_with = "listen_address")]
    pub listen: SocketAddr,
    /// The address on which the server offers its metrics; `None` for no metrics.
    #[serde(deserialize_with = "optional_address")]
    pub metrics_listen: Option<SocketAddr>,
    /// The collector to which traces are sent.
    pub traces: TraceSettings,
    /// The URL at which clients reach the server, without a slash at the end. The base of every URL in a response.
    pub public_url: String,
    /// The folder for all data without its own setting: database, objects, compiled plugins, and incoming files.
    pub data_dir: PathBuf,
    /// A `sqlite:` or `postgres:` URL; a SQLite file in `data_dir` when empty.
    #[serde(serialize_with = "shown::without_secrets")]
    pub database_url: String,
    /// The number of connections to the database.
    pub database_connections: u32,
    /// The seconds for which a starting server waits for a database server that is not available yet.
    pub database_wait_seconds: u64,
    /// A `file:///folder` or `s3://bucket/prefix` URL; the folder `objects` in `data_dir` when empty.
    pub storage_url: String,
    /// The server of S3 buckets.
    pub s3: S3,
    /// The backups that the server makes.
    pub backup: BackupSettings,
    /// The word in the names of the `X-<brand>-*` headers.
    pub brand: String,
    /// The name, logo and accent color of the web pages.
    pub appearance: AppearanceSettings,
    /// The folder with one subfolder per plugin; `plugins.d` in `data_dir` when empty.
    pub plugins_dir: PathBuf,
    /// The registry from which plugins are installed by name.
    pub plugin_index: PluginIndexSettings,
    /// The access to registries of containers from which plugins are installed, by host.
    pub oci_registries: BTreeMap<String, OciRegistrySettings>,
    /// The folder of the plugins that the program contains. It is not a setting: the program adds it.
    #[serde(skip)]
    pub bundled_plugins: Option<PathBuf>,
    /// The folders in which fonts are searched for characters that the fonts of a layout lack.
    pub font_folders: Vec<PathBuf>,
    /// The image provider plugins in order of preference: the first that can draw the picture and is not paused or busy
    /// draws it.
    pub image_providers: Vec<String>,
    /// The settings of each image provider, by plugin id.
    pub providers: BTreeMap<String, ProviderSettings>,
    /// The plugin that plans books.
    pub planner: String,
    /// The plugin that lays out books.
    pub layout: String,
    /// The plugin that reviews prompts and pictures; none when empty.
    pub reviewer: String,
    /// What happens to a drawing that the reviewer cannot review.
    pub reviewer_on_failure: OnReviewFailure,
    /// The words that no prompt may contain.
    pub blocked_words: BlockedWords,
    /// The settings that are passed to plugins, by plugin id.
    pub plugins: BTreeMap<String, serde_json::Value>,
    /// True if a version of a plugin whose first calls fail is replaced by the version before. It is the setting
    /// `plugins.rollback_on_failure`: the check of the settings takes it from `plugins`.
    #[serde(skip)]
    pub rollback_on_failure: bool,
    /// The hosts that plugins may reach, by plugin id.
    pub grants: BTreeMap<String, Grant>,
    /// The keys of the publishers of plugins that were installed by name, by plugin id. Another key is refused.
    pub publishers: BTreeMap<String, String>,
    /// The sources of the secrets that the server adds to requests of plugins, by plugin id and by the name in the
    /// manifest.
    pub credentials: BTreeMap<String, BTreeMap<String, CredentialSource>>,
    /// The number of drawings that are computed on this machine at a time; one per core when 0.
    pub workers: usize,
    /// The seconds after which the drawing of a silent worker is given to another one.
    pub lease_seconds: u64,
    /// The number of attempts after which a drawing has failed.
    pub drawing_attempts: i64,
    /// The hours for which a drawing may be postponed while its provider is down or limits its rate.
    pub outage_patience_hours: u64,
    /// The seconds that running drawings have to end after the server is asked to stop.
    pub shutdown_grace_seconds: u64,
    /// The seconds that a request may take, from its first byte to its response.
    pub request_timeout_seconds: u64,
    /// The size limit of a picture that a client sends, in megabytes.
    pub import_max_mb: u64,
    /// The seconds that reading such a picture may take.
    pub import_timeout_seconds: u64,
    /// The memory for all pictures that are being read at a time, in MiB.
    pub import_memory_mib: u32,
    /// The limits of one account.
    pub limits: Limits,
    /// The number and age of the earlier pictures that are stored.
    pub attempts: AttemptSettings,
    /// The number and age of the deleted books and pages that can be restored.
    pub bin: BinSettings,
    /// The seconds that making a PDF may take.
    pub print_timeout_seconds: u64,
    /// The memory that making a PDF may take, in MiB.
    pub print_memory_mib: u64,
    /// The hosts from which pictures may be imported although their addresses are private.
    pub import_private_hosts: Vec<String>,
    /// The hosts of webhooks whose addresses may be private.
    pub webhook_private_hosts: Vec<String>,
    /// The networks to which nothing is sent although they are public.
    #[serde(deserialize_with = "networks", serialize_with = "shown::as_texts")]
    pub denied_networks: Vec<IpNet>,
    /// The addresses of reverse proxies whose forwarding headers are trusted.
    #[serde(deserialize_with = "networks", serialize_with = "shown::as_texts")]
    pub trusted_proxies: Vec<IpNet>,
    /// True if agents may use the MCP interface with an API key in place of an access token.
    pub mcp_api_keys: bool,
    /// True if people may create their own accounts.
    pub sign_up: bool,
    /// The plan of a new account that was created by sign-up.
    pub sign_up_plan: Plan,
    /// The credits of a new account that was created by sign-up.
    pub sign_up_credits: i64,
    /// The ways to sign in other than passwords.
    pub sign_in: SignIn,
    /// The mail server to which the server hands its mails.
    pub mail: MailSettings,
    /// The log filter: a level, or directives of tracing's `EnvFilter`.
    pub log: String,
    /// `text` or `json`.
    pub log_format: LogFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

fn listen_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    parse_address(&String::deserialize(deserializer)?)
}

fn optional_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    parse_address(&text).map(Some)
}

fn parse_address<E: serde::de::Error>(text: &str) -> Result<SocketAddr, E> {
    text.parse().map_err(|_| {
        let problem = format!("{text:?} is not an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080");
        E::custom(problem)
    })
}

fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    // An environment variable cannot express an empty list: an empty variable is a list of one empty element.
    let texts = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let network = |text: &str| {
        let address = text.parse::<IpAddr>().map(IpNet::from);
        address.or_else(|_| text.parse()).map_err(|_| {
            let problem = format!("{text:?} is not an IP address or network, such as 127.0.0.1 or 10.0.0.0/8");
            serde::de::Error::custom(problem)
        })
    };
    texts.map(network).collect()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            file: None,
            given: Given::default(),
            roles: Role::ALL.to_vec(),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            metrics_listen: None,
            traces: TraceSettings::default(),
            public_url: String::new(),
            data_dir: "data".into(),
            database_url: String::new(),
            database_connections: 8,
            database_wait_seconds: 60,
            storage_url: String::new(),
            s3: S3::default(),
            backup: BackupSettings::default(),
            brand: "Service".into(),
            appearance: AppearanceSettings::default(),
            plugins_dir: PathBuf::new(),
            plugin_index: PluginIndexSettings::default(),
            oci_registries: BTreeMap::new(),
            bundled_plugins: None,
            font_folders: vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()],
            image_providers: vec!["linepress.sketchbook".into(), "linepress.photo".into()],
            providers: BTreeMap::new(),
            planner: "linepress.storyboard".into(),
            layout: "linepress.classic".into(),
            reviewer: String::new(),
            reviewer_on_failure: OnReviewFailure::default(),
            blocked_words: BlockedWords::default(),
            plugins: BTreeMap::new(),
            rollback_on_failure: false,
            grants: BTreeMap::new(),
            publishers: BTreeMap::new(),
            credentials: BTreeMap::new(),
            workers: 0,
            lease_seconds: 20,
            drawing_attempts: 8,
            outage_patience_hours: 24,
            shutdown_grace_seconds: 30,
            request_timeout_seconds: 180,
            import_max_mb: 32,
            import_timeout_seconds: 30,
            import_memory_mib: 192,
            limits: Limits::default(),
            attempts: AttemptSettings::default(),
            bin: BinSettings::default(),
            print_timeout_seconds: 120,
            print_memory_mib: 2048,
            import_private_hosts: Vec::new(),
            webhook_private_hosts: Vec::new(),
            denied_networks: Vec::new(),
            trusted_proxies: Vec::new(),
            sign_in: SignIn::default(),
            mail: MailSettings::default(),
            mcp_api_keys: false,
            sign_up: false,
            sign_up_plan: Plan::Free,
            sign_up_credits: 0,
            log: "info,object_store=warn,rmcp=warn".into(),
            log_format: LogFormat::Text,
        }
    }
}

impl Config {
    /// Returns true if this node does this part of the work.
    pub fn has_role(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// The settings of an image provider.
    pub fn provider(&self, id: &str) -> ProviderSettings {
        self.providers.get(id).copied().unwrap_or_default()
    }

    /// The number of calls that this provider accepts at a time: by default one per worker for a provider that
    /// computes, and a fixed number for one that waits for the network.
    pub fn concurrency(&self, id: &str, uses_network: bool) -> usize {
        const NETWORK_CALLS: usize = 4;
        match self.provider(id).concurrency {
            Some(calls) => calls as usize,
            None if uses_network => NETWORK_CALLS,
            None => self.workers,
        }
    }

    pub fn lease(&self) -> Duration {
        Duration::from_secs(self.lease_seconds)
    }

    pub fn database_wait(&self) -> Duration {
        Duration::from_secs(self.database_wait_seconds)
    }

    /// The wait limit of functions that return their own error when it expires: nine tenths of the request's time
    /// limit, after which the client only gets a generic one.
    pub fn response_limit(&self) -> Duration {
        Duration::from_secs(self.request_timeout_seconds) * 9 / 10
    }

    pub fn outage_patience(&self) -> Duration {
        Duration::from_secs(self.outage_patience_hours * 3600)
    }

    pub fn shutdown_grace(&self) -> Duration {
        Duration::from_secs(self.shutdown_grace_seconds)
    }

    /// The folder `plugins.d` in `data_dir`, which is the default of `plugins_dir`.
    pub fn usual_plugins_dir(&self) -> PathBuf {
        self.data_dir.join("plugins.d")
    }

    /// The folders with one subfolder per plugin. A plugin in the first replaces one with the same id in the second.
    pub fn plugin_folders(&self) -> Vec<&Path> {
        let bundled = self.bundled_plugins.as_deref();
        [self.plugins_dir.as_path()].into_iter().chain(bundled).collect()
    }

    /// The place of the object store; the error says what is wrong with `storage_url`.
    pub fn object_place(&self) -> Result<ObjectPlace, &'static str> {
        match &*self.storage_url {
            "" => Ok(ObjectPlace::Folder(self.data_dir.join("objects"))),
            url => ObjectPlace::parse(url),
        }
    }

    /// The S3 server of buckets with backups.
    pub fn s3_of_backups(&self) -> &S3 {
        self.backup.s3.as_ref().unwrap_or(&self.s3)
    }

    /// The folder for files that are being received. They have no names and disappear with the server process.
    pub fn incoming_dir(&self) -> PathBuf {
        self.data_dir.join("incoming")
    }

    /// The size limit of a picture that a client sends, in bytes.
    pub fn import_limit(&self) -> u64 {
        self.import_max_mb * 1_000_000
    }

    /// The URL of the MCP endpoint, which is also the audience of its tokens.
    pub fn mcp_url(&self) -> String {
        format!("{}/mcp", self.public_url)
    }

    /// The base URL of the REST interface.
    pub fn base_url(&self) -> String {
        format!("{}/api/v1", self.public_url)
    }
}

#[cfg(test)]
mod tests;
