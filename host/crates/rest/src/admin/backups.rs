//! `/admin/backups`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Operator;
use crate::document::{AdminActionErrors, AdminStateErrors};
use crate::extract::NoBody;
use linepress_http::Reply;
use linepress_operator::administration::backups::{self, Backups};
use linepress_platform::app::App;
use linepress_platform::error::Error;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct BackupsReply {
    backups: Backups,
}

/// The backups that the server makes itself: the newest 50 snapshots, and when the next one is due.
#[utoipa::path(get, path = "/admin/backups", tag = "Administration", operation_id = "admin_get_backups",
    responses((status = 200, description = "The backups", body = BackupsReply), AdminStateErrors))]
pub(crate) async fn show(State(app): State<App>, Operator(actor): Operator) -> Reply<Json<BackupsReply>> {
    let backups = backups::state(&app, &actor).await?;
    Ok(Json(BackupsReply { backups }))
}

/// Requests a backup, which a worker begins within a minute. A 404 means that the setting `backup.dir` names no place.
#[utoipa::path(post, path = "/admin/backups", tag = "Administration", operation_id = "admin_request_backup",
    responses((status = 200, description = "The backups", body = BackupsReply), AdminActionErrors))]
pub(crate) async fn request(State(app): State<App>, Operator(actor): Operator, _: NoBody) -> Reply<Json<BackupsReply>> {
    let requested = backups::request(&app, &actor).await?;
    let backups = requested.ok_or_else(|| Error::not_found("place for backups"))?;
    Ok(Json(BackupsReply { backups }))
}
