//! Who acts: the account in whose name a function works. Each interface makes one of whom it has authenticated.
use linepress_model::text_enum;

use crate::error::{ErrorKind, Result};
use crate::ids::{AccountId, GrantId, KeyId};
use crate::scopes::Scopes;

text_enum! {
    /// What an account may do.
    #[derive(clap::ValueEnum)]
    #[schema(as = PlanName)]
    pub enum Plan {
        Free = "free",
        /// May use the interfaces.
        Business = "business",
    }
}

/// A grant that has not ended, and what the token at hand allows of it.
#[derive(Clone, Debug)]
pub struct ActiveGrant {
    pub id: GrantId,
    pub scopes: Scopes,
}

/// Who acts.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account_id: AccountId,
    pub email: String,
    pub plan: Plan,
    /// The API key that the request came with, if it came with one.
    pub key_id: Option<KeyId>,
    /// What an app may do for the account; nothing for API keys and for people, who may do everything.
    pub grant: Option<ActiveGrant>,
}

impl Caller {
    /// Refuses an app that was not granted all of this.
    pub fn require(&self, needed: Scopes) -> Result<()> {
        match &self.grant {
            Some(grant) if !grant.scopes.includes(needed) => Err(ErrorKind::InsufficientScope { needed }.into()),
            _ => Ok(()),
        }
    }
}
