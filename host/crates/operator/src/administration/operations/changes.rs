//! Changes of operations and of the queue by operators.
use super::{QueueState, queue_state, store};
use crate::administration::audit_log::{Change, Target};
use crate::administration::{Actor, GivenReason, begin, finish};
use linepress_core::cancellation;
use linepress_drawings::queue;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::OperationId;
use linepress_platform::validation;

/// The effect of canceling an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canceled {
    /// The number of queued drawings that were canceled and refunded.
    pub canceled_drawings: usize,
}

/// The effect of trying drawings again at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retried {
    /// The number of drawings that waited for their next attempt and are due now.
    pub due_drawings: u64,
}

/// Cancels and refunds the queued drawings of an operation. Drawings that workers hold are drawn to their end, because
/// they have already cost money. None if there is no such operation.
pub async fn cancel(app: &App, actor: &Actor, id: &OperationId) -> Result<Option<Canceled>> {
    actor.require_operator()?;
    let Some(row) = store::find(&app.database.read, id).await? else {
        return Ok(None);
    };
    let account = row.into_operation().account_id;
    let mut tx = begin(app, actor).await?;
    let canceled_drawings = cancellation::cancel_queued(app, &mut tx, &account, id).await?;
    let change = Change::CancelOperation { canceled_drawings };
    finish(app, tx, actor, Target::Operation(id), change).await?;
    Ok(Some(Canceled { canceled_drawings }))
}

/// Makes the drawings of an operation due that wait for their next attempt. Drawings that failed for good are not
/// drawn again: they were refunded, and their owner can order them again. None if there is no such operation.
pub async fn retry_now(app: &App, actor: &Actor, id: &OperationId) -> Result<Option<Retried>> {
    actor.require_operator()?;
    let Some(row) = store::find(&app.database.read, id).await? else {
        return Ok(None);
    };
    let account = row.into_operation().account_id;
    let mut tx = begin(app, actor).await?;
    let due_drawings = queue::make_due(app, &mut tx, id).await?;
    queue::refresh_place(app, &mut tx, &account).await?;
    finish(
        app,
        tx,
        actor,
        Target::Operation(id),
        Change::RetryOperation { due_drawings },
    )
    .await?;
    app.wake_workers();
    Ok(Some(Retried { due_drawings }))
}

/// Pauses the queue on all nodes. Nothing changes if it is paused already.
pub async fn pause_queue(app: &App, actor: &Actor, given: &GivenReason) -> Result<QueueState> {
    actor.require_operator()?;
    validation::check(given)?;
    let mut tx = begin(app, actor).await?;
    if queue::pause::begin(app, &mut tx, &given.reason).await? {
        let change = Change::PauseQueue { reason: &given.reason };
        finish(app, tx, actor, Target::Queue, change).await?;
    }
    queue_state(app, actor).await
}

/// Ends the pause of the queue. Nothing changes if it is not paused.
pub async fn resume_queue(app: &App, actor: &Actor) -> Result<QueueState> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    if queue::pause::end(app, &mut tx).await? {
        finish(app, tx, actor, Target::Queue, Change::ResumeQueue).await?;
    }
    queue_state(app, actor).await
}
