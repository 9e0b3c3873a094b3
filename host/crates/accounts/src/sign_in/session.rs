//! Browser sessions.
use std::time::Duration;

use super::second_factor::{self, PasswordSignIn};
use super::store;
use crate::accounts::{self, Account};
use crate::caller::Caller;
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::secrets::Secret;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// The time after its last use at which a session ends.
const IDLE_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);
/// The time after its start at which a session ends in any case.
pub const MAX_SESSION_LIFETIME: Duration = Duration::from_secs(180 * 24 * 3600);

/// Sign-in attempts from one address. A whole school may share an address.
const BY_ADDRESS: Rate = Rate::new(30, Duration::from_secs(300));
/// Sign-in attempts to one account from one address.
const BY_BOTH: Rate = Rate::new(10, Duration::from_secs(600));
/// Sign-in attempts to one account from all addresses. The limit is much higher, because otherwise an attacker who
/// guesses passwords would lock out the owner.
const BY_ACCOUNT: Rate = Rate::new(100, Duration::from_secs(600));
const TRIES_BY_ADDRESS: &str = "sign-ins from this address";
const TRIES_BY_BOTH: &str = "sign-ins to this account from this address";
const TRIES_BY_ACCOUNT: &str = "sign-ins to this account";

/// A session that has just begun. Only the hash of its token is stored.
#[derive(Debug)]
pub struct NewSession {
    pub token: Secret,
    /// The account's owner in the new session.
    pub caller: Caller,
}

/// A session that was found by its token, and has not ended.
#[derive(Debug)]
pub struct CurrentSession {
    pub account: Account,
    /// The account's owner in this session.
    pub caller: Caller,
}

/// Signs in with an email address and a password; `None` when they do not match. `client` is the address of the client.
/// The response and its timing are the same when no account has the email address, and do not depend on the second
/// factor unless the password is right.
pub async fn with_password(app: &App, email: &str, password: &str, client: &str) -> Result<Option<PasswordSignIn>> {
    take_try_from(app, client).await?;
    let email = accounts::normalised(email).unwrap_or_default();
    take_try(app, &email, client).await?;
    let known = store::find_password(&app.database.read, &email).await?;
    let hash = known.as_ref().map(|known| known.hash.as_str());
    let right = app.passwords.verify(password, hash).await?;
    let Some(known) = known.filter(|_| right) else {
        return Ok(None);
    };
    forget_tries(app, &email, client).await?;
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, &known.account.id).await?;
    // The password was changed or deleted while it was being compared.
    if store::password_hash(&mut tx, &known.account.id).await?.as_deref() != Some(&known.hash) {
        return Ok(None);
    }
    let signed_in = second_factor::begin_or_await_code(app, &mut tx, known.account).await?;
    tx.commit().await?;
    Ok(Some(signed_in))
}

/// Takes one of the attempts of an address.
pub(super) async fn take_try_from(app: &App, client: &str) -> Result<()> {
    throttle::take(app, TRIES_BY_ADDRESS, client, BY_ADDRESS).await
}

/// Takes one of the attempts from this address to confirm the password of an account that the browser is signed in to.
/// Attempts from other addresses do not count, so that an attacker who guesses cannot keep the owner from changing the
/// password.
pub(super) async fn take_own_try(app: &App, email: &str, client: &str) -> Result<()> {
    throttle::take(app, TRIES_BY_BOTH, &tries_subject(email, client), BY_BOTH).await
}

/// Takes one of the attempts to enter the password of an account.
pub(super) async fn take_try(app: &App, email: &str, client: &str) -> Result<()> {
    // The pair is checked first: an address that is out of attempts uses up none of the account's.
    throttle::take(app, TRIES_BY_BOTH, &tries_subject(email, client), BY_BOTH).await?;
    throttle::take(app, TRIES_BY_ACCOUNT, email, BY_ACCOUNT).await
}

/// Resets the attempts after the right password was entered.
pub(super) async fn forget_tries(app: &App, email: &str, client: &str) -> Result<()> {
    throttle::clear(app, TRIES_BY_BOTH, &tries_subject(email, client)).await?;
    throttle::clear(app, TRIES_BY_ACCOUNT, email).await
}

/// The throttle's subject for an account and an address. An email address contains no space.
fn tries_subject(email: &str, client: &str) -> String {
    format!("{email} {client}")
}

/// Begins a session for a person who has been authenticated as the account's owner.
pub(super) async fn begin(app: &App, tx: &mut Tx, account: Account) -> Result<NewSession> {
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    let times = store::SessionTimes {
        created_at: now,
        expires_at: now.plus(IDLE_LIFETIME),
        ends_at: now.plus(MAX_SESSION_LIFETIME),
    };
    store::insert_session(tx, &token.hash(), &account.id, &times).await?;
    let caller = accounts::caller_in_session(&account, token.hash());
    Ok(NewSession { token, caller })
}

/// The session with this token; `None` when it has ended or its account is closed. Each day of use extends the session.
pub async fn find_session(app: &App, token: &str) -> Result<Option<CurrentSession>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let hash = token.hash();
    let now = app.clock.now();
    let Some(session) = store::find_session(&app.database.read, &hash, now).await? else {
        return Ok(None);
    };
    let later = later_end(now, &session);
    // At most once a day, because otherwise every page view would write.
    if later.since(session.expires_at) >= DAY {
        let mut tx = app.database.begin().await?;
        store::prolong_session(&mut tx, &hash, later).await?;
        tx.commit().await?;
    }
    Ok(Some(CurrentSession {
        caller: accounts::caller_in_session(&session.account, hash),
        account: session.account,
    }))
}

/// The time after the sign-in for which a session is fresh.
const FRESH_LIFETIME: Duration = Duration::from_secs(600);

/// Returns true when the session is fresh: the person has just signed in, so it is not an abandoned browser or a stolen
/// cookie.
pub(super) async fn is_fresh(app: &App, token: &str) -> Result<bool> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(false);
    };
    let now = app.clock.now();
    let session = store::find_session(&app.database.read, &token.hash(), now).await?;
    Ok(session.is_some_and(|session| now.since(session.ends_at.minus(MAX_SESSION_LIFETIME)) <= FRESH_LIFETIME))
}

fn later_end(now: Timestamp, session: &store::Session) -> Timestamp {
    now.plus(IDLE_LIFETIME).min(session.ends_at)
}

/// Ends the session if there is one.
pub async fn end(app: &App, token: &str) -> Result<()> {
    if let Some(token) = Secret::from_text(token) {
        let mut tx = app.database.begin().await?;
        store::end_session(&mut tx, &token.hash()).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Deletes expired sessions; returns their number.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired_sessions(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}
