//! Maps an identity at an OpenID Connect provider to an account.
use super::Refusal;
use crate::accounts::{self, Account};
use crate::sign_in::owner::lock_for_owner;
use crate::sign_in::session::begin;
use crate::sign_in::{NewSession, store};
use linepress_platform::app::App;
use linepress_platform::config::Oidc;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::oidc::Person;

/// Signs in to the person's account: the account of an earlier sign-in, regardless of the current address; at the first
/// sign-in the account with the person's address, or a new account if the operator allows that.
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
    if accounts::is_locked_out(&mut tx, &account.id).await? {
        return Ok(Err(Refusal::LockedOut));
    }
    let session = begin(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(Ok(session))
}

/// Finds or creates the account with the person's address, and links it to the person's identity.
async fn link(app: &App, tx: &mut Tx, oidc: &Oidc, person: &Person) -> Result<Result<Account, Refusal>> {
    // An unverified address proves nothing: it must not give access to the account of the address's owner.
    let email = person.email.as_deref().filter(|_| person.is_verified);
    let Some(email) = email.and_then(|email| accounts::normalised(email).ok()) else {
        return Ok(Err(Refusal::UnverifiedAddress));
    };
    let account = match accounts::find_by_email_in(tx, &email).await? {
        Some(account) => {
            lock_for_owner(app, tx, &account.id).await?;
            // An address may be given to another person: the account stays with the identity that was linked first.
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
            accounts::create(app, tx, &email, plan, credits).await?
        }
        None => return Ok(Err(Refusal::NoAccount)),
    };
    store::insert_identity(tx, &oidc.issuer, &person.subject, &account.id, app.clock.now()).await?;
    Ok(Ok(account))
}
