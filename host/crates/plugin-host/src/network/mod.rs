//! The way out of a sandbox: what a plugin asks for, what the operator grants, and the one place where requests leave.
//!
//! A manifest only asks ([`Requests`]); the operator's [`Grant`] decides, for one id and one digest of the whole folder. What
//! comes of both is a [`Policy`], against which each request is checked before it goes out by way of the [`Transport`].

/// From a request and a grant to a policy.
mod approval;
/// Bodies on their way in and out, within limits.
mod body;
/// Secrets that requests carry and guests never see.
mod credential;
/// Exchanges that were kept.
mod exchange;
/// What the operator grants.
mod grant;
/// Requests of a guest.
mod hooks;
/// Responses without the secrets that were sent.
mod masking;
/// Origins, and names with all that is below them.
mod pattern;
/// What a plugin may reach.
mod policy;
/// What a manifest asks for.
mod requests;
/// What secrets must be taken out of.
mod secrets;
/// How requests travel.
mod transport;
/// What one call has used.
mod usage;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use credential::CredentialSource;
pub use exchange::{Offline, Recorder, Replayer};
pub use grant::Grant;
pub use pattern::OriginPattern;
pub use requests::{CredentialRequest, OriginRequest, Requests};
pub use secrets::Secrets;
pub use transport::{DialTransport, HttpBody, Outgoing, Sent, Transport, TransportError};

pub(crate) use hooks::Hooks;
pub(crate) use policy::Policy;
pub(crate) use requests::{Asked, CredentialTable, HttpTable};
pub(crate) use usage::Budget;

/// How plugins reach the network, and which may.
#[derive(Clone)]
pub struct Network {
    pub transport: Arc<dyn Transport>,
    /// By plugin id.
    pub grants: BTreeMap<String, Grant>,
    /// By plugin id, then by the credential's name.
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
