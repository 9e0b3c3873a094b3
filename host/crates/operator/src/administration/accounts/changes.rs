//! Changes of accounts by operators.
use std::net::IpAddr;

use super::{AccountChange, CreditBalance, CreditChange, ManagedAccount, NewAccount, store};
use crate::administration::audit_log::{self, Change, Target};
use crate::administration::{Actor, GivenReason, begin, finish};
use linepress_accounts::accounts::{self, Role, Usage};
use linepress_accounts::credits;
use linepress_accounts::idempotency::{Done, IdempotencyKey, Once};
use linepress_accounts::outbox::{self, MailKind, Recipient};
use linepress_accounts::sign_in::{self, FirstAccount, NewSession, PasswordHash, PasswordLink, second_factor};
use linepress_core::closing::{self, Closed};
use linepress_core::{operations, worker};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;
use linepress_platform::validation;

/// A new account, and the link with which its owner sets a password.
#[derive(Debug)]
pub struct Invitation {
    pub account: ManagedAccount,
    pub link: PasswordLink,
}

/// Creates an account, with a password if there is one.
pub async fn create(app: &App, actor: &Actor, new: &NewAccount, password: Option<&str>) -> Result<ManagedAccount> {
    actor.require_operator()?;
    check_role(actor, new)?;
    let hash = match password {
        Some(password) => Some(PasswordHash::of(app, &accounts::normalised(&new.email)?, password).await?),
        None => None,
    };
    let mut tx = begin(app, actor).await?;
    let id = insert(app, &mut tx, new).await?;
    if let Some(hash) = hash {
        sign_in::set_password(app, &mut tx, &id, &hash).await?;
    }
    let account = present(&mut tx, &id).await?;
    finish(app, tx, actor, Target::Account(&id), creation(&account, false)).await?;
    Ok(account)
}

/// Creates the first account with the link of the first start, and begins a session; `None` when the link is invalid.
/// The audit log names the account itself as the operator.
pub async fn create_first(
    app: &App,
    token: &str,
    first: &FirstAccount<'_>,
    address: IpAddr,
) -> Result<Option<NewSession>> {
    let Some((mut tx, id, session)) = sign_in::create_first_account(app, token, first).await? else {
        return Ok(None);
    };
    let account = present(&mut tx, &id).await?;
    let owner = Actor::of_first_account(id.clone(), address);
    finish(app, tx, &owner, Target::Account(&id), creation(&account, false)).await?;
    Ok(Some(session))
}

/// Creates an account, and a link with which its owner sets a password. If the server sends mail, the owner is mailed a
/// link as well.
pub async fn invite(app: &App, actor: &Actor, new: &NewAccount) -> Result<Invitation> {
    actor.require_operator()?;
    check_role(actor, new)?;
    let mut tx = begin(app, actor).await?;
    let id = insert(app, &mut tx, new).await?;
    let link = sign_in::offer_password_reset(app, &mut tx, &id).await?;
    outbox::put(app, &mut tx, MailKind::Invitation, Recipient::Account(&id), None).await?;
    let account = present(&mut tx, &id).await?;
    finish(app, tx, actor, Target::Account(&id), creation(&account, true)).await?;
    Ok(Invitation { account, link })
}

/// Fails when a limited API key would make another operator, who is not bound to its limits.
fn check_role(actor: &Actor, new: &NewAccount) -> Result<()> {
    match new.role {
        Role::Customer => Ok(()),
        Role::Operator => actor.require_unlimited(),
    }
}

async fn insert(app: &App, tx: &mut Tx, new: &NewAccount) -> Result<AccountId> {
    validation::check(new)?;
    let account = accounts::create(app, tx, &new.email, new.plan, new.credits).await?;
    if new.role != Role::Customer {
        accounts::set_role(app, tx, &account.id, new.role).await?;
    }
    Ok(account.id)
}

fn creation(account: &ManagedAccount, invited: bool) -> Change<'static> {
    Change::CreateAccount {
        plan: account.plan,
        role: account.role,
        credits: account.credits,
        invited,
    }
}

/// The account as this transaction sees it.
async fn present(tx: &mut Tx, id: &AccountId) -> Result<ManagedAccount> {
    let found = store::find(&mut **tx, id).await?;
    found.ok_or_else(|| Error::not_found("account"))
}

/// Locks the account's row and returns the account. None if there is no such account; an error for a sandbox.
async fn locked(app: &App, tx: &mut Tx, id: &AccountId) -> Result<Option<ManagedAccount>> {
    accounts::lock(app, tx, id).await?;
    of_customer(store::find(&mut **tx, id).await?)
}

/// The account, if there is one; an error for a sandbox, which changes only with its owner's account.
fn of_customer(found: Option<ManagedAccount>) -> Result<Option<ManagedAccount>> {
    match found.as_ref().and_then(|account| account.sandbox_of.as_ref()) {
        None => Ok(found),
        Some(owner) => {
            let problem = format!("is the sandbox of {owner}: change that account");
            Err(Error::invalid_field(Field::account(), problem))
        }
    }
}

/// Cancels and refunds the queued drawings of an account; returns their number.
async fn cancel_drawings(app: &App, tx: &mut Tx, id: &AccountId) -> Result<usize> {
    let mut usage = Usage::default();
    let canceled = worker::cancel_all_queued(app, tx, id).await?;
    operations::settle(app, tx, id, &canceled, &mut usage).await?;
    accounts::change_usage(tx, id, usage).await?;
    Ok(canceled.undrawn())
}

/// Fails when the address of the account was never verified. Anyone can sign up with another person's address, and
/// would then receive what an operator gives to the account.
fn require_verified(account: &ManagedAccount, accept_unverified: bool) -> Result<()> {
    match account.unverified_since.filter(|_| !accept_unverified) {
        None => Ok(()),
        Some(since) => Err(Error::invalid_field(
            Field::account(),
            format!(
                "has an address that is not verified: anyone may have signed up with it on {since}. Offer its owner a password link, or \
                 accept the unverified address"
            ),
        )),
    }
}

/// Changes the plan, the role and the limits of an account. None if there is no such account.
pub async fn change(
    app: &App,
    actor: &Actor,
    id: &AccountId,
    change: &AccountChange,
) -> Result<Option<ManagedAccount>> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let Some(before) = locked(app, &mut tx, id).await? else {
        return Ok(None);
    };
    require_verified(&before, change.accept_unverified)?;
    if let Some(plan) = change.plan {
        accounts::set_plan(app, &mut tx, id, plan).await?;
        let change = Change::SetPlan {
            from: before.plan,
            to: plan,
        };
        audit_log::record(app, &mut tx, actor, Target::Account(id), change).await?;
    }
    if let Some(role) = change.role {
        actor.refuse_own(id)?;
        actor.require_unlimited()?;
        accounts::set_role(app, &mut tx, id, role).await?;
        let change = Change::SetRole {
            from: before.role,
            to: role,
        };
        audit_log::record(app, &mut tx, actor, Target::Account(id), change).await?;
    }
    let mut limits = before.limits;
    if let Some(changes) = &change.limits
        && changes.apply(&mut limits)?
    {
        accounts::set_limits(app, &mut tx, id, &limits).await?;
        let change = Change::SetLimits { limits: &limits };
        audit_log::record(app, &mut tx, actor, Target::Account(id), change).await?;
    }
    let account = present(&mut tx, id).await?;
    tx.commit().await?;
    Ok(Some(account))
}

/// Adds credits to an account, or withdraws some, once for each idempotency key. None if there is no such account.
pub async fn change_credits(
    app: &App,
    actor: &Actor,
    key: Option<&IdempotencyKey>,
    id: &AccountId,
    change: &CreditChange,
) -> Result<Option<Done<CreditBalance>>> {
    actor.require_operator()?;
    validation::check(change)?;
    if change.amount == 0 {
        return Err(Error::invalid_field(Field::named("amount"), "must not be 0"));
    }
    let once = actor.caller().map(|caller| {
        let (action, target) = ("admin.credits.change", Some(id.as_str()));
        Once::new(app, caller, key, action, target, change)
    });
    let once = once.transpose()?;
    let mut tx = begin(app, actor).await?;
    if let Some(once) = &once
        && let Some(earlier) = once.claim(&mut tx).await?
    {
        return earlier.reply().map(Some);
    }
    let Some(account) = locked(app, &mut tx, id).await? else {
        return Ok(None);
    };
    let balance = if change.amount > 0 {
        require_verified(&account, change.accept_unverified)?;
        credits::grant(app, &mut tx, id, change.amount, &change.reason).await?
    } else {
        credits::debit(app, &mut tx, id, -change.amount, &change.reason).await?
    };
    let reply = CreditBalance { credits: balance };
    let done = match &once {
        Some(once) => once.done(&mut tx, reply).await?,
        None => Done { reply, replayed: false },
    };
    let change = Change::PostCredits {
        amount: change.amount,
        balance,
        reason: &change.reason,
    };
    finish(app, tx, actor, Target::Account(id), change).await?;
    Ok(Some(done))
}

/// Suspends an account: its keys, sessions and apps are refused, and its queued drawings are canceled and refunded.
/// Nothing changes if it is suspended already. None if there is no such account.
pub async fn suspend(app: &App, actor: &Actor, id: &AccountId, given: &GivenReason) -> Result<Option<ManagedAccount>> {
    actor.require_operator()?;
    actor.refuse_own(id)?;
    validation::check(given)?;
    let mut tx = begin(app, actor).await?;
    match of_customer(store::find(&mut *tx, id).await?)? {
        Some(account) if account.suspended_at.is_none() => {}
        other => return Ok(other),
    }
    // Before the account's row is locked, because all transactions lock drawings first.
    let mut canceled_drawings = cancel_drawings(app, &mut tx, id).await?;
    // Another operator may have suspended it since.
    match locked(app, &mut tx, id).await? {
        Some(account) if account.suspended_at.is_none() => {}
        other => return Ok(other),
    }
    if let Some(sandbox) = accounts::sandbox_of(&mut tx, id).await? {
        canceled_drawings += cancel_drawings(app, &mut tx, &sandbox).await?;
    }
    accounts::suspend(app, &mut tx, id).await?;
    let account = present(&mut tx, id).await?;
    let change = Change::Suspend {
        reason: &given.reason,
        canceled_drawings,
    };
    finish(app, tx, actor, Target::Account(id), change).await?;
    Ok(Some(account))
}

/// Ends the suspension of an account, whose keys, sessions and apps work again. Nothing changes if it is not suspended.
/// None if there is no such account.
pub async fn resume(app: &App, actor: &Actor, id: &AccountId) -> Result<Option<ManagedAccount>> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    match locked(app, &mut tx, id).await? {
        Some(account) if account.suspended_at.is_some() => {}
        other => return Ok(other),
    }
    accounts::resume(app, &mut tx, id).await?;
    let account = present(&mut tx, id).await?;
    finish(app, tx, actor, Target::Account(id), Change::Resume).await?;
    Ok(Some(account))
}

/// Closes an account. None if there is no such account.
pub async fn close(app: &App, actor: &Actor, id: &AccountId) -> Result<Option<Closed>> {
    actor.require_operator()?;
    actor.refuse_own(id)?;
    let mut tx = begin(app, actor).await?;
    if of_customer(store::find(&mut *tx, id).await?)?.is_none() {
        return Ok(None);
    }
    let closed = closing::close(app, &mut tx, id).await?;
    let change = Change::Close {
        revoked_keys: closed.keys,
        canceled_drawings: closed.drawings,
    };
    finish(app, tx, actor, Target::Account(id), change).await?;
    closing::end_late_grants(app, id).await?;
    Ok(Some(closed))
}

/// Makes a link with which the account's owner sets a new password. Earlier links become invalid. None if there is no
/// such account.
pub async fn offer_password_link(app: &App, actor: &Actor, id: &AccountId) -> Result<Option<PasswordLink>> {
    actor.require_operator()?;
    actor.require_unlimited()?;
    let mut tx = begin(app, actor).await?;
    if of_customer(store::find(&mut *tx, id).await?)?.is_none() {
        return Ok(None);
    }
    let link = sign_in::offer_password_reset(app, &mut tx, id).await?;
    let change = Change::OfferPasswordLink {
        expires_at: link.expires_at,
    };
    finish(app, tx, actor, Target::Account(id), change).await?;
    Ok(Some(link))
}

/// Sets the password of an account, and ends its sessions. None if there is no such account.
pub async fn set_password(app: &App, actor: &Actor, id: &AccountId, password: &str) -> Result<Option<()>> {
    actor.require_operator()?;
    let Some(account) = of_customer(store::find(&app.database.read, id).await?)? else {
        return Ok(None);
    };
    let hash = PasswordHash::of(app, &account.email, password).await?;
    let mut tx = begin(app, actor).await?;
    sign_in::set_password(app, &mut tx, id, &hash).await?;
    finish(app, tx, actor, Target::Account(id), Change::SetPassword).await?;
    Ok(Some(()))
}

/// Removes the second factor of an account, whose owner lost the app and the recovery codes: the password alone signs
/// in again. Nothing changes if it has none. None if there is no such account.
pub async fn reset_second_factor(app: &App, actor: &Actor, id: &AccountId) -> Result<Option<ManagedAccount>> {
    actor.require_operator()?;
    actor.require_unlimited()?;
    // Turning off one's own needs the password and a code, which a stolen session does not have.
    actor.refuse_own(id)?;
    let mut tx = begin(app, actor).await?;
    match locked(app, &mut tx, id).await? {
        Some(account) if account.second_factor_since.is_some() => {}
        other => return Ok(other),
    }
    second_factor::remove(&mut tx, id).await?;
    let account = present(&mut tx, id).await?;
    finish(app, tx, actor, Target::Account(id), Change::ResetSecondFactor).await?;
    Ok(Some(account))
}
