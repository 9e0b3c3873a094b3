//! Parents of steps that another task, process or node begins.
use std::collections::HashMap;

use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The header of W3C Trace Context that names a trace and a step of it.
pub const TRACEPARENT: &str = "traceparent";

/// The current step as the parent of later ones, in the form of the header [`TRACEPARENT`]. `None` while it is not
/// recorded.
pub fn current_parent() -> Option<String> {
    let context = Context::current();
    if !context.span().span_context().is_sampled() {
        return None;
    }
    let mut fields = HashMap::new();
    TraceContextPropagator::new().inject_context(&context, &mut fields);
    fields.remove(TRACEPARENT)
}

/// Makes the step a child of this parent. An invalid text changes nothing. Call it before the step is entered.
pub fn set_parent(step: &Span, parent: &str) {
    let fields = HashMap::from([(TRACEPARENT.to_owned(), parent.to_owned())]);
    let context = TraceContextPropagator::new().extract(&fields);
    if context.span().span_context().is_valid() {
        // Fails when the step is disabled or was entered.
        let _ = step.set_parent(context);
    }
}

/// Records the id of the step's trace in the field `trace_id` of a span of the log, if the trace is recorded.
pub fn link_log(log: &Span, step: &Span) {
    if step.is_disabled() {
        return;
    }
    let context = step.context();
    let step = context.span().span_context().clone();
    if step.is_sampled() {
        log.record("trace_id", tracing::field::display(step.trace_id()));
    }
}
