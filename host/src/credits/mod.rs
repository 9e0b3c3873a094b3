//! Credits: an append-only ledger, and a balance that is always its sum.
pub mod pricing;
mod store;

use linepress_model::text_enum;
use serde::Serialize;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{AccountId, DrawingId, EntryId, OperationId};

/// What the ledger of one account adds up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Totals {
    pub available: i64,
    pub spent: i64,
    pub refunded: i64,
}

text_enum! {
    /// Why the balance changed.
    pub enum EntryKind {
        Grant = "grant",
        Charge = "charge",
        Refund = "refund",
        /// Taken back by an operator.
        Debit = "debit",
    }
}

/// One line of the ledger, before it has a place in it.
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
    /// Negative where credits were taken.
    pub amount: i64,
    /// What was charged or refunded.
    pub operation_id: Option<OperationId>,
    /// Why an operator took credits.
    pub reason: String,
    pub created_at: Timestamp,
}

/// Adds credits that an operator sold or gave; returns the new balance.
pub async fn grant(app: &App, tx: &mut Tx, account_id: &AccountId, credits: i64) -> Result<i64> {
    const MOST: i64 = 1_000_000_000;
    if !(1..=MOST).contains(&credits) {
        return Err(Error::invalid_field("credits", format!("must be 1 to {MOST}")));
    }
    let entry = Entry {
        amount: credits,
        ..Entry::default()
    };
    let balance = post(app, tx, account_id, EntryKind::Grant, &[entry]).await?;
    balance.ok_or_else(|| Error::not_found("account"))
}

/// Takes credits that an operator wants back; returns the new balance. Refuses, and changes nothing, when there are fewer.
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
            Err(Error::invalid_field("credits", problem))
        }
    }
}

/// Takes what an operation costs; returns the new balance. Refuses, and changes nothing, when it is not there.
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
    match post(app, tx, account_id, EntryKind::Charge, &[entry]).await? {
        Some(balance) => Ok(balance),
        None => {
            let available = store::balance(&mut **tx, account_id).await?;
            Err(insufficient(credits, available))
        }
    }
}

/// Refuses when the balance does not cover the price. The charge itself still decides.
pub async fn require(tx: &mut Tx, account_id: &AccountId, price: i64) -> Result<()> {
    let available = store::balance(&mut **tx, account_id).await?;
    if available < price {
        return Err(insufficient(price, available));
    }
    Ok(())
}

fn insufficient(needed: i64, available: i64) -> Error {
    ErrorKind::InsufficientCredits { needed, available }.into()
}

/// What a drawing cost that ended without a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    pub operation: OperationId,
    pub drawing: DrawingId,
    pub credits: i64,
}

/// Gives back what was not drawn.
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

pub async fn totals(app: &App, account_id: &AccountId) -> Result<Totals> {
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

/// The accounts whose balance is not the sum of their ledger. There are none, unless the database was tampered with.
pub async fn mismatches(app: &App) -> Result<Vec<AccountId>> {
    Ok(store::mismatches(&app.database.read).await?)
}

/// Moves the balance and writes the entries; nothing when the balance would fall below zero.
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
    let amount = entries.iter().map(|(_, entry)| entry.amount).sum();
    let balance = store::move_balance(tx, account_id, kind, amount, now).await?;
    if balance.is_some() {
        store::insert(tx, account_id, kind, &entries, now).await?;
    }
    Ok(balance)
}
