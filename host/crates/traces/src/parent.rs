//! Parents of steps that another task, process or node begins.
use std::collections::HashMap;

use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{SpanContext, TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::sampler::WithinRequest;

/// The header of W3C Trace Context that names a trace and a step of it.
pub const TRACEPARENT: &str = "traceparent";

/// The header of W3C Trace Context with the data of tracing vendors about that step.
const TRACESTATE: &str = "tracestate";

/// The maximum size of each of these fields in the body of a message, in bytes. A `traceparent` of today's version has
/// 55, and W3C Trace Context asks only that a `tracestate` of up to 512 is passed on.
const MAX_FIELD_BYTES: usize = 512;

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

/// The step of a request, as the parent of steps in tasks that do not inherit it.
#[derive(Clone, Debug)]
pub struct StepContext(Context);

impl StepContext {
    /// Returns the current step, which is that of a request. `None` outside of all steps and without an exporter.
    pub fn current() -> Option<Self> {
        Context::map_current(|context| {
            let is_step = context.span().span_context().is_valid();
            is_step.then(|| Self(context.with_value(WithinRequest)))
        })
    }

    /// Makes `step` a child of this one. Call it before the step is entered.
    pub fn adopt(&self, step: &Span) {
        // Fails when the step is disabled or was entered.
        let _ = step.set_parent(self.0.clone());
    }

    /// Makes `step` a child of the client's step that the fields of a message name, with a link to this one. It is
    /// recorded if this one is. Returns false, and changes nothing, if `traceparent` is invalid; ignores an invalid
    /// `tracestate`. Call it before the step is entered.
    pub fn adopt_into_trace(&self, step: &Span, traceparent: &str, tracestate: Option<&str>) -> bool {
        if traceparent.len() > MAX_FIELD_BYTES {
            return false;
        }
        let mut fields = HashMap::from([(TRACEPARENT.to_owned(), traceparent.to_owned())]);
        if let Some(tracestate) = tracestate.filter(|tracestate| tracestate.len() <= MAX_FIELD_BYTES) {
            fields.insert(TRACESTATE.to_owned(), tracestate.to_owned());
        }
        let extracted = TraceContextPropagator::new().extract_with_context(&Context::new(), &fields);
        let client = extracted.span().span_context().clone();
        if !client.is_valid() {
            return false;
        }
        let request = self.0.span().span_context().clone();
        // The flag of the request and not of the client, which does not decide what is recorded.
        let parent = SpanContext::new(
            client.trace_id(),
            client.span_id(),
            request.trace_flags(),
            true,
            client.trace_state().clone(),
        );
        let _ = step.set_parent(self.0.with_remote_span_context(parent));
        step.add_link(request);
        true
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
