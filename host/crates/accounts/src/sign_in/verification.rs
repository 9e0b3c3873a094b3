//! Links that verify the address of an account that was created by sign-up.
//!
//! A link verifies the address only for the account's owner in a session. The link shows that its holder reads the
//! mails to the address. The session shows that they chose the password. Another person may have signed up with the
//! address, and must not get an account with a verified address because the owner of the address opened a mail.
use std::time::Duration;

use super::links::LINK_LIFETIME;
use super::store;
use crate::accounts;
use crate::caller::Caller;
use crate::outbox::{self, MailKind, Recipient};
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;
use linepress_platform::secrets::Secret;

/// Further mails with a link to one address.
const RATE: Rate = Rate::new(3, Duration::from_secs(3600));
/// The limit of a day: the address may be that of another person, who cannot stop the mails.
const RATE_OF_DAY: Rate = Rate::new(5, Duration::from_secs(24 * 3600));
const REQUESTS: &str = "requests for a link to this address";
const REQUESTS_OF_DAY: &str = "requests for a link to this address in a day";

/// Returns true when the server sends mail and the address of the caller's account is not verified.
pub async fn awaits_verification(app: &App, caller: &Caller) -> Result<bool> {
    caller.require_owner()?;
    if !app.config.mail.is_on() {
        return Ok(false);
    }
    let mut tx = app.database.begin_read().await?;
    accounts::is_unverified(&mut tx, caller.account_id()).await
}

/// Queues a mail with another link to the caller's address, unless it is verified.
pub async fn request_link(app: &App, caller: &Caller) -> Result<()> {
    caller.require_owner()?;
    throttle::take(app, REQUESTS, caller.email(), RATE).await?;
    throttle::take(app, REQUESTS_OF_DAY, caller.email(), RATE_OF_DAY).await?;
    let mut tx = app.database.begin().await?;
    if accounts::is_unverified(&mut tx, caller.account_id()).await? {
        let to = Recipient::Account(caller.account_id());
        outbox::put(app, &mut tx, MailKind::Verification, to, None).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Creates a link for a mail. Earlier ones remain valid, because each may be in a mail. None when there is nothing to
/// verify.
pub async fn add_link(app: &App, account: &AccountId) -> Result<Option<Secret>> {
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, account).await?;
    if !accounts::is_unverified(&mut tx, account).await? || accounts::is_locked_out(&mut tx, account).await? {
        return Ok(None);
    }
    store::insert_verification(&mut tx, &token.hash(), account, now, now.plus(LINK_LIFETIME)).await?;
    tx.commit().await?;
    Ok(Some(token))
}

/// Verifies the address of the caller's account, which then gets the plan and the credits of a new account if it waits
/// for them. Returns false when the link is invalid or belongs to another account. A link that was used stays valid
/// until it expires, so that a form that is sent twice succeeds twice.
pub async fn verify_address(app: &App, caller: &Caller, token: &str) -> Result<bool> {
    caller.require_owner()?;
    let Some(token) = Secret::from_text(token) else {
        return Ok(false);
    };
    let account = caller.account_id();
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, account).await?;
    let is_valid = store::is_verification_of(&mut tx, &token.hash(), account, app.clock.now()).await?;
    if !is_valid || accounts::is_locked_out(&mut tx, account).await? {
        return Ok(false);
    }
    if accounts::is_unverified(&mut tx, account).await? {
        accounts::confirm_address(app, &mut tx, account).await?;
    }
    tx.commit().await?;
    Ok(true)
}
