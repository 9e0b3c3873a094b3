//! The caller: the account in whose name a function works, and the permissions that it has.
//!
//! Only `accounts` (for API keys, and for sessions that `sign_in` began or found) and `grants` (for tokens and download
//! links) create callers, once the credential is verified and the account is neither closed nor suspended. The test
//! `only_the_modules_that_verify_credentials_create_callers` checks that no other module calls a constructor.
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use crate::quotas::Quotas;
use linepress_platform::account_limits::OwnLimits;
use linepress_platform::app::App;
use linepress_platform::config::Limits;
use linepress_platform::credit_period::CreditPeriod;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{AccountId, GrantId, KeyId};
use linepress_platform::scopes::{Scope, Scopes};
use linepress_platform::subscription::{Plan, Role};

/// An active grant, with the scopes of the token that was sent.
#[derive(Clone, Debug)]
pub struct ActiveGrant {
    pub id: GrantId,
    pub scopes: Scopes,
    /// The spending limit; `None` for no limit.
    pub credit_cap: Option<i64>,
    /// The credits that were spent under the grant when the token was read.
    pub credits_spent: i64,
}

/// An active API key, with what may be done with it.
#[derive(Clone, Debug)]
pub struct ActiveKey {
    pub id: KeyId,
    pub scopes: Scopes,
    /// The hash of the secret that was sent: a rotation replaces it.
    pub(crate) secret: SecretHash,
    /// The period of the spending limit, if it has one.
    pub(crate) credit_period: Option<CreditPeriod>,
    /// True for a key with an expiry, a spending limit or networks.
    pub(crate) is_limited: bool,
    /// The client's address, if it is in none of the key's networks.
    pub(crate) outside: Option<IpAddr>,
    /// The account's balance when the key was read.
    pub account_credits: i64,
}

/// The SHA-256 of a key's secret or of a session's token, which appears in no log.
#[derive(Clone)]
pub(crate) struct SecretHash(pub(crate) String);

impl fmt::Debug for SecretHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretHash(..)")
    }
}

/// The proof by which a caller was authenticated.
#[derive(Clone, Debug)]
enum Credential {
    Key(ActiveKey),
    /// A browser session of the account's owner, by its token.
    Session(SecretHash),
    /// An app that the owner connected.
    Grant(ActiveGrant),
    /// A signed link to one file, which an app requested.
    Link,
}

/// The account that acts, with its plan at the time of the request, and the API key, app, session or link through which
/// it acts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Caller(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    account_id: AccountId,
    email: String,
    plan: Plan,
    role: Role,
    limits: OwnLimits,
    is_test: bool,
    credential: Credential,
    quotas: Quotas,
}

/// The account of a caller: what a look-up of its credential reads of it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct CallingAccount {
    pub account_id: AccountId,
    pub email: String,
    #[sqlx(try_from = "String")]
    pub plan: Plan,
    #[sqlx(try_from = "String")]
    pub role: Role,
    #[sqlx(try_from = "Option<String>")]
    pub limits: OwnLimits,
    /// The owner of a sandbox. Only keys act for one, so that other credentials do not read it.
    #[sqlx(default)]
    pub sandbox_of: Option<AccountId>,
}

impl Caller {
    pub(crate) fn from_key(account: CallingAccount, key: ActiveKey) -> Self {
        Self::new(account, Credential::Key(key))
    }

    pub(crate) fn from_session(account: CallingAccount, token: SecretHash) -> Self {
        Self::new(account, Credential::Session(token))
    }

    pub(crate) fn from_grant(account: CallingAccount, grant: ActiveGrant) -> Self {
        Self::new(account, Credential::Grant(grant))
    }

    pub(crate) fn from_link(account: CallingAccount) -> Self {
        Self::new(account, Credential::Link)
    }

    fn new(account: CallingAccount, credential: Credential) -> Self {
        let CallingAccount {
            account_id,
            email,
            plan,
            role,
            limits,
            sandbox_of,
        } = account;
        Self(Arc::new(Inner {
            account_id,
            email,
            plan,
            role,
            limits,
            is_test: sandbox_of.is_some(),
            credential,
            quotas: Quotas::default(),
        }))
    }

    pub fn account_id(&self) -> &AccountId {
        &self.0.account_id
    }

    pub fn email(&self) -> &str {
        &self.0.email
    }

    pub fn plan(&self) -> Plan {
        self.0.plan
    }

    /// Returns true if the caller acts with a test key, in the sandbox of an account.
    pub fn is_test(&self) -> bool {
        self.0.is_test
    }

    /// The limits of the account.
    pub fn limits(&self, app: &App) -> Limits {
        app.config.limits.with(&self.0.limits)
    }

    /// The rate limits that the caller's request counted toward.
    pub fn quotas(&self) -> &Quotas {
        &self.0.quotas
    }

    /// The id of the API key that authenticated the request; `None` for sessions, apps and links.
    pub fn key_id(&self) -> Option<&KeyId> {
        self.key().map(|key| &key.id)
    }

    /// The API key that authenticated the request; `None` for sessions, apps and links.
    pub fn key(&self) -> Option<&ActiveKey> {
        match &self.0.credential {
            Credential::Key(key) => Some(key),
            _ => None,
        }
    }

    /// The grant of the app that acts for the account; `None` for API keys, sessions and links.
    pub fn grant(&self) -> Option<&ActiveGrant> {
        match &self.0.credential {
            Credential::Grant(grant) => Some(grant),
            _ => None,
        }
    }

    /// The token of the browser session; `None` for API keys, apps and links.
    pub(crate) fn session(&self) -> Option<&SecretHash> {
        match &self.0.credential {
            Credential::Session(token) => Some(token),
            _ => None,
        }
    }

    /// The scopes that the caller has: those of the token for an app, those of an API key, and all of them for the
    /// owner.
    pub fn scopes(&self) -> Scopes {
        match &self.0.credential {
            Credential::Grant(grant) => grant.scopes,
            Credential::Key(key) => key.scopes,
            Credential::Session(_) | Credential::Link => Scopes::ALL,
        }
    }

    /// Fails with `InsufficientScope` or `KeyLacksScope` when an app or a key lacks one of the needed scopes, and with
    /// `PlanRequired` when the account's plan does not allow the use of the interfaces.
    pub fn require(&self, needed: Scopes) -> Result<()> {
        self.check_scopes(needed)?;
        self.require_plan()
    }

    fn check_scopes(&self, needed: Scopes) -> Result<()> {
        self.require_network()?;
        let missing = needed.without(self.scopes());
        if missing.is_empty() {
            return Ok(());
        }
        Err(self.lacks(missing).into())
    }

    /// The error for a caller without these scopes.
    fn lacks(&self, missing: Scopes) -> ErrorKind {
        match self.0.credential {
            Credential::Key(_) => ErrorKind::KeyLacksScope { missing },
            _ => ErrorKind::InsufficientScope { needed: missing },
        }
    }

    /// Fails with `KeyOutsideNetworks` when the API key may not be used from the client's address.
    pub fn require_network(&self) -> Result<()> {
        match self.key().and_then(|key| key.outside) {
            Some(address) => Err(ErrorKind::KeyOutsideNetworks { address }.into()),
            None => Ok(()),
        }
    }

    /// Fails unless the caller may read the account's resources. A caller who may change them may read them: every
    /// change shows its result. In a browser, the owner may read them whatever the plan is.
    pub fn require_reading(&self) -> Result<()> {
        self.require_network()?;
        let reading = Scopes::of(&[Scope::BooksRead]);
        if self.scopes().common(Scopes::READING_OR_WRITING).is_empty() {
            return Err(self.lacks(reading).into());
        }
        match self.0.credential {
            Credential::Session(_) => Ok(()),
            _ => self.require_plan(),
        }
    }

    /// Fails unless the caller may manage the account's API keys: the owner in a browser, or an API key with all scopes
    /// and without an expiry, a spending limit or networks. A key that does less could otherwise make one that does
    /// more, or one that outlives it.
    pub fn require_key_management(&self) -> Result<()> {
        match &self.0.credential {
            Credential::Session(_) => Ok(()),
            Credential::Key(key) => {
                self.check_scopes(Scopes::ALL)?;
                match key.is_limited {
                    true => Err(ErrorKind::UnlimitedKeyRequired.into()),
                    false => self.require_plan(),
                }
            }
            Credential::Grant(_) | Credential::Link => Err(ErrorKind::OwnerRequired.into()),
        }
    }

    /// Fails unless the caller may manage the account's webhooks, as for API keys: a webhook of a limited key would
    /// outlive the key.
    pub fn require_webhook_management(&self) -> Result<()> {
        self.require_key_management()?;
        self.require(Scopes::WRITING)
    }

    /// Fails unless the account's owner acts in a browser. No app and no API key manages apps or passwords.
    pub fn require_owner(&self) -> Result<()> {
        match self.0.credential {
            Credential::Session(_) => Ok(()),
            _ => Err(ErrorKind::OwnerRequired.into()),
        }
    }

    /// Returns true when the caller may administer the server.
    pub fn is_operator(&self) -> bool {
        self.require_operator().is_ok()
    }

    /// Fails with `OperatorRequired` unless an operator acts in a browser or with an API key, which needs all scopes.
    /// No app and no link administers the server.
    pub fn require_operator(&self) -> Result<()> {
        let is_own = matches!(self.0.credential, Credential::Session(_) | Credential::Key(_));
        if !is_own || self.0.role != Role::Operator {
            return Err(ErrorKind::OperatorRequired.into());
        }
        self.check_scopes(Scopes::ALL)
    }

    /// Fails with `PlanRequired` unless the account's plan allows the use of the interfaces, and with
    /// `KeyOutsideNetworks` when the API key may not be used from the client's address.
    pub fn require_plan(&self) -> Result<()> {
        self.require_network()?;
        match self.0.plan {
            Plan::Business => Ok(()),
            Plan::Free => Err(ErrorKind::PlanRequired.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(plan: Plan) -> CallingAccount {
        CallingAccount {
            account_id: AccountId::from_client("acct_1"),
            email: "ada@example.com".into(),
            plan,
            role: Role::Customer,
            limits: OwnLimits::default(),
            sandbox_of: None,
        }
    }

    fn key(scopes: &[Scope]) -> ActiveKey {
        ActiveKey {
            id: KeyId::from_client("key_1"),
            scopes: Scopes::of(scopes),
            secret: SecretHash(String::new()),
            credit_period: None,
            is_limited: false,
            outside: None,
            account_credits: 0,
        }
    }

    fn session(account: CallingAccount) -> Caller {
        Caller::from_session(account, SecretHash(String::new()))
    }

    fn app(plan: Plan, scopes: &[Scope]) -> Caller {
        let grant = ActiveGrant {
            id: GrantId::from_client("grant_1"),
            scopes: Scopes::of(scopes),
            credit_cap: None,
            credits_spent: 0,
        };
        Caller::from_grant(account(plan), grant)
    }

    #[test]
    fn an_app_needs_the_scopes_and_the_plan() {
        let reader = app(Plan::Business, &[Scope::BooksRead]);
        assert!(reader.require_reading().is_ok() && reader.require(Scopes::WRITING).is_err());
        let writer = app(Plan::Business, &[Scope::BooksWrite]);
        assert!(writer.require_reading().is_ok() && writer.require(Scopes::SPENDING).is_err());
        assert!(app(Plan::Business, &[]).require_reading().is_err());
        let unpaid = app(Plan::Free, Scope::ALL);
        assert_eq!(unpaid.require_reading().unwrap_err().kind, ErrorKind::PlanRequired);
        assert!(unpaid.require(Scopes::WRITING).is_err() && unpaid.require_owner().is_err());
    }

    #[test]
    fn the_owner_of_a_free_account_reads_in_a_browser_alone() {
        let owner = session(account(Plan::Free));
        assert!(owner.require_reading().is_ok() && owner.require_owner().is_ok());
        assert!(owner.require(Scopes::WRITING).is_err());
        let key = Caller::from_key(account(Plan::Free), key(Scope::ALL));
        assert!(key.require_reading().is_err() && key.require_owner().is_err());
    }

    #[test]
    fn only_an_operators_own_credentials_administer_the_server() {
        let operator = || CallingAccount {
            role: Role::Operator,
            ..account(Plan::Business)
        };
        let key = key(Scope::ALL);
        assert!(session(operator()).require_operator().is_ok());
        assert!(Caller::from_key(operator(), key.clone()).require_operator().is_ok());
        let grant = ActiveGrant {
            id: GrantId::from_client("grant_1"),
            scopes: Scopes::ALL,
            credit_cap: None,
            credits_spent: 0,
        };
        for other in [
            Caller::from_grant(operator(), grant),
            Caller::from_link(operator()),
            session(account(Plan::Business)),
            Caller::from_key(account(Plan::Business), key),
        ] {
            assert_eq!(other.require_operator().unwrap_err().kind, ErrorKind::OperatorRequired);
        }
    }

    #[test]
    fn a_key_does_what_its_scopes_allow() {
        let with = |scopes: &[Scope]| Caller::from_key(account(Plan::Business), key(scopes));
        let reader = with(&[Scope::BooksRead]);
        assert!(reader.require_reading().is_ok());
        let missing = Scopes::SPENDING;
        let error = reader.require(Scopes::SPENDING).unwrap_err();
        assert_eq!(error.kind, ErrorKind::KeyLacksScope { missing });
        let spender = with(&[Scope::CreditsSpend]);
        let missing = Scopes::of(&[Scope::BooksRead]);
        assert_eq!(
            spender.require_reading().unwrap_err().kind,
            ErrorKind::KeyLacksScope { missing }
        );
        assert!(with(Scope::ALL).require(Scopes::ALL).is_ok());
    }

    #[test]
    fn only_a_key_without_limits_manages_keys() {
        let with = |key: ActiveKey| Caller::from_key(account(Plan::Business), key).require_key_management();
        assert!(with(key(Scope::ALL)).is_ok());
        let missing = Scopes::of(&[Scope::CreditsSpend]);
        let error = with(key(&[Scope::BooksRead, Scope::BooksWrite])).unwrap_err();
        assert_eq!(error.kind, ErrorKind::KeyLacksScope { missing });
        let limited = ActiveKey {
            is_limited: true,
            ..key(Scope::ALL)
        };
        assert_eq!(with(limited).unwrap_err().kind, ErrorKind::UnlimitedKeyRequired);
        let granted = app(Plan::Business, Scope::ALL).require_key_management();
        assert_eq!(granted.unwrap_err().kind, ErrorKind::OwnerRequired);
        let free = Caller::from_key(account(Plan::Free), key(Scope::ALL)).require_key_management();
        assert_eq!(free.unwrap_err().kind, ErrorKind::PlanRequired);
    }

    #[test]
    fn a_key_outside_of_its_networks_does_nothing() {
        let address = IpAddr::from([203, 0, 113, 7]);
        let operator = CallingAccount {
            role: Role::Operator,
            ..account(Plan::Business)
        };
        let key = ActiveKey {
            outside: Some(address),
            ..key(Scope::ALL)
        };
        let caller = Caller::from_key(operator, key);
        for refused in [
            caller.require_reading(),
            caller.require(Scopes::WRITING),
            caller.require(Scopes::default()),
            caller.require_plan(),
            caller.require_operator(),
            caller.require_key_management(),
        ] {
            assert_eq!(refused.unwrap_err().kind, ErrorKind::KeyOutsideNetworks { address });
        }
        assert!(!caller.is_operator());
    }
}
