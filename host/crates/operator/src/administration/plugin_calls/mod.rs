//! The last calls of each plugin, for operators: what it was asked, what it returned, and what it used. There are no
//! secrets, and digests in place of pictures.
//!
//! Calls that have ended wait in memory ([`linepress_platform::plugin_calls`]), and a task of each node writes them in
//! batches. So no drawing waits for the log, which lacks the calls of a node that was killed, and all calls during
//! maintenance.
mod store;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Actor;
use super::plugins;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;
use linepress_platform::ids::PluginCallId;
use linepress_platform::maintenance;
use linepress_platform::plugin_calls::MAX_CALLS_PER_PLUGIN;

/// The age at which calls are deleted: their requests contain texts of customers.
pub const LOG_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// A call of a plugin.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PluginCall {
    pub id: PluginCallId,
    /// The version of the plugin.
    #[schema(example = "1.2.0")]
    pub version: String,
    /// The called function: `draw`, `plan`, `lay_out`, `review_prompt`, `review_picture` or `describe_picture`.
    #[schema(example = "draw")]
    pub function: String,
    /// The outcome in a word: `completed`, `abandoned` (the caller stopped waiting), or the kind of the failure, such
    /// as `refused`, `unavailable`, `trapped`, `out_of_memory` or `deadline_exceeded`.
    #[schema(example = "completed")]
    pub outcome: String,
    /// The failure; null if it returned a value, and if the caller stopped waiting.
    #[schema(required)]
    pub error: Option<String>,
    /// The request. The fields depend on the function; a picture is its digest.
    #[schema(value_type = Object)]
    pub request: Value,
    /// The returned value. The fields depend on the function; a picture is its digest. Null if it returned nothing.
    #[schema(required, value_type = Option<Object>)]
    pub result: Option<Value>,
    /// The first 50 of its HTTP requests.
    pub http_requests: Vec<PluginHttpRequest>,
    /// The duration in milliseconds, without waiting for a place.
    #[schema(minimum = 0)]
    pub duration_ms: i64,
    /// The deadline in milliseconds.
    #[schema(minimum = 0)]
    pub deadline_ms: i64,
    /// The most memory that was in use at a time.
    #[schema(minimum = 0)]
    pub memory_bytes: i64,
    /// The memory limit of the plugin.
    #[schema(minimum = 0)]
    pub memory_limit_bytes: i64,
    /// The time at which it ended.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl PluginCall {
    /// The most memory that was in use at a time, and the limit, in words.
    pub fn memory(&self) -> String {
        let mebibytes = |bytes: i64| bytes.saturating_add((1 << 20) - 1) >> 20;
        let (used, limit) = (mebibytes(self.memory_bytes), mebibytes(self.memory_limit_bytes));
        format!("{used} of {limit} MiB")
    }
}

/// An HTTP request of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PluginHttpRequest {
    /// The HTTP method.
    #[schema(example = "POST")]
    pub method: String,
    /// The URL without its query.
    #[schema(example = "https://api.example.com/v1/images")]
    pub url: String,
    /// `answered`, `failed` (no response arrived) or `refused` (the server did not send it).
    #[schema(example = "answered")]
    pub outcome: String,
    /// The status of the response; null without one.
    #[schema(required)]
    pub status: Option<u16>,
    /// The size of the body that was sent.
    #[schema(minimum = 0)]
    pub sent_bytes: i64,
    /// The size of the response's body, as far as the plugin read it.
    #[schema(minimum = 0)]
    pub received_bytes: i64,
}

impl PluginHttpRequest {
    /// The status of the response; the outcome without one.
    pub fn answer(&self) -> String {
        self.status
            .map_or_else(|| self.outcome.clone(), |status| status.to_string())
    }
}

/// The last calls of the plugin with this id on all nodes, newest first. None if there is no such plugin on this node
/// and it has no calls.
pub async fn list(app: &App, actor: &Actor, plugin: &str) -> Result<Option<Vec<PluginCall>>> {
    actor.require_operator()?;
    let calls = last(app, actor, plugin).await?;
    let is_unknown = calls.is_empty() && plugins::get(app, actor, plugin).await?.is_none();
    Ok((!is_unknown).then_some(calls))
}

/// The last calls of the plugin with this id, whether or not it is installed, newest first.
pub async fn last(app: &App, actor: &Actor, plugin: &str) -> Result<Vec<PluginCall>> {
    actor.require_operator()?;
    // PostgreSQL rejects text with a zero byte, and no id contains a control character.
    if plugin.contains(char::is_control) {
        return Ok(Vec::new());
    }
    let rows = store::list(&app.database.read, plugin, limit()).await?;
    rows.into_iter().map(store::Row::into_call).collect()
}

/// A call with the id of its plugin. None if it is not stored, or no longer stored.
pub async fn find(app: &App, actor: &Actor, id: &PluginCallId) -> Result<Option<(String, PluginCall)>> {
    actor.require_operator()?;
    let row = store::find(&app.database.read, id).await?;
    row.map(|row| Ok((row.plugin.clone(), row.into_call()?))).transpose()
}

fn limit() -> i64 {
    i64::try_from(MAX_CALLS_PER_PLUGIN).unwrap_or(i64::MAX)
}

/// Writes the calls that have ended on this node, unless the server is read-only, and deletes all but the newest ones
/// of their plugins; returns their number. Calls that cannot be written are lost, because memory is limited.
pub(crate) async fn write(app: &App) -> Result<usize> {
    let calls = app.plugin_calls.take();
    if calls.is_empty() || maintenance::current(app).await?.is_some() {
        return Ok(0);
    }
    let now = app.clock.now();
    let mut rows: Vec<store::NewRow> = Vec::new();
    for call in &calls {
        rows.push(store::NewRow::new(app, now, call)?);
    }
    let mut tx = app.database.begin().await?;
    store::insert(&mut tx, &rows).await?;
    let plugins: BTreeSet<&str> = calls.iter().map(|call| call.plugin.as_str()).collect();
    for plugin in plugins {
        store::trim(&mut tx, plugin, limit()).await?;
    }
    tx.commit().await?;
    Ok(calls.len())
}

/// Deletes calls after the time for which they are listed; returns their number.
pub(crate) async fn forget_old(app: &App) -> Result<u64> {
    app.database
        .delete_older_than(&app.clock, LOG_RETENTION, store::DELETE_OLD)
        .await
}
