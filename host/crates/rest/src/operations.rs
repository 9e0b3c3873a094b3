//! `/operations`.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::addresses::{addressed, addressed_reply};
use super::document::{ListErrors, OperationParameter, ResourceErrors};
use super::extract::{ListParameters, PathId, list_query, query};
use super::response::{Meta, POLL_AFTER};
use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::operations::{self, Operation, OperationStatus};
use linepress_http::{Failure, Reply};
use linepress_platform::error::Error;
use linepress_platform::ids::OperationId;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct OperationReply {
    operation: Operation,
}

addressed_reply!(OperationReply: operation);

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct OperationsReply {
    operations: Vec<Operation>,
    meta: Meta,
}

addressed_reply!(OperationsReply: operations);

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StatusFilter {
    /// Only operations with this status.
    #[param(value_type = Option<OperationStatus>)]
    status: Option<String>,
}

/// The account's generations, newest first.
#[utoipa::path(get, path = "/operations", tag = "Operations", operation_id = "list_operations",
    params(ListParameters, StatusFilter),
    responses((status = 200, description = "One page of the list", body = OperationsReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    filter: Result<Query<StatusFilter>, QueryRejection>,
) -> Reply<Json<OperationsReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, OperationId::PREFIX)?;
    let status = match query(filter)?.status.as_deref() {
        None => None,
        Some(text) => Some(OperationStatus::parse(text).ok_or_else(|| {
            let known: Vec<_> = OperationStatus::ALL.iter().map(|status| status.as_str()).collect();
            Failure::invalid_request(format!("status must be one of {}.", known.join(", ")))
        })?),
    };
    let page = operations::list(&app, &caller, status, &request).await?;
    Ok(addressed(
        &app,
        OperationsReply {
            meta: Meta::from(&page),
            operations: page.items,
        },
    ))
}

/// Status, progress and credits of one generation. Poll it, `Retry-After` seconds apart, until it is terminal.
#[utoipa::path(get, path = "/operations/{id}", tag = "Operations", operation_id = "get_operation",
    params(OperationParameter),
    responses((status = 200, description = "The operation", body = OperationReply,
        headers(("Retry-After" = i64, description = "Seconds to wait before the next poll, until the operation is terminal"))),
        ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<OperationId>,
) -> Reply<Response> {
    let operation = operations::get(&app, &caller, &id).await?;
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    let terminal = operation.status.is_terminal();
    let mut response = addressed(&app, OperationReply { operation }).into_response();
    if !terminal {
        response.headers_mut().insert(header::RETRY_AFTER, POLL_AFTER);
    }
    Ok(response)
}
