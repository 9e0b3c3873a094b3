//! Sign-ins whose password was right and which await a code.
use std::time::Duration;

use super::{check, store};
use crate::accounts::{self, Account};
use crate::sign_in::NewSession;
use crate::sign_in::session::{begin, take_try_from};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::secrets::Secret;

/// The time within which the code must be entered.
pub const PENDING_LIFETIME: Duration = Duration::from_secs(600);

/// The result of a right password.
#[derive(Debug)]
pub enum PasswordSignIn {
    Complete(NewSession),
    /// The account has a second factor.
    AwaitsCode(PendingSignIn),
}

/// A sign-in that awaits a code. The database stores the hash of its token.
#[derive(Debug)]
pub struct PendingSignIn {
    pub token: Secret,
}

/// Begins a session for a person who has proved the account's password, or a pending sign-in if the account has a
/// second factor. The caller has locked the account's row.
pub(in crate::sign_in) async fn begin_or_await_code(
    app: &App,
    tx: &mut Tx,
    account: Account,
) -> Result<PasswordSignIn> {
    if store::find_confirmed(tx, &account.id).await?.is_none() {
        return begin(app, tx, account).await.map(PasswordSignIn::Complete);
    }
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    store::insert_pending(tx, &token.hash(), &account.id, now, now.plus(PENDING_LIFETIME)).await?;
    Ok(PasswordSignIn::AwaitsCode(PendingSignIn { token }))
}

/// Returns true when a code can complete the sign-in with this token.
pub async fn is_pending(app: &App, token: &str) -> Result<bool> {
    Ok(find(app, token).await?.is_some())
}

async fn find(app: &App, token: &str) -> Result<Option<(Secret, Account)>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let account = store::owner_of_pending(&app.database.read, &token.hash(), app.clock.now()).await?;
    Ok(account.map(|account| (token, account)))
}

/// The result of a code for a pending sign-in.
#[derive(Debug)]
pub enum Completion {
    SignedIn(NewSession),
    /// The code is wrong, or was used before.
    WrongCode,
    /// The sign-in is unknown, completed or too old, or the password was changed in the meantime.
    NotPending,
}

/// Completes a pending sign-in with a code of the app or a recovery code. `client` is the address of the client.
pub async fn complete_sign_in(app: &App, token: &str, code: &str, client: &str) -> Result<Completion> {
    take_try_from(app, client).await?;
    let Some((token, account)) = find(app, token).await? else {
        return Ok(Completion::NotPending);
    };
    check::take_try(app, &account.id).await?;
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, &account.id).await?;
    // Everything that ends a pending sign-in locks the account's row, and so has ended it by now.
    if accounts::is_locked_out(&mut tx, &account.id).await? || !store::delete_pending(&mut tx, &token.hash()).await? {
        return Ok(Completion::NotPending);
    }
    // A wrong code rolls the deletion back.
    if !check::accept(app, &mut tx, &account.id, code).await? {
        return Ok(Completion::WrongCode);
    }
    let id = account.id.clone();
    let session = begin(app, &mut tx, account).await?;
    tx.commit().await?;
    check::forget_tries(app, &id).await?;
    Ok(Completion::SignedIn(session))
}

/// Deletes expired pending sign-ins, and enrolments that were not confirmed; returns their number.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let pending = store::delete_expired_pending(&mut tx, now).await?;
    let unconfirmed = store::delete_unconfirmed(&mut tx, now.minus(super::enrolment::ENROLMENT_LIFETIME)).await?;
    tx.commit().await?;
    Ok(pending + unconfirmed)
}
