//! Which account somebody has whom the provider knows.
use super::Refusal;
use crate::accounts::{self, Account};
use crate::app::App;
use crate::config::Oidc;
use crate::database::Tx;
use crate::error::Result;
use crate::oidc::Person;
use crate::sign_in::owner::lock_for_owner;
use crate::sign_in::session::begin;
use crate::sign_in::{NewSession, store};

/// Signs in to the account that belongs to the person: the one they signed in to before, whatever their address is now; at
/// first the one with their address; or a new one, where the operator lets people.
pub(super) async fn sign_in(app: &App, oidc: &Oidc, person: &Person) -> Result<Result<NewSession, Refusal>> {
    let mut tx = app.database.begin().await?;
    let known = store::account_of_identity(&mut tx, &oidc.issuer, &person.subject).await?;
    let account = match known {
        Some(account) => account,
        None => match link(app, &mut tx, oidc, person).await? {
            Ok(account) => account,
            Err(refusal) => return Ok(Err(refusal)),
        },
    };
    accounts::lock(app, &mut tx, &account.id).await?;
    if accounts::is_closed(&mut tx, &account.id).await? {
        return Ok(Err(Refusal::Closed));
    }
    let session = begin(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(Ok(session))
}

/// Finds or makes the account with the person's address, and has it belong to them from now on.
async fn link(app: &App, tx: &mut Tx, oidc: &Oidc, person: &Person) -> Result<Result<Account, Refusal>> {
    // Whoever may write any address into their profile must not get the account of whoever has that address.
    let email = person.email.as_deref().filter(|_| person.is_verified);
    let Some(email) = email.and_then(|email| accounts::normalised(email).ok()) else {
        return Ok(Err(Refusal::UnverifiedAddress));
    };
    let account = match accounts::find_by_email_in(tx, &email).await? {
        Some(account) => {
            lock_for_owner(app, tx, &account.id).await?;
            // Addresses are given to others: whoever had this one before keeps the account.
            if store::subjects(tx, &oidc.issuer, &account.id)
                .await?
                .iter()
                .any(|subject| *subject != person.subject)
            {
                return Ok(Err(Refusal::AnotherPerson));
            }
            account
        }
        None if oidc.new_accounts => {
            let (plan, credits) = (app.config.sign_up_plan, app.config.sign_up_credits);
            accounts::create_in(app, tx, &email, plan, credits).await?
        }
        None => return Ok(Err(Refusal::NoAccount)),
    };
    store::insert_identity(tx, &oidc.issuer, &person.subject, &account.id, app.clock.now()).await?;
    Ok(Ok(account))
}
