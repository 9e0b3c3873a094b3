//! All settings, parsed once: first from the file, then from `LINEPRESS_*` environment variables.
mod approvals;
mod backup;
mod credentials;
mod database_url;
mod edit;
mod limits;
mod log_filter;
mod mail;
mod object_store;
mod problem;
mod providers;
mod roles;
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

pub use backup::BackupSettings;
pub use edit::{EditError, Edited, LockedFile};
pub use limits::Limits;
pub use log_filter::filter as log_filter;
pub use mail::{MailSettings, MailTls};
pub use object_store::{Bucket, ObjectPlace, S3};
pub use providers::ProviderSettings;
pub use roles::Role;
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
    /// The settings that are passed to plugins, by plugin id.
    pub plugins: BTreeMap<String, serde_json::Value>,
    /// The hosts that plugins may reach, by plugin id.
    pub grants: BTreeMap<String, Grant>,
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
    /// The seconds that making a PDF may take.
    pub print_timeout_seconds: u64,
    /// The memory that making a PDF may take, in MiB.
    pub print_memory_mib: u64,
    /// The hosts from which pictures may be imported although their addresses are private.
    pub import_private_hosts: Vec<String>,
    /// The networks to which nothing is sent although they are public.
    #[serde(deserialize_with = "networks", serialize_with = "shown::as_texts")]
    pub denied_networks: Vec<IpNet>,
    /// The addresses of reverse proxies whose forwarding headers are trusted.
    #[serde(deserialize_with = "networks", serialize_with = "shown::as_texts")]
    pub trusted_proxies: Vec<IpNet>,
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
            bundled_plugins: None,
            font_folders: vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()],
            image_providers: vec!["linepress.sketchbook".into()],
            providers: BTreeMap::new(),
            planner: "linepress.storyboard".into(),
            layout: "linepress.classic".into(),
            plugins: BTreeMap::new(),
            grants: BTreeMap::new(),
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
            print_timeout_seconds: 120,
            print_memory_mib: 2048,
            import_private_hosts: Vec::new(),
            denied_networks: Vec::new(),
            trusted_proxies: Vec::new(),
            sign_in: SignIn::default(),
            mail: MailSettings::default(),
            sign_up: false,
            sign_up_plan: Plan::Free,
            sign_up_credits: 0,
            log: "info,object_store=warn,rmcp=warn".into(),
            log_format: LogFormat::Text,
        }
    }
}

impl Config {
    /// Fills in defaults that depend on other settings, and checks every setting.
    pub fn completed(mut self) -> Result<Self, ConfigError> {
        let wrong = |setting, problem: &str| {
            Err(ConfigError::Wrong {
                setting,
                problem: problem.into(),
            })
        };
        if self.public_url.is_empty() {
            self.public_url = format!("http://{}", self.listen);
        }
        while self.public_url.ends_with('/') {
            self.public_url.pop();
        }
        if let Err(problem) = check_public_url(&self.public_url) {
            return wrong("public_url", problem);
        }
        if self.metrics_listen == Some(self.listen) && self.listen.port() != 0 {
            return wrong(
                "metrics_listen",
                "must differ from `listen`: metrics have a listener of their own",
            );
        }
        if let Err((setting, problem)) = self.traces.check() {
            return wrong(setting, &problem);
        }
        if self.data_dir.as_os_str().is_empty() {
            return wrong("data_dir", "must name a folder");
        }
        if self.database_url.is_empty() {
            self.database_url = format!("sqlite://{}?mode=rwc", self.data_dir.join("linepress.db").display());
        }
        if crate::database::Dialect::of_url(&self.database_url).is_none() {
            return wrong("database_url", "must start with sqlite: or postgres:");
        }
        if let Err(problem) = database_url::check(&self.database_url) {
            return wrong("database_url", &problem);
        }
        if !(1..=1000).contains(&self.database_connections) {
            return wrong("database_connections", "must be 1 to 1000");
        }
        if self.database_wait_seconds > 3600 {
            return wrong("database_wait_seconds", "must be 0 to 3600");
        }
        if let Err(problem) = self.object_place() {
            return wrong("storage_url", problem);
        }
        if let Err((setting, problem)) = self.s3.check() {
            return wrong(setting, &problem);
        }
        let brand_is_fine = |brand: &str| {
            (1..=32).contains(&brand.len()) && brand.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        if !brand_is_fine(&self.brand) {
            return wrong(
                "brand",
                "must be 1 to 32 of A-Z, a-z, 0-9 and -: it becomes a part of header names",
            );
        }
        if let Err((setting, problem)) = self.appearance.check() {
            return wrong(setting, &problem);
        }
        if self.plugins_dir.as_os_str().is_empty() {
            self.plugins_dir = self.usual_plugins_dir();
        }
        if self.workers == 0 {
            self.workers = std::thread::available_parallelism().map_or(2, usize::from);
        }
        if self.workers > 256 {
            return wrong("workers", "must be at most 256");
        }
        if let Err((setting, problem)) = providers::check(&mut self.image_providers, &self.providers) {
            return wrong(setting, &problem);
        }
        if !(2..=3600).contains(&self.lease_seconds) {
            return wrong("lease_seconds", "must be 2 to 3600");
        }
        if !(1..=20).contains(&self.drawing_attempts) {
            return wrong("drawing_attempts", "must be 1 to 20");
        }
        if !(1..=720).contains(&self.outage_patience_hours) {
            return wrong("outage_patience_hours", "must be 1 to 720");
        }
        if !(0..=3600).contains(&self.shutdown_grace_seconds) {
            return wrong("shutdown_grace_seconds", "must be 0 to 3600");
        }
        if !(1..=3600).contains(&self.request_timeout_seconds) {
            return wrong("request_timeout_seconds", "must be 1 to 3600");
        }
        if !(1..=64).contains(&self.import_max_mb) {
            return wrong("import_max_mb", "must be 1 to 64");
        }
        if !(1..=600).contains(&self.import_timeout_seconds) {
            return wrong("import_timeout_seconds", "must be 1 to 600");
        }
        if !(64..=65536).contains(&self.import_memory_mib) {
            return wrong("import_memory_mib", "must be 64 to 65536");
        }
        if let Err(problem) = credentials::check(&self.credentials) {
            return wrong("credentials", &problem);
        }
        if let Err((setting, problem)) = self.backup.check() {
            return wrong(setting, &problem);
        }
        if let Err((setting, problem)) = self.limits.check() {
            return wrong(setting, &problem);
        }
        if !(1..=3600).contains(&self.print_timeout_seconds) {
            return wrong("print_timeout_seconds", "must be 1 to 3600");
        }
        if !(256..=65536).contains(&self.print_memory_mib) {
            return wrong("print_memory_mib", "must be 256 to 65536");
        }
        // An environment variable cannot express an empty list: an empty variable is a list of one empty element.
        self.import_private_hosts.retain(|host| !host.trim().is_empty());
        for host in &mut self.import_private_hosts {
            match linepress_egress::exact_host(host.trim()) {
                Some(exact) => *host = exact,
                None => {
                    let problem = format!("{host:?} must be a single host name or IP address, without patterns");
                    return wrong("import_private_hosts", &problem);
                }
            }
        }
        if let Some(Err((setting, problem))) = self.sign_in.oidc.as_mut().map(Oidc::check) {
            return wrong(setting, &problem);
        }
        if let Err((setting, problem)) = self.mail.check() {
            return wrong(setting, &problem);
        }
        if !(0..=1_000_000_000).contains(&self.sign_up_credits) {
            return wrong("sign_up_credits", "must be 0 to 1000000000");
        }
        if let Err(problem) = log_filter::check(&self.log) {
            return wrong("log", &problem);
        }
        Ok(self)
    }

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

/// Checks the base of every URL in a response: a URL must be able to continue after it, and it must not contain
/// secrets.
fn check_public_url(text: &str) -> Result<(), &'static str> {
    if !(text.starts_with("http://") || text.starts_with("https://")) {
        return Err("must start with http:// or https://");
    }
    let Ok(url) = url::Url::parse(text) else {
        return Err("must be the URL of a server, such as https://books.example.com");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must contain no user and no password: it is part of every response");
    }
    if text.contains(['?', '#']) {
        return Err("must end with its host, without ? and #: paths are added to it");
    }
    if url.path() != "/" {
        return Err(
            "must have no path: browsers and agents find the server only at the root of a host. Give the server its own host name",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(toml: &str) -> Result<Config, ConfigError> {
        Config::read(Path::new("linepress.toml"), toml, std::iter::empty())
    }

    #[test]
    fn the_error_names_an_unknown_setting() {
        let message = parse("lisen = \"0.0.0.0:80\"").expect_err("a typo").to_string();
        assert!(message.contains("lisen"), "{message}");
    }

    #[test]
    fn the_error_names_an_invalid_setting() {
        for (toml, setting) in [
            ("listen = \"here\"", "listen"),
            ("brand = \"my brand\"", "brand"),
            ("[appearance]\nname = \" \"", "appearance.name"),
            ("[appearance]\ncolour = \"#fff\"", "colour"),
            (
                "[appearance]\ncolor = \"blue\"",
                "`appearance.color`: \"blue\" is not a color",
            ),
            (
                "[appearance]\ncolor = \"#808080\"",
                "choose a lighter or a darker color",
            ),
            ("metrics_listen = \"9090\"", "metrics_listen"),
            ("metrics_listen = \"127.0.0.1:8080\"", "metrics_listen"),
            ("database_url = \"mysql://x\"", "database_url"),
            ("storage_url = \"s3://x\"", "`storage_url`: must name a bucket"),
            ("storage_url = \"gs://books\"", "s3://bucket/prefix"),
            ("[s3]\nendpoint = \"minio:9000\"", "s3.endpoint"),
            ("[s3]\nendpoint = \"http://minio:9000\"", "allow_http must be true"),
            ("[s3]\nendpoint = \"https://ada:x@minio\"", "without a user"),
            (
                "[s3]\nendpoint = \"https://10.0.0.5\"\npath_style = false",
                "s3.path_style",
            ),
            ("[s3]\nregion = \"\"", "s3.region"),
            ("[s3]\naccess_key_id = \"a\"", "s3.secret_access_key_file"),
            ("[s3]\nsecret_access_key_file = \"/a\"", "s3.access_key_id"),
            ("[s3]\nsecret_access_key = \"a\"", "secret_access_key_file"),
            ("[s3]\nstall_seconds = 0", "s3.stall_seconds"),
            ("public_url = \"example.com\"", "public_url"),
            ("public_url = \"https://\"", "public_url"),
            ("public_url = \"https://ada:topsecret@example.com\"", "no password"),
            ("public_url = \"https://ada@example.com\"", "no user"),
            ("public_url = \"https://example.com/books?a=1\"", "without ? and #"),
            ("public_url = \"https://example.com#top\"", "without ? and #"),
            ("public_url = \"https://example.com/linepress\"", "must have no path"),
            ("workers = -1", "`workers`: must be a whole number, 0 or more"),
            ("workers = \"two\"", "`workers`: must be a whole number, 0 or more"),
            (
                "lease_seconds = -5",
                "`lease_seconds`: must be a whole number, 0 or more",
            ),
            ("limits.pages = \"many\"", "`limits.pages`: must be a whole number"),
            ("sign_up = \"yes\"", "`sign_up`: must be true or false"),
            ("brand = 5", "`brand`: must be a text in quotes"),
            ("data_dir = 5", "`data_dir`: must be a text in quotes"),
            ("font_folders = \"/fonts\"", "`font_folders`: must be a list, such as"),
            ("limits = 5", "`limits`: must be a table"),
            ("listen = 127.0.0.1:80", "in quotes"),
            ("image_providers = [\"[a\", \"b]\"]", "\"[a\" is not the id of a plugin"),
            ("image_providers = []", "image_providers"),
            ("image_providers = [\"a.b\", \"a.b\"]", "names a.b twice"),
            ("image_provider = \"a.b\"", "image_providers"),
            (
                "[providers.\"a.b\"]\nconcurrency = 0",
                "concurrency of a.b must be 1 to 256",
            ),
            ("[providers.\"a.b\"]\ndeadline_seconds = 1801", "1 to 1800"),
            ("[providers.\"a.b\"]\nper_hour = 1", "per_hour"),
            ("limits.pages = 0", "limits.pages"),
            ("limits.page = 5", "page"),
            ("roles = []", "roles"),
            ("roles = [\"painter\"]", "roles"),
            ("backup.keep = 0", "backup.keep"),
            ("backup.every_hours = 0", "backup.every_hours"),
            ("backup.at = \"25:00\"", "backup.at"),
            (
                "import_private_hosts = [\"https://pictures.intranet\"]",
                "import_private_hosts",
            ),
            ("import_private_hosts = [\"*.intranet\"]", "import_private_hosts"),
            ("trusted_proxies = [\"proxy.intranet\"]", "trusted_proxies"),
            ("[sign_in.oidc]\nclient_id = \"a\"", "issuer"),
            (
                "[sign_in.oidc]\nclient_id = \"a\"\nissuer = \"http://id.example\"",
                "sign_in.oidc.issuer",
            ),
            (
                "[sign_in.oidc]\nclient_id = \"a\"\nissuer = \"https://ada:b@id.example\"",
                "sign_in.oidc.issuer",
            ),
            (
                "[sign_in.oidc]\nclient_id = \"\"\nissuer = \"https://id.example\"",
                "sign_in.oidc.client_id",
            ),
            ("[sign_in.oauth]\n", "oauth"),
            ("[mail]\nhost = \"smtp.example.com\"", "mail.from"),
            ("[mail]\ntls = \"always\"", "mail.tls"),
            ("[mail]\npassword = \"a\"", "password_file"),
            ("sign_up_plan = \"gold\"", "sign_up_plan"),
            ("sign_up_credits = -1", "sign_up_credits"),
            ("log = \"linepress=loud\"", "log"),
        ] {
            let message = parse(toml).expect_err(toml).to_string();
            assert!(message.contains(setting), "{toml}: {message}");
        }
    }

    fn with_variable(name: &str, value: &str) -> Result<Config, ConfigError> {
        let variables = [(name.to_owned(), value.to_owned())];
        Config::read(Path::new("linepress.toml"), "", variables.into_iter())
    }

    #[test]
    fn a_secret_in_the_place_of_its_source_is_not_shown() {
        let advice = "write `{ env = \"NAME\" }` or `{ file = \"PATH\" }`";
        for toml in [
            "credentials = \"sk-123\"",
            "[credentials]\n\"acme.flux\" = \"sk-123\"",
            "[credentials.\"acme.flux\"]\napi_key = \"sk-123\"",
            "[credentials.\"acme.flux\"]\napi_key = [\"sk-123\"]",
            "[credentials.\"acme.flux\"]\napi_key = { sk-123 = \"sk-123\" }",
            "[credentials.\"acme.flux\"]\napi_key = { env = [\"sk-123\"] }",
            "[credentials.\"acme.flux\"]\napi_key = { env = \"sk-123\", file = \"sk-123\" }",
            "[credentials.\"acme.flux\"]\napi_key = { env = \"sk-123\" }",
        ] {
            let message = parse(toml).expect_err(toml).to_string();
            assert!(!message.contains("sk-123"), "{toml}: {message}");
            assert!(
                message.contains("credentials") && message.contains(advice),
                "{toml}: {message}"
            );
        }
        for name in ["LINEPRESS_CREDENTIALS", "LINEPRESS_CREDENTIALS__ACME__API_KEY"] {
            let message = with_variable(name, "sk-123").expect_err(name).to_string();
            assert!(!message.contains("sk-123"), "{message}");
            assert!(message.contains(name) && message.contains(advice), "{message}");
        }
    }

    #[test]
    fn a_secret_of_the_wrong_type_is_not_shown() {
        for (toml, setting) in [
            ("database_url = 123456", "`database_url`"),
            ("database_url = [\"123456\"]", "`database_url`"),
            ("plugins = \"123456\"", "`plugins`"),
            (
                "[sign_in.oidc]\nissuer = \"https://id.example\"\nclient_id = \"a\"\nclient_secret = 123456",
                "`sign_in.oidc.client_secret`",
            ),
            ("[sign_in]\noidc = \"123456\"", "`sign_in.oidc`"),
        ] {
            let message = parse(toml).expect_err(toml).to_string();
            assert!(
                !message.contains("123456") && message.contains(setting),
                "{toml}: {message}"
            );
        }
    }

    #[test]
    fn an_invalid_variable_is_named() {
        for (name, value, problem) in [
            ("LINEPRESS_WORKERS", "two", "must be a whole number"),
            ("LINEPRESS_LISTEN", "here", "is not an IP address with a port"),
            ("LINEPRESS_SIGN_UP", "perhaps", "must be true or false"),
            ("LINEPRESS_LIMITS__PAGES", "many", "must be a whole number"),
        ] {
            let message = with_variable(name, value).expect_err(name).to_string();
            let begin = format!("the environment variable {name}: ");
            assert!(message.starts_with(&begin) && message.contains(problem), "{message}");
        }
    }

    #[test]
    fn the_variable_of_the_providers_preserves_their_order() {
        for value in [
            "acme.flux, linepress.sketchbook",
            "[\"acme.flux\", \"linepress.sketchbook\"]",
        ] {
            let config = with_variable("LINEPRESS_IMAGE_PROVIDERS", value).expect(value);
            assert_eq!(config.image_providers, ["acme.flux", "linepress.sketchbook"]);
        }
        let message = with_variable("LINEPRESS_IMAGE_PROVIDERS", "[acme.flux]")
            .expect_err("brackets")
            .to_string();
        assert!(
            message.contains("\"[acme.flux]\" is not the id of a plugin"),
            "{message}"
        );
    }

    #[test]
    fn a_node_has_the_roles_of_its_setting() {
        assert!(
            Role::ALL
                .iter()
                .all(|role| parse("").expect("no setting").has_role(*role))
        );
        let worker = parse("roles = [\"worker\"]").expect("one role");
        assert!(worker.has_role(Role::Worker) && !worker.has_role(Role::Api));
        for (value, roles) in [("api", vec![Role::Api]), ("worker, api", vec![Role::Worker, Role::Api])] {
            assert_eq!(with_variable("LINEPRESS_ROLES", value).expect(value).roles, roles);
        }
        for value in ["", "painter"] {
            let message = with_variable("LINEPRESS_ROLES", value).expect_err(value).to_string();
            assert!(
                message.contains("LINEPRESS_ROLES") && message.contains("api"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_variable_holds_a_list_with_commas() {
        for (value, expected) in [
            ("", vec![]),
            ("pictures.intranet", vec!["pictures.intranet"]),
            ("Pictures.Intranet., 10.0.0.5", vec!["pictures.intranet", "10.0.0.5"]),
        ] {
            let variables = [("LINEPRESS_IMPORT_PRIVATE_HOSTS", value), ("LINEPRESS_BRAND", "A")];
            let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let config = Config::read(Path::new("linepress.toml"), "", variables.into_iter()).expect(value);
            assert_eq!(config.import_private_hosts, expected, "{value}");
            assert_eq!(config.brand, "A");
        }
    }

    #[test]
    fn the_example_file_contains_every_setting_with_its_default() {
        let example = parse(include_str!("../../../../../linepress.example.toml")).expect("the example is valid");
        let default = Config::default().completed().expect("the defaults are valid");
        assert_eq!(format!("{example:?}"), format!("{default:?}"));
    }
}
