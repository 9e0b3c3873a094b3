//! The caller: the account in whose name a function works. Each interface builds one from the request it authenticated.
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{AccountId, GrantId, KeyId};
use linepress_platform::scopes::Scopes;
use linepress_platform::subscription::Plan;

/// An active grant, with the scopes of the token that was sent.
#[derive(Clone, Debug)]
pub struct ActiveGrant {
    pub id: GrantId,
    pub scopes: Scopes,
}

/// The account that acts, and through which API key or app.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account_id: AccountId,
    pub email: String,
    pub plan: Plan,
    /// The API key that authenticated the request; `None` for sessions and apps.
    pub key_id: Option<KeyId>,
    /// The grant of the app that acts for the account. `None` for API keys and browser sessions, which may do
    /// everything.
    pub grant: Option<ActiveGrant>,
}

impl Caller {
    /// Refuses with `InsufficientScope` when an app acts for the account and lacks one of the needed scopes.
    pub fn require(&self, needed: Scopes) -> Result<()> {
        match &self.grant {
            Some(grant) if !grant.scopes.includes(needed) => Err(ErrorKind::InsufficientScope { needed }.into()),
            _ => Ok(()),
        }
    }
}
