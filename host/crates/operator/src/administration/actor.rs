//! The operator who acts, and the place that the action comes from.
use std::net::IpAddr;

use linepress_accounts::accounts;
use linepress_accounts::caller::Caller;
use linepress_accounts::credentials;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, KeyId};

/// Who acts as an operator.
#[derive(Clone, Debug)]
pub struct Actor(Origin);

#[derive(Clone, Debug)]
enum Origin {
    /// The server itself, which rolls back a plugin.
    Server,
    /// A person with access to the server's settings, who needs no account.
    CommandLine,
    /// An operator, with the address of the client.
    Client { caller: Caller, address: IpAddr },
    /// The owner of the first account, who had the link of the first start.
    FirstAccount { id: AccountId, address: IpAddr },
}

impl Actor {
    /// The command line. Only its commands call this; a test checks it.
    pub fn command_line() -> Self {
        Self(Origin::CommandLine)
    }

    /// The server, which acts as the operator said in the settings.
    pub(crate) fn server() -> Self {
        Self(Origin::Server)
    }

    /// The caller of a request, and the address of the client.
    pub fn of_request(caller: Caller, address: IpAddr) -> Self {
        Self(Origin::Client { caller, address })
    }

    /// The owner of the first account, who has just created it, and the address of the client.
    pub(super) fn of_first_account(id: AccountId, address: IpAddr) -> Self {
        Self(Origin::FirstAccount { id, address })
    }

    /// Fails with `OperatorRequired` if a caller acts who is not an operator. Every other origin is one.
    pub fn require_operator(&self) -> Result<()> {
        self.caller().map_or(Ok(()), Caller::require_operator)
    }

    /// Fails when a limited API key acts, which could otherwise get access without its limits.
    pub(super) fn require_unlimited(&self) -> Result<()> {
        self.caller().map_or(Ok(()), Caller::require_key_management)
    }

    /// Fails when the account lost the role or was closed or suspended, or the request's key or session has ended,
    /// since the caller was authenticated.
    pub(super) async fn check_still_operator(&self, app: &App, tx: &mut Tx) -> Result<()> {
        let Some(caller) = self.caller() else { return Ok(()) };
        if !accounts::is_operator(tx, caller.account_id()).await? {
            return Err(ErrorKind::OperatorRequired.into());
        }
        credentials::check_still_valid(app, tx, caller).await
    }

    /// Fails when operators would take away their own access, which they could not give back themselves.
    pub(super) fn refuse_own(&self, account: &AccountId) -> Result<()> {
        if self.account_id() == Some(account) {
            return Err(Error::invalid_field(
                Field::account(),
                "is your own; ask another operator, or use the command line of the server",
            ));
        }
        Ok(())
    }

    /// The caller of a request; `None` for every other origin.
    pub(super) fn caller(&self) -> Option<&Caller> {
        match &self.0 {
            Origin::Server | Origin::CommandLine | Origin::FirstAccount { .. } => None,
            Origin::Client { caller, .. } => Some(caller),
        }
    }

    /// The account that acts; `None` for the command line and for the server itself.
    pub(super) fn account_id(&self) -> Option<&AccountId> {
        match &self.0 {
            Origin::Server | Origin::CommandLine => None,
            Origin::Client { caller, .. } => Some(caller.account_id()),
            Origin::FirstAccount { id, .. } => Some(id),
        }
    }

    /// The API key of the request; `None` for a browser and for the command line.
    pub(super) fn key_id(&self) -> Option<&KeyId> {
        self.caller().and_then(Caller::key_id)
    }

    /// The address of the client; `None` for the command line.
    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.0 {
            Origin::Server | Origin::CommandLine => None,
            Origin::Client { address, .. } | Origin::FirstAccount { address, .. } => Some(address),
        }
    }
}
