//! `/admin/settings`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Operator;
use crate::document::AdminStateErrors;
use linepress_http::Reply;
use linepress_operator::administration::settings::{self, SettingsInForce};
use linepress_platform::app::App;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SettingsReply {
    settings_in_force: SettingsInForce,
}

/// The settings of the node that responds, with the places from which they come. Secrets are left out.
#[utoipa::path(get, path = "/admin/settings", tag = "Administration", operation_id = "admin_get_settings",
    responses((status = 200, description = "The settings", body = SettingsReply), AdminStateErrors))]
pub(crate) async fn show(State(app): State<App>, Operator(actor): Operator) -> Reply<Json<SettingsReply>> {
    let settings_in_force = settings::list(&app, &actor).await?;
    Ok(Json(SettingsReply { settings_in_force }))
}
