//! Sign-up: people create their own accounts where the operator allows it.
use std::time::Duration;

use super::session::begin;
use super::{NewSession, password, store};
use crate::accounts::{self, Plan};
use crate::outbox::{self, MailKind, Recipient};
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

/// Sign-ups from one address. The limit keeps a client from testing which of many email addresses have accounts.
const RATE: Rate = Rate::new(10, Duration::from_secs(3600));
const TRIES: &str = "sign-ups from this address";

/// Creates an account, and begins a session. The account gets the plan and credits of the settings: at once on a server
/// that sends no mail, and otherwise when the person has verified the address with the link that is mailed to it.
///
/// A sign-up with an address that already has an account is refused with that reason. No other reply would hide the
/// fact, because the session that begins would be missing. So attempts are limited instead.
pub async fn sign_up(app: &App, email: &str, new_password: &str, client: &str) -> Result<NewSession> {
    if !app.config.sign_up {
        return Err(Error::not_found("way to make an account here"));
    }
    let email = accounts::normalised(email)?;
    password::check(&email, new_password)?;
    throttle::take(app, TRIES, client, RATE).await?;
    let hash = app.passwords.hash(&app.random, new_password).await?;
    let is_verified_by_mail = app.config.mail.is_on();
    let (plan, credits) = match is_verified_by_mail {
        true => (Plan::Free, 0),
        false => (app.config.sign_up_plan, app.config.sign_up_credits),
    };
    let mut tx = app.database.begin().await?;
    let account = accounts::create(app, &mut tx, &email, plan, credits).await?;
    accounts::mark_unverified(app, &mut tx, &account.id).await?;
    if is_verified_by_mail {
        accounts::defer_start(app, &mut tx, &account.id).await?;
        let to = Recipient::Account(&account.id);
        outbox::put(app, &mut tx, MailKind::Verification, to, None).await?;
    }
    store::set_password(&mut tx, &account.id, &hash, app.clock.now()).await?;
    let session = begin(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(session)
}
