//! Credits: an append-only ledger, and a balance that always equals its sum.
pub mod pricing;
mod store;

use linepress_model::text_enum;
use serde::Serialize;
use serde_json::json;

use crate::outbox::{self, MailKind, Recipient};
use crate::webhooks::{self, EventType};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, DrawingId, EntryId, OperationId};

/// The balance and the totals of one account's ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Totals {
    pub available: i64,
    pub spent: i64,
    pub refunded: i64,
}

text_enum! {
    /// The reason why the balance changed.
    pub enum EntryKind {
        Grant = "grant",
        Charge = "charge",
        Refund = "refund",
        /// Withdrawn by an operator.
        Debit = "debit",
    }
}

/// One line of the ledger before it is written.
#[derive(Default)]
struct Entry<'a> {
    amount: i64,
    operation_id: Option<&'a OperationId>,
    drawing_id: Option<&'a DrawingId>,
    reason: &'a str,
}

/// One line of the ledger.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct LedgerEntry {
    pub id: EntryId,
    #[sqlx(try_from = "String")]
    pub kind: EntryKind,
    /// Negative when credits were withdrawn.
    pub amount: i64,
    /// The operation that was charged or refunded; `None` for changes by an operator.
    pub operation_id: Option<OperationId>,
    /// The reason that an operator gave.
    pub reason: String,
    pub created_at: Timestamp,
}

/// Maximum number of credits that an operator can add at a time.
pub const MAX_GRANT_CREDITS: i64 = 1_000_000_000;

/// Adds credits that an operator sold or granted, for a reason or an empty text; returns the new balance.
pub async fn grant(app: &App, tx: &mut Tx, account_id: &AccountId, credits: i64, reason: &str) -> Result<i64> {
    if !(1..=MAX_GRANT_CREDITS).contains(&credits) {
        return Err(Error::invalid_field(
            Field::credits(),
            format!("must be 1 to {MAX_GRANT_CREDITS}"),
        ));
    }
    let entry = Entry {
        amount: credits,
        reason,
        ..Entry::default()
    };
    let balance = post(app, tx, account_id, EntryKind::Grant, &[entry]).await?;
    balance.ok_or_else(|| Error::not_found("account"))
}

/// The credits that a sandbox gets at once, for tests.
const TEST_CREDITS: i64 = 1_000_000;

/// Adds credits to a sandbox, at least `needed`.
pub(crate) async fn grant_for_tests(app: &App, tx: &mut Tx, sandbox: &AccountId, needed: i64) -> Result<()> {
    let credits = needed.clamp(TEST_CREDITS, MAX_GRANT_CREDITS);
    grant(app, tx, sandbox, credits, "Credits for tests").await?;
    Ok(())
}

/// Adds credits to a sandbox that cannot pay this price, so that tests never run out of them; returns false for other
/// accounts.
async fn refill(app: &App, tx: &mut Tx, account_id: &AccountId, price: i64) -> Result<bool> {
    if !store::is_sandbox(tx, account_id).await? {
        return Ok(false);
    }
    grant_for_tests(app, tx, account_id, price).await?;
    Ok(true)
}

/// Withdraws credits on an operator's behalf; returns the new balance. Fails and changes nothing when the balance is
/// too low.
pub async fn debit(app: &App, tx: &mut Tx, account_id: &AccountId, credits: i64, reason: &str) -> Result<i64> {
    let entry = Entry {
        amount: -credits,
        reason,
        ..Entry::default()
    };
    match post(app, tx, account_id, EntryKind::Debit, &[entry]).await? {
        Some(balance) => Ok(balance),
        None => {
            let available = store::balance(&mut **tx, account_id).await?;
            let problem = format!("must be at most the balance, which is {available}");
            Err(Error::invalid_field(Field::credits(), problem))
        }
    }
}

/// Charges the price of an operation; returns the new balance. Fails and changes nothing when the balance is too low.
pub async fn charge(
    app: &App,
    tx: &mut Tx,
    account_id: &AccountId,
    credits: i64,
    operation: &OperationId,
) -> Result<i64> {
    if credits == 0 {
        return Ok(store::balance(&mut **tx, account_id).await?);
    }
    let entry = Entry {
        amount: -credits,
        operation_id: Some(operation),
        ..Entry::default()
    };
    let entries = [entry];
    let mut balance = post(app, tx, account_id, EntryKind::Charge, &entries).await?;
    if balance.is_none() && refill(app, tx, account_id, credits).await? {
        balance = post(app, tx, account_id, EntryKind::Charge, &entries).await?;
    }
    match balance {
        Some(balance) => Ok(balance),
        None => {
            let available = store::balance(&mut **tx, account_id).await?;
            Err(insufficient(credits, available))
        }
    }
}

/// Fails when the balance does not cover the price. Only `charge` guarantees that it still does.
pub async fn require(app: &App, tx: &mut Tx, account_id: &AccountId, price: i64) -> Result<()> {
    let available = store::balance(&mut **tx, account_id).await?;
    if available < price && !refill(app, tx, account_id, price).await? {
        return Err(insufficient(price, available));
    }
    Ok(())
}

fn insufficient(needed: i64, available: i64) -> Error {
    ErrorKind::InsufficientCredits { needed, available }.into()
}

/// The price of a drawing that ended without a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub operation: OperationId,
    pub drawing: DrawingId,
    pub credits: i64,
}

/// Returns the price of drawings that ended without a picture.
pub async fn refund(app: &App, tx: &mut Tx, account_id: &AccountId, refunds: &[Refund]) -> Result<()> {
    let entries: Vec<Entry> = refunds
        .iter()
        .filter(|refund| refund.credits > 0)
        .map(|refund| Entry {
            amount: refund.credits,
            operation_id: Some(&refund.operation),
            drawing_id: Some(&refund.drawing),
            ..Entry::default()
        })
        .collect();
    if !entries.is_empty() {
        post(app, tx, account_id, EntryKind::Refund, &entries).await?;
    }
    Ok(())
}

pub(crate) async fn totals(app: &App, account_id: &AccountId) -> Result<Totals> {
    Ok(store::totals(&app.database.read, account_id).await?)
}

/// The last entries of an account, newest first.
pub async fn entries(app: &App, account_id: &AccountId, limit: i64) -> Result<Vec<LedgerEntry>> {
    Ok(store::entries(&app.database.read, account_id, limit).await?)
}

/// The current balance.
pub async fn available(app: &App, account_id: &AccountId) -> Result<i64> {
    Ok(store::balance(&app.database.read, account_id).await?)
}

/// The balance as this transaction sees it.
pub async fn available_in(tx: &mut Tx, account_id: &AccountId) -> Result<i64> {
    Ok(store::balance(&mut **tx, account_id).await?)
}

/// The accounts whose balance differs from the sum of their ledger. There are none unless the database was tampered
/// with.
pub async fn mismatches(app: &App) -> Result<Vec<AccountId>> {
    Ok(store::mismatches(&app.database.read).await?)
}

/// A change of a balance.
#[derive(Clone, Copy)]
struct Change {
    kind: EntryKind,
    amount: i64,
}

/// Queues a mail and records an event when the balance falls below the setting. The next fall is announced only once a
/// grant has raised the balance to the setting; a refund does not count, because it may raise it for a moment.
async fn note_level(app: &App, tx: &mut Tx, account_id: &AccountId, change: Change, balance: i64) -> Result<()> {
    let limit = app.config.mail.low_credits;
    let has_fallen = change.amount < 0 && balance < limit && balance - change.amount >= limit;
    if has_fallen && store::begin_low(tx, account_id, app.clock.now()).await? {
        outbox::put(app, tx, MailKind::LowCredits, Recipient::Account(account_id), None).await?;
        let data = json!({"available": balance});
        webhooks::record(app, tx, account_id, EventType::CreditsLow, &data).await?;
    }
    if change.kind == EntryKind::Grant && balance >= limit {
        store::end_low(tx, account_id).await?;
    }
    Ok(())
}

/// Returns true when the balance is not below the setting. Then its next fall causes another notice: this one is not
/// sent.
pub async fn end_low_if_recovered(app: &App, account_id: &AccountId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let has_recovered = store::end_low_from(&mut tx, account_id, app.config.mail.low_credits).await?;
    tx.commit().await?;
    Ok(has_recovered)
}

/// Changes the balance and writes the entries; returns the new balance, or `None` and changes nothing when it would
/// become negative. The metrics count the credits of customers only.
async fn post(
    app: &App,
    tx: &mut Tx,
    account_id: &AccountId,
    kind: EntryKind,
    entries: &[Entry<'_>],
) -> Result<Option<i64>> {
    let now = app.clock.now();
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| (EntryId::generate(now, &app.random), entry))
        .collect();
    let amount: i64 = entries.iter().map(|(_, entry)| entry.amount).sum();
    let Some(moved) = store::move_balance(tx, account_id, kind, amount, now).await? else {
        return Ok(None);
    };
    store::insert(tx, account_id, kind, &entries, now).await?;
    note_level(app, tx, account_id, Change { kind, amount }, moved.credits).await?;
    if moved.sandbox_of.is_none() {
        let metrics = app.metrics.credits.clone();
        tx.after_commit(move || metrics.posted(kind.as_str(), amount.unsigned_abs()));
    }
    Ok(Some(moved.credits))
}
