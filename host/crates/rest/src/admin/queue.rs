//! `/admin/queue`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Operator;
use crate::document::{AdminErrors, AdminStateChangeErrors, AdminStateErrors};
use crate::extract::{Body, NoBody};
use linepress_http::Reply;
use linepress_operator::administration::GivenReason;
use linepress_operator::administration::operations::{self, QueueState};
use linepress_platform::app::App;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueueReply {
    queue: QueueState,
}

/// The length of the queue, and its pause.
#[utoipa::path(get, path = "/admin/queue", tag = "Administration", operation_id = "admin_get_queue",
    responses((status = 200, description = "The queue", body = QueueReply), AdminStateErrors))]
pub(crate) async fn show(State(app): State<App>, Operator(actor): Operator) -> Reply<Json<QueueReply>> {
    let queue = operations::queue_state(&app, &actor).await?;
    Ok(Json(QueueReply { queue }))
}

/// Pauses the queue on all nodes. Orders are accepted and wait; drawings that a provider has begun are completed.
#[utoipa::path(post, path = "/admin/queue/pause", tag = "Administration", operation_id = "admin_pause_queue",
    request_body = GivenReason,
    responses((status = 200, description = "The queue", body = QueueReply), AdminErrors))]
pub(crate) async fn pause(
    State(app): State<App>,
    Operator(actor): Operator,
    Body(given): Body<GivenReason>,
) -> Reply<Json<QueueReply>> {
    let queue = operations::pause_queue(&app, &actor, &given).await?;
    Ok(Json(QueueReply { queue }))
}

/// Ends the pause of the queue.
#[utoipa::path(post, path = "/admin/queue/resume", tag = "Administration", operation_id = "admin_resume_queue",
    responses((status = 200, description = "The queue", body = QueueReply), AdminStateChangeErrors))]
pub(crate) async fn resume(State(app): State<App>, Operator(actor): Operator, _: NoBody) -> Reply<Json<QueueReply>> {
    let queue = operations::resume_queue(&app, &actor).await?;
    Ok(Json(QueueReply { queue }))
}
