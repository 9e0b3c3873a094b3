//! Accounts, their plans and their API keys.
pub mod keys;
mod limits;
mod sandbox;
mod store;
mod summary;
mod usage;

use serde::Serialize;
use serde_json::json;

use crate::caller::{Caller, CallingAccount, SecretHash};
use crate::credits;
use crate::throttle;
use crate::webhooks::{self, EventType};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;
use linepress_platform::text::is_invisible;

pub use crate::credentials::lock_account as lock;
pub use keys::{
    ApiKey, KeyRotation, KeyStatus, MAX_KEY_NAME_CHARS, MAX_KEY_NETWORKS, Networks, NewApiKey, NewKey, SecretKey,
    active_keys, caller_of_key, calling_key, create_key, create_own_key, list_keys, list_own_keys, own_key, own_keys,
    revoke_key, revoke_own_key, rotate_key, rotate_own_key,
};
pub use limits::Limit;
pub use limits::{are_free_covers_within, check_free_covers, check_uploads};
pub use linepress_platform::account_limits::{LimitName, OwnLimits};
pub use linepress_platform::subscription::{Plan, Role};
pub use sandbox::sandbox_of;
pub use store::Standing;
pub use summary::{Summary, summary};
pub use usage::is_storage_exceeded;
pub use usage::{Usage, check_room, miscounted};
pub use usage::{change_usage, take_room};

/// An account as its operator sees it.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct Account {
    pub id: AccountId,
    pub email: String,
    #[sqlx(try_from = "String")]
    pub plan: Plan,
    #[sqlx(try_from = "String")]
    pub role: Role,
    /// The limits that differ from those of the settings.
    #[sqlx(try_from = "Option<String>")]
    pub limits: OwnLimits,
    pub credits: i64,
    pub created_at: Timestamp,
}

impl From<Account> for CallingAccount {
    fn from(account: Account) -> Self {
        Self {
            account_id: account.id,
            email: account.email,
            plan: account.plan,
            role: account.role,
            limits: account.limits,
            // Nobody signs in to a sandbox, and a link to a file only reads.
            sandbox_of: None,
        }
    }
}

/// What is counted of an account at one moment, for its limits and its balance.
pub async fn standing(app: &App, account: &AccountId, now: Timestamp) -> Result<Standing> {
    let throttled = throttle::subject_hash(account.as_str());
    Ok(store::standing(&app.database.read, account, &throttled, now).await?)
}

/// The caller that the owner of an account is in a browser. `sign_in` calls this for the open account of a session that
/// it has begun or found, with the hash of the session's token.
pub(crate) fn caller_in_session(account: &Account, token_hash: String) -> Caller {
    Caller::from_session(account.clone().into(), SecretHash(token_hash))
}

/// Creates an account with a first grant of credits.
pub async fn create(app: &App, tx: &mut Tx, email: &str, plan: Plan, credits: i64) -> Result<Account> {
    let email = normalised(email)?;
    let now = app.clock.now();
    let account = Account {
        id: AccountId::generate(now, &app.random),
        email,
        plan,
        role: Role::Customer,
        limits: OwnLimits::default(),
        credits: 0,
        created_at: now,
    };
    let new = store::NewAccount {
        id: &account.id,
        email: &account.email,
        plan,
        role: account.role,
        created_at: now,
        sandbox_of: None,
    };
    if !store::insert(tx, &new).await? {
        return Err(Error::invalid_field(
            Field::email(),
            "an account with this address exists already",
        ));
    }
    let credits = if credits == 0 {
        0
    } else {
        credits::grant(app, tx, &account.id, credits, "").await?
    };
    Ok(Account { credits, ..account })
}

/// Returns true when there is at least one account.
pub(crate) async fn any_exists(tx: &mut Tx) -> Result<bool> {
    Ok(store::any(tx).await?.is_some())
}

/// The reason why an account cannot be used at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockOut {
    Closed,
    Suspended,
}

impl LockOut {
    /// The advice for an operator, after the word "account".
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::Closed => "is closed; give it a plan to open it again",
            Self::Suspended => "is suspended; resume it first",
        }
    }
}

/// The reason why the account cannot be used; `None` when it can.
pub(crate) async fn lock_out(tx: &mut Tx, account: &AccountId) -> Result<Option<LockOut>> {
    let found = store::lock_out(tx, account).await?;
    let closed = found.closed_at.map(|_| LockOut::Closed);
    Ok(closed.or(found.suspended_at.map(|_| LockOut::Suspended)))
}

/// Returns true when the account is closed or suspended.
pub(crate) async fn is_locked_out(tx: &mut Tx, account: &AccountId) -> Result<bool> {
    Ok(lock_out(tx, account).await?.is_some())
}

/// Returns true when the account is closed or suspended, or does not exist, as of this moment: no lock is taken.
pub async fn was_locked_out(app: &App, account: &AccountId) -> Result<bool> {
    Ok(store::was_locked_out(&app.database.read, account).await?)
}

/// Returns true when the account is an operator's, and neither closed nor suspended.
pub async fn is_operator(tx: &mut Tx, account: &AccountId) -> Result<bool> {
    Ok(store::has_role(tx, account, Role::Operator).await?)
}

/// Changes the role of the account.
pub async fn set_role(app: &App, tx: &mut Tx, account: &AccountId, role: Role) -> Result<()> {
    Ok(store::set_role(tx, account, role, app.clock.now()).await?)
}

/// Replaces the limits that differ from those of the settings. What exceeds a lower limit remains.
pub async fn set_limits(app: &App, tx: &mut Tx, account: &AccountId, limits: &OwnLimits) -> Result<()> {
    store::set_limits(tx, account, limits, app.clock.now()).await?;
    sandbox::follow_owner(tx, account).await
}

/// Suspends the account and its sandbox from now on. Their credentials are refused until it is resumed.
pub async fn suspend(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    let now = app.clock.now();
    store::set_suspended(tx, account, Some(now), now).await?;
    sandbox::follow_owner(tx, account).await
}

/// Ends the suspension of the account.
pub async fn resume(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    store::set_suspended(tx, account, None, app.clock.now()).await?;
    sandbox::follow_owner(tx, account).await
}

/// Returns true when the account was created by sign-up with an address that was never verified.
pub(crate) async fn is_unverified(tx: &mut Tx, account: &AccountId) -> Result<bool> {
    Ok(store::unverified_since(&mut **tx, account).await?.is_some())
}

/// Records that the address of a new account is not verified.
pub(crate) async fn mark_unverified(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::set_unverified(tx, account, Some(app.clock.now())).await?)
}

/// Records that the address is verified, and revokes all keys that were created before: another person may have made
/// them.
pub(crate) async fn mark_verified(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    keys::revoke_all(app, tx, account).await?;
    confirm_address(app, tx, account).await
}

/// Records that the address is verified, and gives the account the plan and the credits of a new account if it waits
/// for them. A closed account gets neither, and remains closed. The caller has locked the account's row.
pub(crate) async fn confirm_address(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    store::set_unverified(tx, account, None).await?;
    let gets_start = store::take_start(tx, account, app.config.sign_up_plan, app.clock.now()).await?;
    if gets_start {
        sandbox::follow_owner(tx, account).await?;
        plan_changed(app, tx, account, app.config.sign_up_plan).await?;
    }
    if gets_start && app.config.sign_up_credits > 0 {
        credits::grant(app, tx, account, app.config.sign_up_credits, "").await?;
    }
    Ok(())
}

/// Records that the account gets the plan and the credits of a new account when its address is verified.
pub(crate) async fn defer_start(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::defer_start(tx, account, app.clock.now()).await?)
}

pub(crate) async fn find_by_email_in(tx: &mut Tx, email: &str) -> Result<Option<Account>> {
    Ok(store::find_by_email(tx, email).await?)
}

pub(crate) async fn find_in(tx: &mut Tx, account: &AccountId) -> Result<Option<Account>> {
    Ok(store::find_by_id(&mut **tx, account).await?)
}

/// The time of the sign-up; `None` when the address is verified.
pub async fn unverified_since(app: &App, account: &Account) -> Result<Option<Timestamp>> {
    Ok(store::unverified_since(&app.database.read, &account.id).await?)
}

pub async fn find(app: &App, email: &str) -> Result<Option<Account>> {
    Ok(store::find(&app.database.read, &normalised(email)?).await?)
}

/// The account with this id.
pub async fn find_by_id(app: &App, id: &AccountId) -> Result<Option<Account>> {
    Ok(store::find_by_id(&app.database.read, id).await?)
}

/// Changes the plan as an operator decided: the verification of the address no longer changes it, nor adds credits.
/// Opens a closed account again.
pub async fn set_plan(app: &App, tx: &mut Tx, account: &AccountId, plan: Plan) -> Result<()> {
    store::set_plan(tx, account, plan, app.clock.now()).await?;
    sandbox::follow_owner(tx, account).await?;
    plan_changed(app, tx, account, plan).await
}

/// Tells the account's webhooks of its plan.
async fn plan_changed(app: &App, tx: &mut Tx, account: &AccountId, plan: Plan) -> Result<()> {
    let data = json!({"plan": plan});
    webhooks::record(app, tx, account, EventType::PlanChanged, &data).await
}

/// Maximum length of an e-mail address (RFC 5321, section 4.5.3.1.3, without the angle brackets).
pub const MAX_EMAIL_BYTES: usize = 254;

/// Ends the account's plan and revokes its keys, test keys included; returns the number of keys. Locks the account's
/// row until the transaction ends. The sandbox is closed by itself, because its drawings are locked before its row.
pub async fn end_access(app: &App, tx: &mut Tx, account: &AccountId) -> Result<u64> {
    // Keys are locked after the account.
    store::close(tx, account, app.clock.now()).await?;
    keys::revoke_all(app, tx, account).await
}

/// Checks a text that an operator enters: one visible line, because lists show it in a column.
fn check_line(field: Field, text: &str, max_chars: usize) -> Result<()> {
    if text.trim().is_empty() || text.chars().count() > max_chars {
        return Err(Error::invalid_field(
            field,
            format!("must be 1 to {max_chars} characters"),
        ));
    }
    if text.contains(|letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}')) {
        return Err(Error::invalid_field(
            field,
            "must be one line without control characters",
        ));
    }
    Ok(())
}

/// The email address in the form in which it is stored; fails when it is malformed.
pub fn normalised(email: &str) -> Result<String> {
    // Letters such as the Kelvin sign have an ASCII lower case, which would make two addresses equal.
    let is_confusable = |letter: char| {
        is_invisible(letter) || (!letter.is_ascii() && letter.to_lowercase().any(|small| small.is_ascii()))
    };
    if email.contains(is_confusable) {
        return Err(Error::invalid_field(
            Field::email(),
            "must not contain invisible characters, or letters that look like others",
        ));
    }
    let email = email.trim().to_lowercase();
    let well_formed = email
        .split_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
        && email.len() <= MAX_EMAIL_BYTES
        && !email.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    if well_formed {
        Ok(email)
    } else {
        Err(Error::invalid_field(
            Field::email(),
            "must be an address such as ada@example.com",
        ))
    }
}
