//! The registries of containers from which plugins are installed by name.
use std::collections::BTreeMap;

use linepress_egress::{Dialer, Origin};
use linepress_plugin_host::CredentialSource;
use linepress_registry::{Login, OciAccess, OciPlace, exact_oci_host};
use serde::{Deserialize, Serialize};

use super::{Config, credentials};

/// The table `[oci_registries."<host>"]`: the access to one registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct OciRegistrySettings {
    /// The user; anonymous when empty.
    pub username: String,
    /// The source of the user's password or token.
    pub password: Option<CredentialSource>,
    /// True if the registry may have private addresses.
    pub private: bool,
    /// True if the registry is reached over plain http, which only one with `private` may be.
    pub plain_http: bool,
}

impl OciRegistrySettings {
    fn scheme(&self) -> &'static str {
        if self.plain_http { "http" } else { "https" }
    }

    fn login(&self, host: &str) -> Result<Option<Login>, String> {
        let Some(source) = self.password.as_ref().filter(|_| !self.username.is_empty()) else {
            return Ok(None);
        };
        let password = source.read();
        let password = password.map_err(|problem| format!("the password in [oci_registries.\"{host}\"] {problem}"))?;
        Ok(Some(Login {
            username: self.username.clone(),
            password,
            is_from_command_line: false,
        }))
    }
}

/// Checks the table of each registry. The error does not contain a password that was written in the place of its
/// source.
pub(super) fn check(registries: &BTreeMap<String, OciRegistrySettings>) -> Result<(), String> {
    for (host, settings) in registries {
        match exact_oci_host(host) {
            Some(exact) if exact == *host => {}
            Some(exact) => return Err(format!("{host:?} must be written as {exact:?}")),
            None => {
                return Err(format!(
                    "{host:?} must be a host with an optional port, such as \"ghcr.io\" or \"registry.intranet:5000\""
                ));
            }
        }
        if settings.username.is_empty() != settings.password.is_none() {
            return Err(format!("{host} must have `username` and `password` or neither"));
        }
        if settings.plain_http && !settings.private {
            return Err(format!(
                "{host} has `plain_http`, which needs `private = true`: without encryption, a registry must be in a private network"
            ));
        }
        if let Some(source) = &settings.password {
            credentials::check_source(format_args!("password of {host}"), source)?;
        }
    }
    Ok(())
}

impl Config {
    /// The access to the registry of a repository, with the password that the settings name.
    pub fn oci_access(&self, place: &OciPlace) -> Result<OciAccess, String> {
        let private = self.oci_registries.iter().filter(|(_, settings)| settings.private);
        let private = private.filter_map(|(host, settings)| {
            let origin = Origin::parse(&format!("{}://{host}", settings.scheme()));
            origin.ok()
        });
        let own = self.oci_registries.get(place.host());
        Ok(OciAccess {
            login: own.map_or(Ok(None), |settings| settings.login(place.host()))?,
            is_plain_http: own.is_some_and(|settings| settings.plain_http),
            private: private.collect(),
        })
    }

    /// A dialer for registries, whose clients decide which addresses may be private.
    pub fn oci_dialer(&self) -> Dialer {
        Dialer::system(self.denied_networks.clone())
    }
}
