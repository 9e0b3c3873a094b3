//! `/admin/plugins`.
use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::Operator;
use crate::document::{
    AdminApprovalErrors, AdminDisapprovalErrors, AdminDisuseErrors, AdminResourceErrors, AdminStateErrors,
    PluginParameter,
};
use crate::extract::{Body, NoBody};
use linepress_http::{PathId, Reply};
use linepress_operator::administration::plugin_calls::{self, PluginCall};
use linepress_operator::administration::plugins::{
    self, ManagedPlugin, PluginApproval, PluginSettingsChange, PluginUse,
};
use linepress_platform::app::App;
use linepress_platform::error::Error;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedPluginsReply {
    /// The plugin folders of the node that responds, by path.
    managed_plugins: Vec<ManagedPlugin>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ManagedPluginReply {
    managed_plugin: ManagedPlugin,
}

/// The plugins, with their state, what they request, and what is approved.
#[utoipa::path(get, path = "/admin/plugins", tag = "Administration", operation_id = "admin_list_plugins",
    responses((status = 200, description = "The plugins", body = ManagedPluginsReply), AdminStateErrors))]
pub(crate) async fn list(State(app): State<App>, Operator(actor): Operator) -> Reply<Json<ManagedPluginsReply>> {
    let managed_plugins = plugins::list(&app, &actor).await?;
    Ok(Json(ManagedPluginsReply { managed_plugins }))
}

/// A plugin, with its state, what it requests, and what is approved.
#[utoipa::path(get, path = "/admin/plugins/{id}", tag = "Administration", operation_id = "admin_get_plugin",
    params(PluginParameter),
    responses((status = 200, description = "The plugin", body = ManagedPluginReply), AdminResourceErrors))]
pub(crate) async fn show(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
) -> Reply<Json<ManagedPluginReply>> {
    found(plugins::get(&app, &actor, &id).await?)
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PluginCallsReply {
    /// Newest first.
    plugin_calls: Vec<PluginCall>,
}

/// The last 100 calls of a plugin on all nodes: what it was asked, what it returned, and what it used. There are no
/// secrets, and digests in place of pictures. A call appears some seconds after its end, and is deleted after 30 days.
#[utoipa::path(get, path = "/admin/plugins/{id}/calls", tag = "Administration", operation_id = "admin_list_plugin_calls",
    params(PluginParameter),
    responses((status = 200, description = "The calls", body = PluginCallsReply), AdminResourceErrors))]
pub(crate) async fn calls(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
) -> Reply<Json<PluginCallsReply>> {
    let plugin_calls = plugin_calls::list(&app, &actor, &id).await?;
    Ok(Json(PluginCallsReply {
        plugin_calls: plugin_calls.ok_or_else(|| Error::not_found("plugin"))?,
    }))
}

/// Approves what a plugin requests, in the settings file of the node that responds. The node loads the plugin within
/// seconds.
#[utoipa::path(post, path = "/admin/plugins/{id}/allow", tag = "Administration", operation_id = "admin_allow_plugin",
    params(PluginParameter), request_body = PluginApproval,
    responses((status = 200, description = "The plugin", body = ManagedPluginReply), AdminApprovalErrors))]
pub(crate) async fn allow(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    Body(approval): Body<PluginApproval>,
) -> Reply<Json<ManagedPluginReply>> {
    found(plugins::allow(&app, &actor, &id, &approval).await?)
}

/// Withdraws the approval of a plugin, in the settings file of the node that responds. The node ceases to use the
/// plugin within seconds.
#[utoipa::path(post, path = "/admin/plugins/{id}/deny", tag = "Administration", operation_id = "admin_deny_plugin",
    params(PluginParameter),
    responses((status = 200, description = "The plugin", body = ManagedPluginReply), AdminDisapprovalErrors))]
pub(crate) async fn deny(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    _: NoBody,
) -> Reply<Json<ManagedPluginReply>> {
    found(plugins::deny(&app, &actor, &id).await?)
}

/// Uses a plugin, by a change of the settings file of the node that responds: an image provider takes its place in the
/// order of preference, and a planner, a layout or a reviewer replaces the one before. The node applies the change
/// within seconds, without a restart; drawings in progress end with the provider they began with. A plugin that is not
/// loaded is rejected.
#[utoipa::path(post, path = "/admin/plugins/{id}/use", tag = "Administration", operation_id = "admin_use_plugin",
    params(PluginParameter), request_body = PluginUse,
    responses((status = 200, description = "The plugin", body = ManagedPluginReply), AdminApprovalErrors))]
pub(crate) async fn use_plugin(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    Body(given): Body<PluginUse>,
) -> Reply<Json<ManagedPluginReply>> {
    found(plugins::use_plugin(&app, &actor, &id, &given).await?)
}

/// Takes an image provider out of the order of preference, or the reviewer out of use, in the settings file of the node
/// that responds. The only image provider, the planner and the layout cannot be taken out: use another one in their
/// place.
#[utoipa::path(post, path = "/admin/plugins/{id}/stop_using", tag = "Administration",
    operation_id = "admin_stop_using_plugin", params(PluginParameter),
    responses((status = 200, description = "The plugin", body = ManagedPluginReply), AdminDisuseErrors))]
pub(crate) async fn stop_using(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    _: NoBody,
) -> Reply<Json<ManagedPluginReply>> {
    found(plugins::stop_using(&app, &actor, &id).await?)
}

/// Changes settings of a plugin, in the settings file of the node that responds. The change is rejected if the plugin's
/// `config.json` does not allow the result. The node loads the plugin with its new settings within seconds.
#[utoipa::path(post, path = "/admin/plugins/{id}/configure", tag = "Administration",
    operation_id = "admin_configure_plugin", params(PluginParameter), request_body = PluginSettingsChange,
    responses((status = 200, description = "The plugin", body = ManagedPluginReply), AdminApprovalErrors))]
pub(crate) async fn configure(
    State(app): State<App>,
    Operator(actor): Operator,
    PathId(id): PathId<String>,
    Body(change): Body<PluginSettingsChange>,
) -> Reply<Json<ManagedPluginReply>> {
    found(plugins::configure(&app, &actor, &id, &change).await?)
}

fn found(plugin: Option<ManagedPlugin>) -> Reply<Json<ManagedPluginReply>> {
    Ok(Json(ManagedPluginReply {
        managed_plugin: plugin.ok_or_else(|| Error::not_found("plugin"))?,
    }))
}
