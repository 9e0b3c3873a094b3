//! `/admin/health`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Operator;
use crate::document::AdminStateErrors;
use linepress_http::Reply;
use linepress_operator::administration::health::{self, Health};
use linepress_platform::app::App;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct HealthReply {
    health: Health,
}

/// The health of the server: the quick checks of `linepress doctor`, and figures. It takes some seconds. For a load
/// balancer there is `/readyz`.
#[utoipa::path(get, path = "/admin/health", tag = "Administration", operation_id = "admin_get_health",
    responses((status = 200, description = "The health", body = HealthReply), AdminStateErrors))]
pub(crate) async fn show(State(app): State<App>, Operator(actor): Operator) -> Reply<Json<HealthReply>> {
    let health = health::check(&app, &actor).await?;
    Ok(Json(HealthReply { health }))
}
