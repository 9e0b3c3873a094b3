//! Making an account for oneself, where the operator lets people.
use std::time::Duration;

use super::session::begin;
use super::{NewSession, password, store};
use crate::accounts;
use crate::app::App;
use crate::error::{Error, Result};
use crate::throttle::{self, Rate};

/// From one address. Whoever is told that an e-mail address is taken cannot ask for many.
const RATE: Rate = Rate::new(10, Duration::from_secs(3600));
const TRIES: &str = "sign-ups from this address";

/// Makes an account as the settings say, and signs in to it.
///
/// Whoever signs up with an address that is taken is told so: without sending mail there is no other answer that helps them,
/// and none that would hide it, for the account would not be there when they sign in. Tries are limited instead.
pub async fn sign_up(app: &App, email: &str, new_password: &str, client: &str) -> Result<NewSession> {
    if !app.config.sign_up {
        return Err(Error::not_found("way to make an account here"));
    }
    let email = accounts::normalised(email)?;
    password::check(&email, new_password)?;
    throttle::take(app, TRIES, client, RATE).await?;
    let hash = app.passwords.hash(&app.random, new_password).await?;
    let (plan, credits) = (app.config.sign_up_plan, app.config.sign_up_credits);
    let mut tx = app.database.begin().await?;
    let account = accounts::create_in(app, &mut tx, &email, plan, credits).await?;
    accounts::unverify(app, &mut tx, &account.id).await?;
    store::set_password(&mut tx, &account.id, &hash, app.clock.now()).await?;
    let session = begin(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(session)
}
