//! The checks of settings, and the defaults that depend on other settings.
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use linepress_registry::PublicKey;
use serde_json::Value;

use super::{Config, ConfigError, Oidc, credentials, database_url, log_filter, oci, providers};
use crate::database::Dialect;

/// The name of the setting of all plugins in the table `plugins`. It is not the id of a plugin, which has no
/// underscore.
pub(super) const ROLLBACK_ON_FAILURE: &str = "rollback_on_failure";

/// The name of an invalid setting, and the problem.
type Problem = (&'static str, String);

impl Config {
    /// Fills in defaults that depend on other settings, and checks every setting.
    pub fn completed(mut self) -> Result<Self, ConfigError> {
        self.complete();
        match self.take_rollback_on_failure().and_then(|()| self.check()) {
            Ok(()) => Ok(self),
            Err((setting, problem)) => Err(ConfigError::Wrong { setting, problem }),
        }
    }

    /// Takes the setting of all plugins from the table that otherwise has one table for each plugin.
    fn take_rollback_on_failure(&mut self) -> Result<(), Problem> {
        match self.plugins.remove(ROLLBACK_ON_FAILURE) {
            None => Ok(()),
            Some(Value::Bool(truth)) => {
                self.rollback_on_failure = truth;
                Ok(())
            }
            Some(_) => Err(("plugins.rollback_on_failure", "must be true or false".into())),
        }
    }

    fn complete(&mut self) {
        if self.public_url.is_empty() {
            self.public_url = format!("http://{}", self.listen);
        }
        while self.public_url.ends_with('/') {
            self.public_url.pop();
        }
        if self.database_url.is_empty() {
            self.database_url = format!("sqlite://{}?mode=rwc", self.data_dir.join("linepress.db").display());
        }
        if self.plugins_dir.as_os_str().is_empty() {
            self.plugins_dir = self.usual_plugins_dir();
        }
        if self.workers == 0 {
            self.workers = std::thread::available_parallelism().map_or(2, usize::from);
        }
        // An environment variable cannot express an empty list: an empty variable is a list of one empty element.
        self.import_private_hosts.retain(|host| !host.trim().is_empty());
        self.webhook_private_hosts.retain(|host| !host.trim().is_empty());
        self.plugin_index.private_hosts.retain(|host| !host.trim().is_empty());
        self.plugin_index.public_keys.retain(|key| !key.trim().is_empty());
        self.blocked_words.remove_empty();
    }

    fn check(&mut self) -> Result<(), Problem> {
        self.check_addresses()?;
        self.check_storage()?;
        self.check_names()?;
        self.check_numbers()?;
        check_private_hosts("import_private_hosts", &mut self.import_private_hosts)?;
        check_private_hosts("webhook_private_hosts", &mut self.webhook_private_hosts)?;
        check_private_hosts("plugin_index.private_hosts", &mut self.plugin_index.private_hosts)?;
        check_publishers(&self.publishers)?;
        credentials::check(&self.credentials).map_err(|problem| ("credentials", problem))?;
        oci::check(&self.oci_registries).map_err(|problem| ("oci_registries", problem))?;
        log_filter::check(&self.log).map_err(|problem| ("log", problem))?;
        providers::check(&mut self.image_providers, &self.providers)?;
        self.sign_in.oidc.as_mut().map_or(Ok(()), Oidc::check)?;
        self.appearance.check()?;
        self.attempts.check()?;
        self.bin.check()?;
        self.backup.check()?;
        self.blocked_words.check()?;
        self.limits.check()?;
        self.mail.check()?;
        self.plugin_index.check()?;
        self.s3.check()?;
        self.traces.check()
    }

    fn check_addresses(&self) -> Result<(), Problem> {
        check_public_url(&self.public_url).map_err(|problem| ("public_url", problem.into()))?;
        if self.metrics_listen == Some(self.listen) && self.listen.port() != 0 {
            let problem = "must differ from `listen`: metrics have a listener of their own";
            return Err(("metrics_listen", problem.into()));
        }
        Ok(())
    }

    fn check_storage(&self) -> Result<(), Problem> {
        if self.data_dir.as_os_str().is_empty() {
            return Err(("data_dir", "must name a folder".into()));
        }
        if Dialect::of_url(&self.database_url).is_none() {
            return Err(("database_url", "must start with sqlite: or postgres:".into()));
        }
        database_url::check(&self.database_url).map_err(|problem| ("database_url", problem))?;
        match self.object_place() {
            Ok(_) => Ok(()),
            Err(problem) => Err(("storage_url", problem.into())),
        }
    }

    fn check_names(&self) -> Result<(), Problem> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !(1..=32).contains(&self.brand.len()) || !self.brand.bytes().all(is_word) {
            let problem = "must be 1 to 32 of A-Z, a-z, 0-9 and -: it becomes a part of header names";
            return Err(("brand", problem.into()));
        }
        Ok(())
    }

    fn check_numbers(&self) -> Result<(), Problem> {
        within("database_connections", self.database_connections, 1..=1000)?;
        within("database_wait_seconds", self.database_wait_seconds, 0..=3600)?;
        within("workers", self.workers, 0..=256)?;
        within("lease_seconds", self.lease_seconds, 2..=3600)?;
        within("drawing_attempts", self.drawing_attempts, 1..=20)?;
        within("outage_patience_hours", self.outage_patience_hours, 1..=720)?;
        within("shutdown_grace_seconds", self.shutdown_grace_seconds, 0..=3600)?;
        within("request_timeout_seconds", self.request_timeout_seconds, 1..=3600)?;
        within("import_max_mb", self.import_max_mb, 1..=64)?;
        within("import_timeout_seconds", self.import_timeout_seconds, 1..=600)?;
        within("import_memory_mib", self.import_memory_mib, 64..=65_536)?;
        within("print_timeout_seconds", self.print_timeout_seconds, 1..=3600)?;
        within("print_memory_mib", self.print_memory_mib, 256..=65_536)?;
        within("sign_up_credits", self.sign_up_credits, 0..=1_000_000_000)
    }
}

/// Checks hosts and brings them into their usual form.
fn check_private_hosts(setting: &'static str, hosts: &mut [String]) -> Result<(), Problem> {
    for host in hosts {
        match linepress_egress::exact_host(host.trim()) {
            Some(exact) => *host = exact,
            None => {
                let problem = format!("{host:?} must be a single host name or IP address, without patterns");
                return Err((setting, problem));
            }
        }
    }
    Ok(())
}

/// Checks the keys of publishers: a key that was changed by mistake would refuse every version.
fn check_publishers(publishers: &BTreeMap<String, String>) -> Result<(), Problem> {
    for (plugin, key) in publishers {
        if let Err(problem) = key.parse::<PublicKey>() {
            return Err(("publishers", format!("the key of {plugin} {problem}")));
        }
    }
    Ok(())
}

/// Checks that a number is in its range.
fn within<N: PartialOrd + std::fmt::Display>(
    setting: &'static str,
    number: N,
    range: RangeInclusive<N>,
) -> Result<(), Problem> {
    if range.contains(&number) {
        return Ok(());
    }
    Err((setting, format!("must be {} to {}", range.start(), range.end())))
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
