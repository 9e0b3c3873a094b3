//! The progress of an operation, for a page that follows it, and the form that cancels what has not begun.
use axum::extract::State;
use axum::response::Redirect;

use super::accepted;
use super::form::Change;
use linepress_accounts::caller::Caller;
use linepress_core::operations::{ResourceLink, ResourceType};
use linepress_core::{cancellation, operations};
use linepress_drawings::queue::{DrawingStatus, TargetType};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::OperationId;

/// An operation in progress.
pub(super) struct Following {
    pub id: OperationId,
    pub ended: i64,
    pub failed: i64,
    pub total: i64,
    /// The number of drawings of the account that are drawn before those of the operation, none of which has begun.
    pub waits_for: i64,
    /// True if pages and a cover are drawn.
    pub has_cover: bool,
    /// True if the account may cancel drawings of the operation, and some of them have not begun.
    pub may_cancel: bool,
}

/// Cancels the drawings of an operation that have not begun, and returns to the page of its resource.
pub(super) async fn cancel(State(app): State<App>, PathId(id): PathId<OperationId>, change: Change) -> Reply {
    let operation = cancellation::cancel(&app, &change.caller, &id).await?;
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    Ok(accepted::to(&page_of(&operation.resource), "canceled"))
}

/// The address of a form is no page.
pub(super) async fn to_library(_: SignedIn) -> Redirect {
    Redirect::to("/library")
}

fn page_of(resource: &ResourceLink) -> String {
    let folder = match resource.kind {
        ResourceType::Book => "books",
        ResourceType::Page => "pages",
        ResourceType::Character => "characters",
    };
    format!("/library/{folder}/{}", resource.id)
}

impl Following {
    pub(super) async fn find(app: &App, caller: &Caller, id: Option<&OperationId>) -> Result<Option<Self>> {
        let Some(id) = id else { return Ok(None) };
        let operation = operations::get(app, caller, id).await?;
        let Some(operation) = operation.filter(|operation| !operation.status.is_terminal()) else {
            return Ok(None);
        };
        let draws = |kind: TargetType| operation.items.iter().any(|item| item.kind == kind);
        Ok(Some(Self {
            waits_for: operations::waits_for(app, caller, &operation).await?,
            has_cover: draws(TargetType::Page) && draws(TargetType::Cover),
            may_cancel: caller.require_plan().is_ok()
                && operation.items.iter().any(|item| item.status == DrawingStatus::Queued),
            id: operation.id,
            ended: operation.progress.completed + operation.progress.failed,
            failed: operation.progress.failed,
            total: operation.progress.total,
        }))
    }
}
