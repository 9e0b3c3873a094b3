//! `/requests`: the request log of the account.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::document::ListErrors;
use super::extract::{ListParameters, list_query, one_of, query};
use super::response::Meta;
use linepress_accounts::caller::Caller;
use linepress_accounts::requests::{self, LoggedRequest, RequestFilter, StatusClass};
use linepress_http::{Failure, Reply};
use linepress_platform::app::App;
use linepress_platform::ids::LoggedRequestId;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct RequestsReply {
    requests: Vec<LoggedRequest>,
    meta: Meta,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OutcomeFilter {
    /// Only requests whose status is of this class.
    #[param(value_type = Option<StatusClass>)]
    status: Option<String>,
    /// Only requests with this error code.
    #[param(pattern = "^[a-z_]{1,64}$", example = "rate_limited")]
    code: Option<String>,
}

/// The account's requests of the last 7 days over REST and MCP, newest first, without their bodies. A request appears
/// some seconds after it has ended. The log is for diagnosis: it may lack requests of a time with very many, and those
/// during maintenance.
#[utoipa::path(get, path = "/requests", tag = "Account", operation_id = "list_requests",
    params(ListParameters, OutcomeFilter),
    responses((status = 200, description = "One page of the list", body = RequestsReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    filter: Result<Query<OutcomeFilter>, QueryRejection>,
) -> Reply<Json<RequestsReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, LoggedRequestId::PREFIX)?;
    let OutcomeFilter { status, code } = query(filter)?;
    let filter = RequestFilter {
        status: one_of("status", status, StatusClass::ALL)?,
        code: code.as_deref().map(checked_code).transpose()?,
    };
    let page = requests::list(&app, &caller, filter, &request).await?;
    Ok(Json(RequestsReply {
        meta: Meta::from(&page),
        requests: page.items,
    }))
}

fn checked_code(code: &str) -> Result<&str, Failure> {
    let is_word = (1..=64).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_word.then_some(code).ok_or_else(|| {
        Failure::invalid_request("code must be an error code, such as rate_limited: lowercase letters and underscores.")
    })
}
