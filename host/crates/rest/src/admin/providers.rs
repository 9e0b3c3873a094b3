//! `/admin/providers`.
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};

use super::Operator;
use crate::document::{AdminActionErrors, AdminChangeErrors, AdminStateErrors, ProviderParameter};
use crate::extract::{Body, NoBody, query};
use linepress_drawings::spending::ProviderDay;
use linepress_http::{Failure, PathId, Reply};
use linepress_operator::administration::GivenReason;
use linepress_operator::administration::providers::{self, ManagedProvider};
use linepress_platform::app::App;
use linepress_platform::error::Error;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedProvidersReply {
    /// The image providers, in the order of the settings.
    managed_providers: Vec<ManagedProvider>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedProviderReply {
    managed_provider: ManagedProvider,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SpendingReply {
    /// Newest day first, by plugin and model.
    spending: Vec<ProviderDay>,
}

/// The maximum number of days of a report.
const MAX_DAYS: u32 = 366;
const DEFAULT_DAYS: u32 = 14;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Days {
    /// The number of days, today included; 14 if omitted.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 366)]
    days: Option<String>,
}

/// The image providers of the settings, with their state.
#[utoipa::path(get, path = "/admin/providers", tag = "Administration", operation_id = "admin_list_providers",
    responses((status = 200, description = "The providers", body = ManagedProvidersReply), AdminStateErrors))]
pub(crate) async fn list(State(app): State<App>, Operator(actor): Operator) -> Reply<Json<ManagedProvidersReply>> {
    let managed_providers = providers::list(&app, &actor).await?;
    Ok(Json(ManagedProvidersReply { managed_providers }))
}

/// The drawings and costs of the image providers by day, with the credits that accounts paid for them, and the reviews
/// and costs of the reviewer.
#[utoipa::path(get, path = "/admin/spending", tag = "Administration", operation_id = "admin_list_spending", params(Days),
    responses((status = 200, description = "The totals", body = SpendingReply), AdminStateErrors))]
pub(crate) async fn spending(
    State(app): State<App>,
    Operator(actor): Operator,
    days: Result<Query<Days>, QueryRejection>,
) -> Reply<Json<SpendingReply>> {
    let days = match query(days)?.days {
        None => DEFAULT_DAYS,
        Some(text) => text
            .parse()
            .ok()
            .filter(|days| (1..=MAX_DAYS).contains(days))
            .ok_or_else(|| Failure::invalid_request(format!("days must be a whole number from 1 to {MAX_DAYS}.")))?,
    };
    let spending = providers::spending_by_day(&app, &actor, days).await?;
    Ok(Json(SpendingReply { spending }))
}

/// Switches an image provider off on all nodes: no call begins until it is switched on. Drawings go to the next
/// provider, or wait.
#[utoipa::path(post, path = "/admin/providers/{id}/switch_off", tag = "Administration",
    operation_id = "admin_switch_off_provider", params(ProviderParameter), request_body = GivenReason,
    responses((status = 200, description = "The provider", body = ManagedProviderReply), AdminChangeErrors))]
pub(crate) async fn switch_off(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    Body(given): Body<GivenReason>,
) -> Reply<Json<ManagedProviderReply>> {
    found(providers::switch_off(&app, &actor, &id, &given).await?)
}

/// Switches an image provider on.
#[utoipa::path(post, path = "/admin/providers/{id}/switch_on", tag = "Administration",
    operation_id = "admin_switch_on_provider", params(ProviderParameter),
    responses((status = 200, description = "The provider", body = ManagedProviderReply), AdminActionErrors))]
pub(crate) async fn switch_on(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    _: NoBody,
) -> Reply<Json<ManagedProviderReply>> {
    found(providers::switch_on(&app, &actor, &id).await?)
}

/// Ends the pause of an image provider and forgets its failures, so that it is called again at once.
#[utoipa::path(post, path = "/admin/providers/{id}/end_pause", tag = "Administration",
    operation_id = "admin_end_provider_pause", params(ProviderParameter),
    responses((status = 200, description = "The provider", body = ManagedProviderReply), AdminActionErrors))]
pub(crate) async fn end_pause(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    _: NoBody,
) -> Reply<Json<ManagedProviderReply>> {
    found(providers::end_pause(&app, &actor, &id).await?)
}

fn found(provider: Option<ManagedProvider>) -> Reply<Json<ManagedProviderReply>> {
    Ok(Json(ManagedProviderReply {
        managed_provider: provider.ok_or_else(|| Error::not_found("image provider"))?,
    }))
}
