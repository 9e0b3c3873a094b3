//! An account's statement: each entry of its ledger with the resource it paid for, under its current title.
mod store;

use serde::Serialize;

use crate::operations::{OperationType, ResourceType};
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::EntryKind;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::{EntryId, OperationId};
use linepress_platform::month::Month;

/// One line of the statement.
#[derive(Clone, Debug)]
pub struct Line {
    pub id: EntryId,
    pub kind: EntryKind,
    /// Negative when credits were withdrawn.
    pub amount: i64,
    /// The operation that was charged or refunded; `None` for changes by an operator.
    pub purpose: Option<Purpose>,
    /// The reason that an operator gave; empty for charges and refunds.
    pub reason: String,
    pub created_at: Timestamp,
}

/// The operation that credits were spent on, and its resource.
#[derive(Clone, Debug)]
pub struct Purpose {
    pub operation_id: OperationId,
    pub operation: OperationType,
    pub resource: ResourceType,
    pub resource_id: String,
    /// `None` when the resource was deleted since.
    pub title: Option<String>,
}

/// The entries of one kind for one type of operation.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct UsageLine {
    #[sqlx(try_from = "String")]
    pub kind: EntryKind,
    /// The type of the operations; null for changes by an operator.
    #[schema(required, value_type = Option<OperationType>)]
    pub operation_type: Option<String>,
    /// The number of entries.
    #[schema(minimum = 1)]
    pub entries: i64,
    /// The sum of their amounts, in credits: negative for charges and for what an operator withdrew.
    pub amount: i64,
}

/// A part of the caller's statement, newest entry first, of the month if one is given.
pub async fn list(app: &App, caller: &Caller, month: Option<Month>, request: &PageRequest) -> Result<PageOf<Line>> {
    caller.require_reading()?;
    let rows = store::list(&app.database.read, caller.account_id(), month.map(ids), request).await?;
    let lines = rows
        .into_iter()
        .map(store::Row::into_line)
        .collect::<sqlx::Result<_>>()?;
    Ok(PageOf::from_rows(lines, request, |line: &Line| line.id.as_str()))
}

/// The sums of the month's entries, by kind and type of operation.
pub async fn usage(app: &App, caller: &Caller, month: Month) -> Result<Vec<UsageLine>> {
    caller.require_reading()?;
    Ok(store::usage(&app.database.read, caller.account_id(), ids(month)).await?)
}

/// The bounds of the ids of the month's entries.
fn ids(month: Month) -> (EntryId, EntryId) {
    (
        EntryId::earliest(month.beginning()),
        EntryId::earliest(month.next().beginning()),
    )
}
