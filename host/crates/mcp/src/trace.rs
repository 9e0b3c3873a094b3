//! The step of a tool call in its trace.
use axum::extract::Request;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::handler::Completed;
use super::reply::{Outcome, Stop};
use linepress_traces::StepContext;

/// Attaches the current step to its request: the protocol library carries out calls in tasks of their own, which do not
/// inherit the step.
pub(super) fn attach_step(request: &mut Request) {
    if let Some(step) = StepContext::current() {
        request.extensions_mut().insert(step);
    }
}

/// The step of a call, and the span of its log lines.
pub(super) struct CallStep {
    step: Span,
    log: Span,
}

impl CallStep {
    /// Begins the step: in the trace that `_meta` of the call names, and otherwise in that of the HTTP request. `_meta`
    /// comes from the client itself, and the HTTP header perhaps from a gateway.
    pub(super) fn begin(tool: &'static str, context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<Parts>();
        let Some(request) = parts.and_then(|parts| parts.extensions.get::<StepContext>()) else {
            return Self {
                step: Span::none(),
                log: Span::none(),
            };
        };
        let step = tracing::info_span!(
            target: linepress_traces::TARGET,
            "tools/call",
            otel.name = %format_args!("tools/call {tool}"),
            otel.kind = "server",
            otel.status_code = Empty,
            mcp.method.name = "tools/call",
            gen_ai.tool.name = tool,
            outcome = Empty,
        );
        let traceparent = context.meta.get_traceparent();
        let is_in_own_trace = traceparent
            .is_some_and(|traceparent| request.adopt_into_trace(&step, traceparent, context.meta.get_tracestate()));
        if !is_in_own_trace {
            request.adopt(&step);
            // The span of the request contains the id of this trace.
            let log = Span::none();
            return Self { step, log };
        }
        let log = tracing::error_span!("call", trace_id = Empty);
        linepress_traces::link_log(&log, &step);
        Self { step, log }
    }

    /// Carries out the call within the step.
    pub(super) async fn trace<T>(&self, call: impl Future<Output = T>) -> T {
        call.instrument(self.log.clone()).instrument(self.step.clone()).await
    }

    pub(super) fn record(&self, outcome: &Outcome<Completed>) {
        let code = outcome.as_ref().err().and_then(Stop::code);
        self.step.record("outcome", code.unwrap_or("completed"));
        if let Err(Stop::Failed(error)) = outcome
            && error.is_internal()
        {
            self.step.record("otel.status_code", "ERROR");
        }
    }
}
