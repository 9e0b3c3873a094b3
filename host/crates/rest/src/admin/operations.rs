//! `/admin/operations`.
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

use super::Operator;
use crate::document::{AdminActionErrors, AdminListErrors, AdminResourceErrors, OperationParameter};
use crate::extract::{ListParameters, NoBody, list_query, one_of, query};
use crate::response::Meta;
use linepress_accounts::caller::Caller;
use linepress_http::{PathId, Reply};
use linepress_operator::administration::operations::{
    self, Canceled, ManagedDrawing, ManagedOperation, OperationFilter, Retried,
};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::{AccountId, OperationId};

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedOperationsReply {
    managed_operations: Vec<ManagedOperation>,
    meta: Meta,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedOperationReply {
    managed_operation: ManagedOperation,
    /// The drawings of the operation, in order.
    drawings: Vec<ManagedDrawing>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CanceledReply {
    managed_operation: ManagedOperation,
    /// The number of queued drawings that were canceled and refunded.
    #[schema(minimum = 0)]
    canceled_drawings: usize,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RetriedReply {
    managed_operation: ManagedOperation,
    /// The number of drawings that waited for their next attempt and are due now.
    #[schema(minimum = 0)]
    due_drawings: u64,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OperationSearch {
    /// Only operations of the account with this id.
    account_id: Option<String>,
    /// `true` for operations that have not ended.
    #[param(value_type = Option<bool>)]
    open: Option<String>,
}

/// The operations of all accounts, newest first.
#[utoipa::path(get, path = "/admin/operations", tag = "Administration", operation_id = "admin_list_operations",
    params(ListParameters, OperationSearch),
    responses((status = 200, description = "One page of the list", body = ManagedOperationsReply), AdminListErrors))]
pub(crate) async fn list(
    State(app): State<App>,
    Operator(actor): Operator,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    search: Result<Query<OperationSearch>, QueryRejection>,
) -> Reply<Json<ManagedOperationsReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, OperationId::PREFIX)?;
    let OperationSearch { account_id, open } = query(search)?;
    let filter = OperationFilter {
        account: account_id.as_deref().map(AccountId::from_client),
        open: one_of("open", open, &[true, false])?.unwrap_or_default(),
    };
    let page = operations::list(&app, &actor, &filter, &request).await?;
    Ok(Json(ManagedOperationsReply {
        meta: Meta::from(&page),
        managed_operations: page.items,
    }))
}

/// One operation, with its drawings and the reasons why they wait.
#[utoipa::path(get, path = "/admin/operations/{id}", tag = "Administration", operation_id = "admin_get_operation",
    params(OperationParameter),
    responses((status = 200, description = "The operation", body = ManagedOperationReply), AdminResourceErrors))]
pub(crate) async fn show(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<OperationId>,
) -> Reply<Json<ManagedOperationReply>> {
    Ok(Json(ManagedOperationReply {
        managed_operation: operations::get(&app, &actor, &id).await?.ok_or_else(missing)?,
        drawings: operations::drawings(&app, &actor, &id).await?,
    }))
}

/// Cancels and refunds the queued drawings of an operation. Drawings that a provider has begun are completed.
#[utoipa::path(post, path = "/admin/operations/{id}/cancel", tag = "Administration",
    operation_id = "admin_cancel_operation", params(OperationParameter),
    responses((status = 200, description = "The effect", body = CanceledReply), AdminActionErrors))]
pub(crate) async fn cancel(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<OperationId>,
    _: NoBody,
) -> Reply<Json<CanceledReply>> {
    let Canceled { canceled_drawings } = operations::cancel(&app, &actor, &id).await?.ok_or_else(missing)?;
    Ok(Json(CanceledReply {
        managed_operation: operations::get(&app, &actor, &id).await?.ok_or_else(missing)?,
        canceled_drawings,
    }))
}

/// Tries drawings again at once that wait for their next attempt. Drawings that failed were refunded; their owner can
/// order them again.
#[utoipa::path(post, path = "/admin/operations/{id}/retry", tag = "Administration",
    operation_id = "admin_retry_operation", params(OperationParameter),
    responses((status = 200, description = "The effect", body = RetriedReply), AdminActionErrors))]
pub(crate) async fn retry(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<OperationId>,
    _: NoBody,
) -> Reply<Json<RetriedReply>> {
    let Retried { due_drawings } = operations::retry_now(&app, &actor, &id).await?.ok_or_else(missing)?;
    Ok(Json(RetriedReply {
        managed_operation: operations::get(&app, &actor, &id).await?.ok_or_else(missing)?,
        due_drawings,
    }))
}

fn missing() -> Error {
    Error::not_found("operation")
}
