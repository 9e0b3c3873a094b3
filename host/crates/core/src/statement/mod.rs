//! An account's statement: each entry of its ledger with the resource it paid for, under its current title.
mod store;

use crate::app::App;
use crate::caller::Caller;
use crate::credits::EntryKind;
use crate::operations::{OperationType, ResourceType};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::EntryId;

/// One line of the statement.
#[derive(Clone, Debug)]
pub struct Line {
    pub id: EntryId,
    pub kind: EntryKind,
    /// Negative when credits were withdrawn.
    pub amount: i64,
    /// The operation that was charged or refunded; `None` for changes by an operator.
    pub purpose: Option<Purpose>,
    /// The reason an operator gave for a withdrawal; empty for all other entries.
    pub reason: String,
    pub created_at: Timestamp,
}

/// The operation that credits were spent on, and its resource.
#[derive(Clone, Debug)]
pub struct Purpose {
    pub operation: OperationType,
    pub resource: ResourceType,
    pub resource_id: String,
    /// `None` when the resource was deleted since.
    pub title: Option<String>,
}

/// The caller's statement, newest entry first. `after` is the cursor of the previous page.
pub async fn list(app: &App, caller: &Caller, after: Option<&str>) -> Result<PageOf<Line>> {
    caller.require_reading()?;
    let scope = app.cursors.scope(caller.account_id(), EntryId::PREFIX);
    let request = PageRequest::parse(None, after, scope)?;
    let rows = store::list(&app.database.read, caller.account_id(), &request).await?;
    let lines = rows
        .into_iter()
        .map(store::Row::into_line)
        .collect::<sqlx::Result<_>>()?;
    Ok(PageOf::from_rows(lines, &request, |line: &Line| line.id.as_str()))
}
