//! The measurement of a call, for metrics, the trace and the log of calls.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linepress_metrics::CallReport;
use serde_json::Value;
use tokio::time::Instant;
use tracing::Span;

use super::{CallKind, Sandbox};
use crate::calls::{CallEnd, EndedCall};
use crate::error::CallError;
use crate::network::{HttpLog, Secrets};

/// The description of a call.
pub(crate) struct Called<Returned> {
    /// The name of the function.
    pub(crate) function: &'static str,
    pub(crate) kind: CallKind,
    /// The request, from [`Sandbox::described`].
    pub(crate) request: Option<Value>,
    /// Describes what the plugin returned.
    pub(crate) result: fn(&Returned) -> Value,
}

/// The measurement of a call, which ends when it is dropped: also if the caller stops waiting.
pub(super) struct Measurement<'a> {
    pub(super) sandbox: &'a Sandbox,
    /// The called function. `None` for a description, which is not counted.
    pub(super) function: Option<&'static str>,
    /// The request. `None` for a call that is not logged.
    pub(super) request: Option<Value>,
    pub(super) end: CallEnd,
    pub(super) began: Instant,
    /// The duration of a call for which the caller waited.
    pub(super) took: Option<Duration>,
    pub(super) deadline: Duration,
    pub(super) peak_memory: Arc<AtomicUsize>,
    pub(super) exchanges: HttpLog,
    pub(super) secrets: Secrets,
    /// The call as a step of its trace.
    pub(super) step: Span,
}

impl Measurement<'_> {
    /// Ends the measurement of a call for which the caller waited.
    pub(super) fn finish<Returned>(
        mut self,
        returned: &Result<Returned, CallError>,
        result: Option<fn(&Returned) -> Value>,
    ) {
        self.took = Some(self.began.elapsed());
        self.end = match returned {
            // Described only if it is logged, because the digest of a picture takes a while.
            Ok(returned) => CallEnd::Returned(match (&self.request, result) {
                (Some(_), Some(result)) => self.secrets.removed_from(result(returned).to_string()),
                _ => String::new(),
            }),
            Err(error) => CallEnd::Failed(error.clone()),
        };
    }

    fn took(&self) -> Duration {
        self.took.unwrap_or_else(|| self.began.elapsed())
    }

    fn log(&mut self, function: &'static str, memory_bytes: usize) {
        let (Some(sink), Some(request)) = (&self.sandbox.sink, self.request.take()) else {
            return;
        };
        sink.ended(EndedCall {
            version: &self.sandbox.version,
            function,
            request: self.secrets.removed_from(request.to_string()),
            end: std::mem::replace(&mut self.end, CallEnd::Abandoned),
            exchanges: self.exchanges.exchanges(&self.secrets),
            took: self.took(),
            deadline: self.deadline,
            memory_bytes,
            memory_limit_bytes: self.sandbox.limits.memory_bytes(),
        });
    }
}

impl Drop for Measurement<'_> {
    fn drop(&mut self) {
        let memory_bytes = self.peak_memory.load(Ordering::Relaxed);
        self.sandbox.peak_memory.fetch_max(memory_bytes, Ordering::Relaxed);
        let Some(call) = self.function else { return };
        let outcome = self.end.outcome();
        self.step.record("outcome", outcome);
        self.step.record("memory_bytes", memory_bytes);
        if !matches!(self.end, CallEnd::Returned(_)) {
            self.step.record("otel.status_code", "ERROR");
        }
        self.sandbox.metrics.call_ended(CallReport {
            plugin: &self.sandbox.version.id,
            call,
            outcome,
            took: self.took(),
            deadline: self.deadline,
            memory_bytes,
            memory_limit_bytes: self.sandbox.limits.memory_bytes(),
        });
        self.log(call, memory_bytes);
    }
}
