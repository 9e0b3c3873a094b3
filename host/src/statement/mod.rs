//! An account's statement: each entry of its ledger with what it was for, as it is called now.
mod store;

use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::credits::EntryKind;
use crate::database::{PageOf, PageRequest};
use crate::error::Result;
use crate::ids::EntryId;
use crate::operations::{OperationType, ResourceType};

/// One line of the statement.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub id: EntryId,
    pub kind: EntryKind,
    /// Negative where credits were taken.
    pub amount: i64,
    /// What was charged or refunded.
    pub purpose: Option<Purpose>,
    /// Why an operator took credits; empty for all others.
    pub reason: String,
    pub created_at: Timestamp,
}

/// What credits were spent for.
#[derive(Clone, Debug)]
pub(crate) struct Purpose {
    pub operation: OperationType,
    pub resource: ResourceType,
    pub resource_id: String,
    /// Nothing when it was deleted since.
    pub title: Option<String>,
}

/// The caller's statement, newest first. `after` is the cursor of the page before.
pub(crate) async fn list(app: &App, caller: &Caller, after: Option<&str>) -> Result<PageOf<Line>> {
    let scope = app.cursors.scope(&caller.account_id, EntryId::PREFIX);
    let request = PageRequest::parse(None, after, scope)?;
    let rows = store::list(&app.database.read, &caller.account_id, &request).await?;
    let lines = rows
        .into_iter()
        .map(store::Row::into_line)
        .collect::<sqlx::Result<_>>()?;
    Ok(PageOf::from_rows(lines, &request, |line: &Line| line.id.as_str()))
}
