//! Single-use links: one creates the first account, others set a new password.
use std::time::Duration;

use linepress_model::text_enum;

use super::owner::lock_for_owner;
use super::second_factor::{self, PasswordSignIn};
use super::session::begin;
use super::{NewSession, password, store};
use crate::accounts::{self, Account, Plan, Role};
use crate::outbox::{self, MailKind, Recipient};
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;
use linepress_platform::secrets::Secret;

/// The lifetime of a link.
pub const LINK_LIFETIME: Duration = Duration::from_secs(24 * 3600);

text_enum! {
    /// The purpose of a link.
    pub(super) enum Purpose {
        FirstAccount = "first_account",
        PasswordReset = "password_reset",
    }
}

/// Creates the token of a link with which the first account is created; `None` when there is an account already.
pub async fn offer_first_account(app: &App) -> Result<Option<Secret>> {
    let mut tx = app.database.begin().await?;
    if accounts::any_exists(&mut tx).await? {
        return Ok(None);
    }
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    store::insert_link(
        &mut tx,
        &token.hash(),
        Purpose::FirstAccount,
        None,
        now,
        now.plus(LINK_LIFETIME),
    )
    .await?;
    tx.commit().await?;
    Ok(Some(token))
}

/// Returns true when the first account can be created with this link now.
pub async fn opens_first_account(app: &App, token: &str) -> Result<bool> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(false);
    };
    let mut tx = app.database.begin_read().await?;
    let link = store::find_link(&mut tx, &token.hash(), Purpose::FirstAccount, app.clock.now()).await?;
    Ok(link.is_some() && !accounts::any_exists(&mut tx).await?)
}

/// The data of the first account, which the operator enters.
pub struct FirstAccount<'a> {
    pub email: &'a str,
    pub password: &'a str,
    pub credits: i64,
}

/// Creates the first account, an operator's with the Business plan, and begins a session, in a transaction that the
/// caller commits. `None` when the link is invalid.
pub async fn create_first_account(
    app: &App,
    token: &str,
    first: &FirstAccount<'_>,
) -> Result<Option<(Tx, AccountId, NewSession)>> {
    if !opens_first_account(app, token).await? {
        return Ok(None);
    }
    let email = accounts::normalised(first.email)?;
    password::check(&email, first.password)?;
    let hash = app.passwords.hash(&app.random, first.password).await?;
    let mut tx = app.database.begin().await?;
    // Deletes all such links, so that two that are used at the same moment wait for each other, and the second finds
    // none.
    let ended = store::end_links_of_first_account(&mut tx).await?;
    let own = Secret::from_text(token).map(|token| token.hash());
    if !ended.iter().any(|ended| Some(ended) == own.as_ref()) || accounts::any_exists(&mut tx).await? {
        return Ok(None);
    }
    let account = accounts::create(app, &mut tx, &email, Plan::Business, first.credits).await?;
    accounts::set_role(app, &mut tx, &account.id, Role::Operator).await?;
    let account = Account {
        role: Role::Operator,
        ..account
    };
    let id = account.id.clone();
    store::set_password(&mut tx, &id, &hash, app.clock.now()).await?;
    let session = begin(app, &mut tx, account).await?;
    Ok(Some((tx, id, session)))
}

/// A link with which an account's owner sets a password.
#[derive(Debug)]
pub struct PasswordLink {
    pub token: Secret,
    pub expires_at: Timestamp,
}

/// Creates a link that resets the account's password. Earlier links become invalid.
pub async fn offer_password_reset(app: &App, tx: &mut Tx, account: &AccountId) -> Result<PasswordLink> {
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    let expires_at = now.plus(LINK_LIFETIME);
    accounts::lock(app, tx, account).await?;
    refuse_locked_out(tx, account).await?;
    store::end_links(tx, account).await?;
    let (purpose, owner) = (Purpose::PasswordReset, Some(account));
    store::insert_link(tx, &token.hash(), purpose, owner, now, expires_at).await?;
    Ok(PasswordLink { token, expires_at })
}

/// Creates a further link that resets the account's password, for a mail. Earlier links remain valid: they may be in
/// mails that were sent by an attempt that seemed to fail. None when the account cannot be used.
pub async fn add_password_link(app: &App, account: &AccountId) -> Result<Option<PasswordLink>> {
    let token = Secret::generate(&app.random);
    let now = app.clock.now();
    let expires_at = now.plus(LINK_LIFETIME);
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, account).await?;
    if accounts::is_locked_out(&mut tx, account).await? {
        return Ok(None);
    }
    let (purpose, owner) = (Purpose::PasswordReset, Some(account));
    store::insert_link(&mut tx, &token.hash(), purpose, owner, now, expires_at).await?;
    tx.commit().await?;
    Ok(Some(PasswordLink { token, expires_at }))
}

/// Requests for password links from one client. A whole school may share an address.
const REQUESTS_BY_CLIENT: Rate = Rate::new(20, Duration::from_secs(3600));
/// Requests for password links to one e-mail address, so that nobody fills another person's mailbox.
const REQUESTS_BY_EMAIL: Rate = Rate::new(3, Duration::from_secs(3600));
const REQUESTS_BY_EMAIL_AND_DAY: Rate = Rate::new(5, Duration::from_secs(24 * 3600));
const FROM_CLIENT: &str = "requests for password links from this address";
const FOR_EMAIL: &str = "requests for password links to this e-mail address";
const FOR_EMAIL_OF_DAY: &str = "requests for password links to this e-mail address in a day";

/// Queues a mail with a link that resets the password to this address, if an account has it. The result and its timing
/// are the same if none has: the mail is put into the outbox, and the account is looked up when the mail is sent.
pub async fn request_password_link(app: &App, email: &str, client: &str) -> Result<()> {
    if !app.config.mail.is_on() {
        return Err(Error::not_found("way to have a link mailed"));
    }
    let email = accounts::normalised(email)?;
    throttle::take(app, FROM_CLIENT, client, REQUESTS_BY_CLIENT).await?;
    throttle::take(app, FOR_EMAIL, &email, REQUESTS_BY_EMAIL).await?;
    throttle::take(app, FOR_EMAIL_OF_DAY, &email, REQUESTS_BY_EMAIL_AND_DAY).await?;
    let mut tx = app.database.begin().await?;
    let to = Recipient::Address(&email);
    outbox::put(app, &mut tx, MailKind::PasswordReset, to, None).await?;
    tx.commit().await?;
    Ok(())
}

/// The account whose password the link sets; `None` when the link is invalid.
pub async fn account_of_password_reset(app: &App, token: &str) -> Result<Option<Account>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    Ok(store::owner_of_link(&app.database.read, &token.hash(), app.clock.now()).await?)
}

/// Sets the password, ends the account's sessions (and every other way to sign in if its address was never verified),
/// and signs in; `None` when the link is invalid. A link replaces the password, but not the second factor.
pub async fn reset_password(app: &App, token: &str, new_password: &str) -> Result<Option<PasswordSignIn>> {
    let Some(account) = account_of_password_reset(app, token).await? else {
        return Ok(None);
    };
    password::check(&account.email, new_password)?;
    let hash = app.passwords.hash(&app.random, new_password).await?;
    let mut tx = app.database.begin().await?;
    let mut ended = lock_for_owner(app, &mut tx, &account.id).await?;
    ended.extend(store::end_links(&mut tx, &account.id).await?);
    // The link was used or replaced, or the account was closed or suspended, in the meantime.
    let own = Secret::from_text(token).map(|token| token.hash());
    if !ended.iter().any(|ended| Some(ended) == own.as_ref()) || accounts::is_locked_out(&mut tx, &account.id).await? {
        return Ok(None);
    }
    password::replace(app, &mut tx, &account.id, &hash).await?;
    let signed_in = second_factor::begin_or_await_code(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(Some(signed_in))
}

pub(super) async fn refuse_locked_out(tx: &mut Tx, account: &AccountId) -> Result<()> {
    match accounts::lock_out(tx, account).await? {
        None => Ok(()),
        Some(problem) => Err(Error::invalid_field(Field::account(), problem.advice())),
    }
}

/// Deletes expired links; returns their number.
pub async fn forget_expired_links(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let forgotten =
        store::delete_expired_links(&mut tx, now).await? + store::delete_expired_verifications(&mut tx, now).await?;
    tx.commit().await?;
    Ok(forgotten)
}
