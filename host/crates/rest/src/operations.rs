//! `/operations`.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::addresses::{addressed, addressed_reply};
use super::document::{ListErrors, OperationParameter, ResourceErrors};
use super::extract::{ListParameters, PathId, list_query, query};
use super::response::{self, Meta, POLL_AFTER, PREFERENCE_APPLIED, WAIT};
use linepress_accounts::caller::Caller;
use linepress_core::cancellation;
use linepress_core::operations::{self, Operation, OperationStatus};
use linepress_http::client_address::ClientAddress;
use linepress_http::following::{self, EventWords};
use linepress_http::{Failure, Reply, authentication};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
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

/// Status, progress and credits of one generation. Poll it, `Retry-After` seconds apart, until it is terminal, or send
/// `Prefer: wait=20`: the response then comes when it is terminal, or after so many seconds.
#[utoipa::path(get, path = "/operations/{id}", tag = "Operations", operation_id = "get_operation",
    params(OperationParameter),
    responses((status = 200, description = "The operation", body = OperationReply,
        headers(("Retry-After" = i64, description = "Seconds to wait before the next poll, until the operation is terminal"))),
        ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<OperationId>,
    headers: HeaderMap,
) -> Reply<Response> {
    let Some(operation) = response::waited(&app, &caller, &headers, &id).await? else {
        return respond(&app, operations::get(&app, &caller, &id).await?);
    };
    let mut response = respond(&app, Some(operation))?;
    response.headers_mut().insert(PREFERENCE_APPLIED, WAIT);
    Ok(response)
}

/// The progress of one generation as server-sent events: `progress` with the operation for each change, and `end` when
/// it is terminal. The stream ends then, or after five minutes, after which a client connects again with
/// `Last-Event-ID`; it gets 204 if it received the last event.
#[utoipa::path(get, path = "/operations/{id}/events", tag = "Operations", operation_id = "follow_operation",
    params(OperationParameter),
    responses((status = 200, description = "The events, each with an operation as JSON", body = serde_json::Value, content_type = "text/event-stream"),
        (status = 204, description = "No event follows that of `Last-Event-ID`"), ResourceErrors))]
pub(super) async fn follow(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    client: ClientAddress,
    PathId(id): PathId<OperationId>,
    headers: HeaderMap,
) -> Reply<Response> {
    let (server, request) = (app.clone(), headers.clone());
    let is_admitted = Box::new(move || -> BoxFuture<'static, bool> {
        let (app, headers) = (server.clone(), request.clone());
        Box::pin(async move { authentication::is_still_admitted(&app, &headers, client).await })
    });
    following::events(app, caller, &id, &headers, EVENT_WORDS, is_admitted).await
}

const EVENT_WORDS: EventWords = EventWords {
    data: event_data,
    has_ids: true,
};

fn event_data(app: &App, operation: Operation) -> Result<String> {
    let Json(reply) = addressed(app, OperationReply { operation });
    Ok(serde_json::to_string(&reply)?)
}

/// Cancels the drawings of an operation that have not begun and refunds their credits. Drawings that have begun are
/// finished and charged. An operation that has ended, or in which nothing waits, stays as it is.
#[utoipa::path(post, path = "/operations/{id}/cancel", tag = "Operations", operation_id = "cancel_operation",
    params(OperationParameter),
    responses((status = 200, description = "The operation after the cancellation", body = OperationReply,
        headers(("Retry-After" = i64, description = "Seconds to wait before the next poll, until the operation is terminal"))),
        ResourceErrors))]
pub(super) async fn cancel(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<OperationId>,
) -> Reply<Response> {
    respond(&app, cancellation::cancel(&app, &caller, &id).await?)
}

fn respond(app: &App, operation: Option<Operation>) -> Reply<Response> {
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    let terminal = operation.status.is_terminal();
    let mut response = addressed(app, OperationReply { operation }).into_response();
    if !terminal {
        response.headers_mut().insert(header::RETRY_AFTER, POLL_AFTER);
    }
    Ok(response)
}
