//! Sessions: what a browser shows to be somebody.
use std::time::Duration;

use super::store;
use crate::accounts::{self, Account};
use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;
use crate::secrets::Secret;
use crate::throttle::{self, Rate};

const DAY: Duration = Duration::from_secs(24 * 3600);
/// A session that is not used ends after this time.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);
/// One that is used ends all the same, after this.
pub const LONGEST: Duration = Duration::from_secs(180 * 24 * 3600);

/// Tries to sign in, by where they come from: a school has one address, too.
const BY_ADDRESS: Rate = Rate::new(30, Duration::from_secs(300));
/// Tries to sign in to one account from one address.
const BY_BOTH: Rate = Rate::new(10, Duration::from_secs(600));
/// The same wherever they come from. Many more: else whoever guesses keeps the owner out, who is elsewhere.
const BY_ACCOUNT: Rate = Rate::new(100, Duration::from_secs(600));
const TRIES_BY_ADDRESS: &str = "sign-ins from this address";
const TRIES_BY_BOTH: &str = "sign-ins to this account from this address";
const TRIES_BY_ACCOUNT: &str = "sign-ins to this account";

/// A session that has just begun; the token is in here and nowhere else.
#[derive(Debug)]
pub struct NewSession {
    pub token: Secret,
    pub account: Account,
}

/// Signs in by e-mail address and password; nothing when they do not belong together. `client` tells where the try comes
/// from. What is wrong, and how long finding out takes, is the same for an address that nobody has.
pub async fn with_password(app: &App, email: &str, password: &str, client: &str) -> Result<Option<NewSession>> {
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
    // Changed, or gone, while it was being compared.
    if store::password_hash(&mut tx, &known.account.id).await?.as_deref() != Some(&known.hash) {
        return Ok(None);
    }
    let session = begin(app, &mut tx, known.account).await?;
    tx.commit().await?;
    Ok(Some(session))
}

/// Takes one of the tries of where a request comes from.
pub(super) async fn take_try_from(app: &App, client: &str) -> Result<()> {
    throttle::take(app, TRIES_BY_ADDRESS, client, BY_ADDRESS).await
}

/// Takes one of the tries from this address to prove the password of an account that the browser is signed in to. Tries from
/// elsewhere do not count: an attacker who guesses must not keep the owner from changing the password.
pub(super) async fn take_own_try(app: &App, email: &str, client: &str) -> Result<()> {
    throttle::take(app, TRIES_BY_BOTH, &both(email, client), BY_BOTH).await
}

/// Takes one of the tries to tell the password of an account.
pub(super) async fn take_try(app: &App, email: &str, client: &str) -> Result<()> {
    // First: what one address has no tries left for takes none of those of all.
    throttle::take(app, TRIES_BY_BOTH, &both(email, client), BY_BOTH).await?;
    throttle::take(app, TRIES_BY_ACCOUNT, email, BY_ACCOUNT).await
}

/// Whoever told the right one has all tries again.
pub(super) async fn forget_tries(app: &App, email: &str, client: &str) -> Result<()> {
    throttle::clear(app, TRIES_BY_BOTH, &both(email, client)).await?;
    throttle::clear(app, TRIES_BY_ACCOUNT, email).await
}

/// No e-mail address holds a space.
fn both(email: &str, client: &str) -> String {
    format!("{email} {client}")
}

/// Begins a session for somebody who has shown to be the account's owner.
pub(super) async fn begin(app: &App, tx: &mut Tx, account: Account) -> Result<NewSession> {
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    let times = store::SessionTimes {
        created_at: now,
        expires_at: now.plus(UNUSED),
        ends_at: now.plus(LONGEST),
    };
    store::insert_session(tx, &token.hash(), &account.id, &times).await?;
    Ok(NewSession { token, account })
}

/// The account that a session is of, while it lasts. It lasts longer for being used.
pub async fn account_of(app: &App, token: &str) -> Result<Option<Account>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let hash = token.hash();
    let now = app.clock.now();
    let Some(session) = store::find_session(&app.database.read, &hash, now).await? else {
        return Ok(None);
    };
    let later = later_end(now, &session);
    // Once a day: else each page would write.
    if later.since(session.expires_at) >= DAY {
        let mut tx = app.database.begin().await?;
        store::prolong_session(&mut tx, &hash, later).await?;
        tx.commit().await?;
    }
    Ok(Some(session.account))
}

/// A session counts as fresh for this long after the sign-in.
const FRESH: Duration = Duration::from_secs(600);

/// Returns whether the session began a short time ago, so that it shows more than that a browser was left open or a cookie stolen.
pub(super) async fn is_fresh(app: &App, token: &str) -> Result<bool> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(false);
    };
    let now = app.clock.now();
    let session = store::find_session(&app.database.read, &token.hash(), now).await?;
    Ok(session.is_some_and(|session| now.since(session.ends_at.minus(LONGEST)) <= FRESH))
}

fn later_end(now: Timestamp, session: &store::Session) -> Timestamp {
    now.plus(UNUSED).min(session.ends_at)
}

/// Ends the session, if it is one.
pub async fn end(app: &App, token: &str) -> Result<()> {
    if let Some(token) = Secret::from_text(token) {
        let mut tx = app.database.begin().await?;
        store::end_session(&mut tx, &token.hash()).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Forgets sessions that have ended.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten = store::delete_expired_sessions(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}
