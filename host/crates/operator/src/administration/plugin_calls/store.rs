//! The SQL of the log of calls.
use std::time::Duration;

use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::PluginCall;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx, batches, value_rows};
use linepress_platform::error::Result;
use linepress_platform::ids::PluginCallId;
use linepress_platform::plugin_calls::WaitingCall;
use linepress_plugin_host::CallEnd;

/// A call to be written.
pub(super) struct NewRow<'a> {
    id: PluginCallId,
    call: &'a WaitingCall,
    error: Option<String>,
    result: Option<&'a str>,
    http_requests: String,
    at: Timestamp,
}

impl<'a> NewRow<'a> {
    pub(super) fn new(app: &App, now: Timestamp, call: &'a WaitingCall) -> Result<Self> {
        let at = now.minus(call.ended.elapsed());
        let (error, result) = match &call.end {
            CallEnd::Returned(result) => (None, Some(result.as_str())),
            CallEnd::Failed(error) => (Some(error.to_string()), None),
            CallEnd::Abandoned => (None, None),
        };
        Ok(Self {
            id: PluginCallId::generate(at, &app.random),
            // PostgreSQL rejects text with a zero byte.
            error: error.map(|error| error.replace('\0', " ")),
            result,
            http_requests: serde_json::to_string(&call.exchanges)?,
            call,
            at,
        })
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) async fn insert(tx: &mut Tx, rows: &[NewRow<'_>]) -> sqlx::Result<()> {
    for some in batches(rows) {
        let statement = format!(
            "INSERT INTO plugin_calls (id, plugin, version, function, outcome, error, request, result, http_requests, \
               duration_ms, deadline_ms, memory_bytes, memory_limit_bytes, created_at) VALUES {}",
            value_rows(1, 14, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for row in some {
            let call = row.call;
            query = query
                .bind(row.id.as_str())
                .bind(call.plugin.as_str())
                .bind(call.version.as_str())
                .bind(call.function)
                .bind(call.end.outcome())
                .bind(row.error.as_deref())
                .bind(call.request.as_str())
                .bind(row.result)
                .bind(row.http_requests.as_str())
                .bind(milliseconds(call.took))
                .bind(milliseconds(call.deadline))
                .bind(whole(call.memory_bytes))
                .bind(whole(call.memory_limit_bytes))
                .bind(row.at.microseconds());
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    id: PluginCallId,
    pub(super) plugin: String,
    version: String,
    function: String,
    outcome: String,
    error: Option<String>,
    request: String,
    result: Option<String>,
    http_requests: String,
    duration_ms: i64,
    deadline_ms: i64,
    memory_bytes: i64,
    memory_limit_bytes: i64,
    created_at: Timestamp,
}

impl Row {
    pub(super) fn into_call(self) -> Result<PluginCall> {
        let result: Option<Value> = self.result.as_deref().map(serde_json::from_str).transpose()?;
        Ok(PluginCall {
            id: self.id,
            version: self.version,
            function: self.function,
            outcome: self.outcome,
            error: self.error,
            request: serde_json::from_str(&self.request)?,
            result,
            http_requests: serde_json::from_str(&self.http_requests)?,
            duration_ms: self.duration_ms,
            deadline_ms: self.deadline_ms,
            memory_bytes: self.memory_bytes,
            memory_limit_bytes: self.memory_limit_bytes,
            created_at: self.created_at,
        })
    }
}

/// The statement that selects calls; the argument is its end.
macro_rules! select_calls {
    ($rest:literal) => {
        concat!(
            "SELECT id, plugin, version, function, outcome, error, request, result, http_requests, duration_ms, \
               deadline_ms, memory_bytes, memory_limit_bytes, created_at FROM plugin_calls ",
            $rest
        )
    };
}

/// The newest calls of a plugin, newest first.
pub(super) async fn list(pool: &Reader, plugin: &str, limit: i64) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as(select_calls!("WHERE plugin = $1 ORDER BY id DESC LIMIT $2"))
        .bind(plugin)
        .bind(limit)
        .fetch_all(pool)
        .await
}

/// The call with this id.
pub(super) async fn find(pool: &Reader, id: &PluginCallId) -> sqlx::Result<Option<Row>> {
    sqlx::query_as(select_calls!("WHERE id = $1"))
        .bind(id.as_str())
        .fetch_optional(pool)
        .await
}

/// Deletes all calls of a plugin except the newest ones.
pub(super) async fn trim(tx: &mut Tx, plugin: &str, keep: i64) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "DELETE FROM plugin_calls WHERE plugin = $1 AND id <= \
           (SELECT id FROM plugin_calls WHERE plugin = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
    )
    .bind(plugin)
    .bind(keep)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes calls until the time `$1`, the oldest first and at most `$2`.
pub(super) const DELETE_OLD: &str = "DELETE FROM plugin_calls WHERE id IN \
       (SELECT id FROM plugin_calls WHERE created_at <= $1 ORDER BY created_at LIMIT $2)";
