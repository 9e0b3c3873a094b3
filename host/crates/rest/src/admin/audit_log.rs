//! `/admin/audit_log`.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Operator;
use crate::document::AdminListErrors;
use crate::extract::{ListParameters, list_query, query};
use crate::response::Meta;
use linepress_accounts::caller::Caller;
use linepress_http::Reply;
use linepress_operator::administration::audit_log::{self, AuditEntry};
use linepress_platform::app::App;
use linepress_platform::ids::AuditId;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AuditLogReply {
    audit_log: Vec<AuditEntry>,
    meta: Meta,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TargetFilter {
    /// Only changes of the thing with this id.
    target: Option<String>,
}

/// The changes by operators, newest first.
#[utoipa::path(get, path = "/admin/audit_log", tag = "Administration", operation_id = "admin_list_audit_log",
    params(ListParameters, TargetFilter),
    responses((status = 200, description = "One page of the list", body = AuditLogReply), AdminListErrors))]
pub(crate) async fn list(
    State(app): State<App>,
    Operator(actor): Operator,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    filter: Result<Query<TargetFilter>, QueryRejection>,
) -> Reply<Json<AuditLogReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, AuditId::PREFIX)?;
    let target = query(filter)?.target;
    let page = audit_log::list(&app, &actor, target.as_deref(), &request).await?;
    Ok(Json(AuditLogReply {
        meta: Meta::from(&page),
        audit_log: page.items,
    }))
}
