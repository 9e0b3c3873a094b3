//! Turning the second factor on and off.
use std::time::Duration;

use super::app_secret::AppSecret;
use super::recovery_code::{RECOVERY_CODES, RecoveryCode};
use super::{check, remove, store};
use crate::accounts;
use crate::caller::Caller;
use crate::credentials;
use crate::sign_in::password;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::secrets::{self, Secret};

/// The time within which a code must confirm a new secret.
pub(super) const ENROLMENT_LIFETIME: Duration = Duration::from_secs(3600);

/// The second factor of an account, as its owner sees it.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// The time at which it was confirmed; `None` when there is none.
    pub since: Option<Timestamp>,
    pub recovery_codes: i64,
}

/// The caller's second factor.
pub async fn status(app: &App, caller: &Caller) -> Result<Status> {
    caller.require_owner()?;
    let account = caller.account_id();
    Ok(Status {
        since: store::confirmed_at(&app.database.read, account).await?,
        recovery_codes: store::count_recovery_codes(&app.database.read, account).await?,
    })
}

/// A new secret, for the owner's authenticator app. It has no effect until a code of the app confirms it.
pub struct Enrolment {
    /// The secret as text, for a person who types it.
    pub secret: String,
    /// The secret as the URL of a QR code.
    pub url: String,
}

impl Enrolment {
    fn new(app: &App, caller: &Caller, secret: &AppSecret) -> Result<Self> {
        Ok(Self {
            secret: secret.text(),
            url: secret.url(&app.config.appearance.name, caller.email())?,
        })
    }
}

/// Makes a secret for the caller's authenticator app, which replaces an unconfirmed one; `None` when the password is
/// wrong. The password is required because a stolen session could otherwise lock out the owner. Only the session with
/// the token `session` can confirm the secret, and sees it again.
pub async fn begin_enrolment(
    app: &App,
    caller: &Caller,
    session: &str,
    password: &str,
    client: &str,
) -> Result<Option<Enrolment>> {
    caller.require_owner()?;
    let Some(right) = password::verify_own(app, caller, password, client).await? else {
        return Ok(None);
    };
    let session = Secret::from_text(session).ok_or_else(|| Error::not_found("session"))?;
    let account = caller.account_id();
    let secret = AppSecret::generate(&app.random);
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, account).await?;
    credentials::check_still_valid(app, &mut tx, caller).await?;
    if !right.is_current(&mut tx, account).await? {
        return Ok(None);
    }
    let key = secrets::encryption_key(&mut tx, &app.random).await?;
    let encrypted = key.encrypt(&app.random, account.as_str(), secret.as_bytes());
    if !store::insert_unconfirmed(&mut tx, account, &encrypted, &session.hash(), app.clock.now()).await? {
        return Err(Error::invalid_field(
            Field::account(),
            "has a second factor already; turn it off first",
        ));
    }
    tx.commit().await?;
    Enrolment::new(app, caller, &secret).map(Some)
}

/// The result of a code for a new secret.
pub enum Confirmation {
    /// The second factor is on. The recovery codes are not stored.
    Confirmed(Vec<RecoveryCode>),
    WrongCode(Enrolment),
    /// No secret awaits its confirmation by this session: it is confirmed already, too old, or another session's.
    NotBegun,
}

/// Turns the second factor on with a code, which shows that the app has the secret. `session` is the token of the
/// session.
pub async fn confirm(app: &App, caller: &Caller, session: &str, code: &str) -> Result<Confirmation> {
    caller.require_owner()?;
    let Some(session) = Secret::from_text(session) else {
        return Ok(Confirmation::NotBegun);
    };
    let (account, session_hash) = (caller.account_id(), session.hash());
    let now = app.clock.now();
    let earliest = now.minus(ENROLMENT_LIFETIME);
    // Before an attempt is taken: another session, which may be stolen, must not use up the owner's attempts.
    let begun = store::find_unconfirmed(&app.database.read, account, &session_hash, earliest).await?;
    if begun.is_none() {
        return Ok(Confirmation::NotBegun);
    }
    check::take_try(app, account).await?;
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, account).await?;
    credentials::check_still_valid(app, &mut tx, caller).await?;
    let Some(encrypted) = store::find_unconfirmed(&mut *tx, account, &session_hash, earliest).await? else {
        return Ok(Confirmation::NotBegun);
    };
    let secret = check::decrypt(app, &mut tx, account, &encrypted).await?;
    let Some(time_step) = secret.time_step_of(&check::without_spaces(code), now) else {
        return Enrolment::new(app, caller, &secret).map(Confirmation::WrongCode);
    };
    store::confirm(&mut tx, account, time_step, now).await?;
    let codes: Vec<_> = (0..RECOVERY_CODES)
        .map(|_| RecoveryCode::generate(&app.random))
        .collect();
    for code in &codes {
        store::insert_recovery_code(&mut tx, account, &code.hash(account)).await?;
    }
    tx.commit().await?;
    check::forget_tries(app, account).await?;
    Ok(Confirmation::Confirmed(codes))
}

/// Turns the second factor off; returns false when the password or the code is wrong.
pub async fn turn_off(app: &App, caller: &Caller, password: &str, code: &str, client: &str) -> Result<bool> {
    caller.require_owner()?;
    let Some(right) = password::verify_own(app, caller, password, client).await? else {
        return Ok(false);
    };
    let account = caller.account_id();
    check::take_try(app, account).await?;
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, account).await?;
    if !right.is_current(&mut tx, account).await? || !check::accept(app, &mut tx, account, code).await? {
        return Ok(false);
    }
    remove(&mut tx, account).await?;
    tx.commit().await?;
    check::forget_tries(app, account).await?;
    Ok(true)
}
