//! Operations of all accounts, their drawings, and the queue.
mod changes;
mod store;
mod waiting;

use serde::Serialize;

use super::Actor;
use linepress_core::operations::{OperationCredits, OperationStatus, OperationType, Progress, ResourceType, SafeError};
use linepress_drawings::queue::pause::QueuePause;
use linepress_drawings::queue::{self, DrawingStatus, TargetType};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, DrawingId, OperationId};

pub use changes::{Canceled, Retried, cancel, pause_queue, resume_queue, retry_now};
pub use waiting::{WaitReason, Waiting};

/// An operation of any account, as an operator sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ManagedOperation {
    pub id: OperationId,
    /// The account that ordered it.
    pub account_id: AccountId,
    /// The email address of the account.
    #[schema(format = "email", example = "ada@example.com")]
    pub account_email: String,
    #[serde(rename = "type")]
    pub kind: OperationType,
    pub status: OperationStatus,
    pub progress: Progress,
    pub credits: OperationCredits,
    pub resource_type: ResourceType,
    /// The id of the resource that is drawn.
    pub resource_id: String,
    /// The time when the operation was accepted.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time when the first drawing began; null while all drawings are queued.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub started_at: Option<Timestamp>,
    /// The time when the last drawing ended; null until then.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub finished_at: Option<Timestamp>,
}

/// A drawing of an operation, as an operator sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ManagedDrawing {
    pub id: DrawingId,
    pub target_type: TargetType,
    /// The id of the page, the character or, for a cover, the book.
    pub target_id: String,
    pub title: String,
    pub status: DrawingStatus,
    /// The reason why it is not being drawn; null while a worker holds it and after it ended.
    #[schema(required)]
    pub waiting: Option<Waiting>,
    /// The number of attempts that count.
    #[schema(minimum = 0)]
    pub attempts: i64,
    /// The credits that were charged for it.
    #[schema(minimum = 0)]
    pub credits: i64,
    /// The error of the last attempt; null if there was none.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// The id of the image provider that drew it or tried last; null while none was called.
    #[schema(required)]
    pub provider: Option<String>,
    /// The model that the provider used; null if it did not name one.
    #[schema(required)]
    pub model: Option<String>,
    /// The cost that providers reported for all attempts, in millionths of a US dollar.
    #[schema(minimum = 0)]
    pub cost_microdollars: i64,
    /// The time when the drawing ended; null until then.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub finished_at: Option<Timestamp>,
}

/// The state of the queue.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct QueueState {
    /// The number of drawings that wait, counted up to 100,000.
    #[schema(minimum = 0)]
    pub queued: u64,
    /// The number of drawings that workers hold, counted up to 100,000.
    #[schema(minimum = 0)]
    pub running: u64,
    /// The age of the oldest drawing that waits; 0 if none waits.
    #[schema(minimum = 0)]
    pub oldest_age_seconds: u64,
    /// The pause of the queue; null while drawings are claimed.
    #[schema(required)]
    pub pause: Option<QueuePause>,
}

/// The operations to list.
#[derive(Clone, Debug, Default)]
pub struct OperationFilter {
    /// Only operations of this account.
    pub account: Option<AccountId>,
    /// Only operations that have not ended.
    pub open: bool,
}

/// Operations of all accounts, newest first.
pub async fn list(
    app: &App,
    actor: &Actor,
    filter: &OperationFilter,
    request: &PageRequest,
) -> Result<PageOf<ManagedOperation>> {
    actor.require_operator()?;
    let rows = store::list(&app.database.read, filter, request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    Ok(page.map(store::Row::into_operation))
}

/// The operation with this id. None if there is no such operation.
pub async fn get(app: &App, actor: &Actor, id: &OperationId) -> Result<Option<ManagedOperation>> {
    actor.require_operator()?;
    let row = store::find(&app.database.read, id).await?;
    Ok(row.map(store::Row::into_operation))
}

/// The drawings of an operation, in order, with the reasons why they wait.
pub async fn drawings(app: &App, actor: &Actor, id: &OperationId) -> Result<Vec<ManagedDrawing>> {
    actor.require_operator()?;
    let rows = store::drawings(app.lease_clock(), &app.database.read, id).await?;
    let explainer = waiting::Explainer::new(app, actor).await?;
    let drawings = rows.into_iter().map(|row| ManagedDrawing {
        waiting: explainer.explain(&row),
        error: row.error_code.error(row.credits),
        id: row.id,
        target_type: row.target_type,
        target_id: row.target_id,
        title: row.title,
        status: row.status,
        attempts: row.attempts,
        credits: row.credits,
        provider: row.provider,
        model: row.model,
        cost_microdollars: row.cost_microdollars,
        finished_at: row.finished_at,
    });
    Ok(drawings.collect())
}

/// The state of the queue.
pub async fn queue_state(app: &App, actor: &Actor) -> Result<QueueState> {
    actor.require_operator()?;
    let report = queue::report(app).await?;
    Ok(QueueState {
        queued: report.queued,
        running: report.running,
        oldest_age_seconds: report.oldest_age.as_secs(),
        pause: queue::pause::current(app).await?,
    })
}
