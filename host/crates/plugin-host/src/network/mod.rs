//! Network access of guests: the requests in manifests, the operator's grants, and the single place where HTTP requests
//! are sent. Requests and grants contain the services of the host as well, because the operator approves all at once.
//!
//! A manifest only asks for access ([`Requests`]). The operator's [`Grant`] decides, for one plugin id and one digest
//! of the whole folder. Together they yield a [`Policy`]. `Hooks::admit` checks each request before the [`Transport`]
//! sends it: the budget of the call, the origin and method, and whether the credential can be read. `egress` then
//! refuses addresses that the origin may not have.

/// Derivation of a policy from a plugin's requests and its grant.
mod approval;
/// Request and response bodies with limits.
mod body;
/// Credentials that the host adds to requests and guests never see.
mod credential;
/// Recording and replaying of exchanges.
mod exchange;
/// Grants of the operator.
mod grant;
/// The checks of a guest's requests.
mod hooks;
/// The requests of one call, for the log of calls.
mod log;
/// Masking of secrets in responses.
mod masking;
/// Origins, and wildcard patterns of origins.
mod pattern;
/// The network access that a plugin has.
mod policy;
/// The network access that a manifest asks for.
mod requests;
/// Removal of secrets from texts and bodies.
mod secrets;
/// Sending of requests.
mod transport;
/// The network budget of one call.
mod usage;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use credential::CredentialSource;
pub use exchange::{Offline, Recorder, Replayer};
pub use grant::Grant;
pub use log::HttpExchange;
pub use pattern::OriginPattern;
pub use requests::{CredentialRequest, OriginRequest, Requests};
pub use secrets::Secrets;
pub use transport::{DialTransport, HttpBody, Outgoing, Sent, Transport, TransportError};

pub(crate) use hooks::Hooks;
pub(crate) use log::HttpLog;
pub(crate) use policy::Policy;
pub(crate) use requests::{CredentialTable, HttpTable, UnresolvedRequests};
pub(crate) use usage::Budget;

/// The transport for plugins' requests, and the access that the operator grants.
#[derive(Clone)]
pub struct Network {
    pub transport: Arc<dyn Transport>,
    /// Grants by plugin id.
    pub grants: BTreeMap<String, Grant>,
    /// Sources of credentials by plugin id, then by the credential's name.
    pub credentials: BTreeMap<String, BTreeMap<String, CredentialSource>>,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Network")
            .field("grants", &self.grants)
            .field("credentials", &self.credentials)
            .finish_non_exhaustive()
    }
}
