//! The ways to sign in other than passwords.
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};
use url::Url;

/// The table `sign_in`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SignIn {
    /// The OpenID Connect provider; `None` when only passwords are used.
    pub oidc: Option<Oidc>,
}

/// An OpenID Connect provider through which accounts sign in.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    /// The issuer's URL, exactly as the provider writes it.
    #[serde(serialize_with = "super::shown::without_secrets")]
    pub issuer: String,
    /// The id of this server at the provider.
    pub client_id: String,
    /// The client secret; empty when it is in a file, or when this server is a public client of the provider.
    #[serde(default)]
    pub client_secret: SecretText,
    /// The path of a file that contains only the secret.
    #[serde(default)]
    pub client_secret_file: PathBuf,
    /// The label of the sign-in button.
    #[serde(default = "name")]
    pub name: String,
    /// True if a person without an account gets one at the first sign-in.
    #[serde(default)]
    pub new_accounts: bool,
    /// Hosts of the provider that may have private addresses.
    #[serde(default)]
    pub private_hosts: Vec<String>,
}

/// A secret in the settings, which is never logged.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct SecretText(String);

impl SecretText {
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.0.is_empty() { "" } else { "(secret)" })
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretText(..)")
    }
}

fn name() -> String {
    "single sign-on".into()
}

impl Oidc {
    /// Checks and normalizes the settings; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&mut self) -> Result<(), (&'static str, String)> {
        let wrong = |setting, problem: &str| Err((setting, problem.to_owned()));
        let issuer = Url::parse(&self.issuer).ok();
        let fits = |url: Url| {
            let has_user = !url.username().is_empty() || url.password().is_some();
            let is_whole = !has_user && url.query().is_none() && url.fragment().is_none();
            url.scheme() == "https" && url.port().is_none() && is_whole
        };
        if !issuer.is_some_and(fits) {
            return wrong(
                "sign_in.oidc.issuer",
                "must be an https:// URL on port 443, without a user, ? and #",
            );
        }
        if self.client_id.is_empty() {
            return wrong("sign_in.oidc.client_id", "must not be empty");
        }
        if !self.client_secret.expose().is_empty() && !self.client_secret_file.as_os_str().is_empty() {
            return wrong(
                "sign_in.oidc.client_secret_file",
                "must be empty when client_secret is not",
            );
        }
        if self.name.trim().is_empty() || self.name.chars().count() > 60 || self.name.contains(char::is_control) {
            return wrong("sign_in.oidc.name", "must be 1 to 60 characters in one line");
        }
        self.private_hosts.retain(|host| !host.trim().is_empty());
        for host in &mut self.private_hosts {
            match linepress_egress::exact_host(host.trim()) {
                Some(exact) => *host = exact,
                None => {
                    let problem = format!("{host:?} must be a single host name or IP address, without patterns");
                    return Err(("sign_in.oidc.private_hosts", problem));
                }
            }
        }
        Ok(())
    }
}
