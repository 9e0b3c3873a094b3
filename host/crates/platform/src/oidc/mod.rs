//! The client of an OpenID Connect provider: its discovery document, its tokens, and the claims that it makes about a
//! person. Knows no accounts.
mod discovery;
mod id_token;
mod secret;
mod token;

use ipnet::IpNet;
use linepress_egress::{Fetcher, RefusalCounts};
use tokio::sync::Mutex;

use crate::config::Oidc;
use crate::error::chain;

use discovery::Discovered;

pub use id_token::{Expected, Person, read as read_id_token};
pub use secret::check as check_secret;
pub use token::client;

/// The size limit of the provider's responses.
const MAX_RESPONSE_BYTES: u64 = 256 * 1024;

/// The client for requests to the provider, and its cached metadata.
pub struct Provider {
    fetcher: Fetcher,
    discovered: Mutex<Option<Discovered>>,
}

impl Provider {
    pub fn new(fetcher: Fetcher) -> Self {
        Self {
            fetcher,
            discovered: Mutex::default(),
        }
    }

    /// Creates a provider that uses the system's resolver and certificates.
    pub fn system(settings: Option<&Oidc>, denied_networks: &[IpNet]) -> Self {
        let private_hosts = settings.map(|oidc| oidc.private_hosts.as_slice());
        Self::new(Fetcher::system(private_hosts.unwrap_or_default(), denied_networks))
    }

    /// The addresses to which requests to the provider were refused.
    pub fn refusals(&self) -> RefusalCounts {
        self.fetcher.refusals()
    }

    /// Adds the claims of the userinfo endpoint to the person; an error text for the log when it cannot be read.
    pub async fn complete(&self, person: Person, userinfo: &str, access_token: &str) -> Result<Person, String> {
        let claims = self
            .fetcher
            .read(userinfo, Some(access_token), MAX_RESPONSE_BYTES)
            .await;
        let claims = claims.map_err(|error| chain(&error))?;
        id_token::complete(person, &claims).map_err(str::to_owned)
    }
}
