//! The caller: the account in whose name a function works, and the permissions that it has.
//!
//! Only `accounts` and `grants` create callers, each after it has verified a credential of an open account: an API key,
//! a session, an access token, or a link under a grant. A test checks that no other module calls a constructor.
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{AccountId, GrantId, KeyId};
use linepress_platform::scopes::{Scope, Scopes};
use linepress_platform::subscription::{Plan, Role};

/// An active grant, with the scopes of the token that was sent.
#[derive(Clone, Debug)]
pub struct ActiveGrant {
    pub id: GrantId,
    pub scopes: Scopes,
}

/// The proof by which a caller was authenticated.
#[derive(Clone, Debug)]
enum Credential {
    Key(KeyId),
    /// A browser session of the account's owner.
    Session,
    /// An app that the owner connected.
    Grant(ActiveGrant),
    /// A signed link to one file, which an app requested.
    Link,
}

/// The account that acts, with its plan at the time of the request, and the API key, app, session or link through which
/// it acts.
#[derive(Clone, Debug)]
pub struct Caller {
    account_id: AccountId,
    email: String,
    plan: Plan,
    role: Role,
    credential: Credential,
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
}

impl Caller {
    pub(crate) fn from_key(account: CallingAccount, key: KeyId) -> Self {
        Self::new(account, Credential::Key(key))
    }

    pub(crate) fn from_session(account: CallingAccount) -> Self {
        Self::new(account, Credential::Session)
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
        } = account;
        Self {
            account_id,
            email,
            plan,
            role,
            credential,
        }
    }

    pub fn account_id(&self) -> &AccountId {
        &self.account_id
    }

    pub fn email(&self) -> &str {
        &self.email
    }

    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The API key that authenticated the request; `None` for sessions, apps and links.
    pub fn key_id(&self) -> Option<&KeyId> {
        match &self.credential {
            Credential::Key(key) => Some(key),
            _ => None,
        }
    }

    /// The grant of the app that acts for the account; `None` for API keys, sessions and links.
    pub fn grant(&self) -> Option<&ActiveGrant> {
        match &self.credential {
            Credential::Grant(grant) => Some(grant),
            _ => None,
        }
    }

    /// The scopes that the caller has: those of the token for an app, and all of them for the owner.
    pub fn scopes(&self) -> Scopes {
        self.grant().map_or(Scopes::ALL, |grant| grant.scopes)
    }

    /// Fails with `InsufficientScope` when an app lacks one of the needed scopes, and with `PlanRequired` when the account's
    /// plan does not allow the use of the interfaces.
    pub fn require(&self, needed: Scopes) -> Result<()> {
        let missing = needed.without(self.scopes());
        if !missing.is_empty() {
            return Err(ErrorKind::InsufficientScope { needed: missing }.into());
        }
        self.require_plan()
    }

    /// Fails unless the caller may read the account's resources. A caller who may change them may read them: every
    /// change shows its result. In a browser, the owner may read them whatever the plan is.
    pub fn require_reading(&self) -> Result<()> {
        let reading = Scopes::of(&[Scope::BooksRead]);
        if self.scopes().common(Scopes::READING_OR_WRITING).is_empty() {
            return Err(ErrorKind::InsufficientScope { needed: reading }.into());
        }
        match self.credential {
            Credential::Session => Ok(()),
            _ => self.require_plan(),
        }
    }

    /// Fails unless the account's owner acts in a browser. No app and no API key manages keys, apps or passwords.
    pub fn require_owner(&self) -> Result<()> {
        match self.credential {
            Credential::Session => Ok(()),
            _ => Err(ErrorKind::OwnerRequired.into()),
        }
    }

    /// Returns true when the caller may administer the server.
    pub fn is_operator(&self) -> bool {
        let is_own = matches!(self.credential, Credential::Session | Credential::Key(_));
        is_own && self.role == Role::Operator
    }

    /// Fails with `OperatorRequired` unless an operator acts in a browser or with an API key. No app and no link
    /// administers the server.
    pub fn require_operator(&self) -> Result<()> {
        match self.is_operator() {
            true => Ok(()),
            false => Err(ErrorKind::OperatorRequired.into()),
        }
    }

    /// Fails with `PlanRequired` unless the account's plan allows the use of the interfaces.
    pub fn require_plan(&self) -> Result<()> {
        match self.plan {
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
        }
    }

    fn app(plan: Plan, scopes: &[Scope]) -> Caller {
        let grant = ActiveGrant {
            id: GrantId::from_client("grant_1"),
            scopes: Scopes::of(scopes),
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
        let owner = Caller::from_session(account(Plan::Free));
        assert!(owner.require_reading().is_ok() && owner.require_owner().is_ok());
        assert!(owner.require(Scopes::WRITING).is_err());
        let key = Caller::from_key(account(Plan::Free), KeyId::from_client("key_1"));
        assert!(key.require_reading().is_err() && key.require_owner().is_err());
    }

    #[test]
    fn only_an_operators_own_credentials_administer_the_server() {
        let operator = || CallingAccount {
            role: Role::Operator,
            ..account(Plan::Business)
        };
        let key = KeyId::from_client("key_1");
        assert!(Caller::from_session(operator()).require_operator().is_ok());
        assert!(Caller::from_key(operator(), key.clone()).require_operator().is_ok());
        let grant = ActiveGrant {
            id: GrantId::from_client("grant_1"),
            scopes: Scopes::ALL,
        };
        for other in [
            Caller::from_grant(operator(), grant),
            Caller::from_link(operator()),
            Caller::from_session(account(Plan::Business)),
            Caller::from_key(account(Plan::Business), key),
        ] {
            assert_eq!(other.require_operator().unwrap_err().kind, ErrorKind::OperatorRequired);
        }
    }
}
