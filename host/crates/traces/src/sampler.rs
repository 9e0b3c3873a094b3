//! The decision whether a step is recorded.
use opentelemetry::trace::{Link, SpanKind, TraceId};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{IdGenerator as _, RandomIdGenerator, Sampler, SamplingResult, ShouldSample};

/// The mark of a context within a request whose flag says whether the request is recorded.
#[derive(Debug)]
pub(crate) struct WithinRequest;

/// Records a part of all requests at random, and of the other steps those whose parent is recorded. A step without a
/// parent is treated like a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestSampler {
    /// Decides by the id of a trace, which must be random.
    by_id: Sampler,
    by_parent: Sampler,
    ids: RandomIdGenerator,
}

impl RequestSampler {
    /// Records this part of all requests, from 0 to 1.
    pub(crate) fn new(ratio: f64) -> Self {
        let by_id = Sampler::TraceIdRatioBased(ratio);
        Self {
            by_id: by_id.clone(),
            by_parent: Sampler::ParentBased(Box::new(by_id)),
            ids: RandomIdGenerator::default(),
        }
    }
}

impl ShouldSample for RequestSampler {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace: TraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[Link],
    ) -> SamplingResult {
        let is_within_request = parent.is_some_and(|parent| parent.get::<WithinRequest>().is_some());
        if *kind == SpanKind::Server && !is_within_request {
            // The client may have chosen the id of the trace, so that it is recorded at any ratio.
            let random = self.ids.new_trace_id();
            return self.by_id.should_sample(None, random, name, kind, attributes, links);
        }
        // Parents on other nodes come from the database, which contains only steps that are recorded.
        self.by_parent
            .should_sample(parent, trace, name, kind, attributes, links)
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceState};
    use opentelemetry_sdk::trace::SamplingDecision;

    use super::*;

    /// A trace id that a decision by the id records at every ratio above 0.
    const LOWEST_TRACE: u128 = 1 << 127;

    fn is_recorded(ratio: f64, kind: SpanKind, parent: Option<TraceFlags>) -> bool {
        is_recorded_in(&Context::new(), ratio, kind, parent)
    }

    fn is_recorded_in(context: &Context, ratio: f64, kind: SpanKind, parent: Option<TraceFlags>) -> bool {
        let trace = TraceId::from(LOWEST_TRACE);
        let parent = parent.map_or_else(Context::new, |flags| {
            let parent = SpanContext::new(trace, SpanId::from(1_u64), flags, true, TraceState::default());
            context.with_remote_span_context(parent)
        });
        let sampler = RequestSampler::new(ratio);
        let result = sampler.should_sample(Some(&parent), trace, "step", &kind, &[], &[]);
        result.decision == SamplingDecision::RecordAndSample
    }

    #[test]
    fn neither_the_id_nor_the_flag_of_a_client_decides() {
        for flags in [TraceFlags::SAMPLED, TraceFlags::NOT_SAMPLED] {
            assert!(!is_recorded(1e-9, SpanKind::Server, Some(flags)));
            assert!(is_recorded(1.0, SpanKind::Server, Some(flags)));
        }
    }

    #[test]
    fn a_call_within_a_request_is_recorded_if_the_request_is() {
        let request = Context::new().with_value(WithinRequest);
        for (ratio, flags) in [(0.0, TraceFlags::SAMPLED), (1.0, TraceFlags::NOT_SAMPLED)] {
            let is_recorded = is_recorded_in(&request, ratio, SpanKind::Server, Some(flags));
            assert_eq!(is_recorded, flags.is_sampled());
        }
    }

    #[test]
    fn a_later_step_follows_its_parent() {
        assert!(is_recorded(0.0, SpanKind::Consumer, Some(TraceFlags::SAMPLED)));
        assert!(!is_recorded(1.0, SpanKind::Internal, Some(TraceFlags::NOT_SAMPLED)));
        assert!(is_recorded(1.0, SpanKind::Consumer, None));
        assert!(!is_recorded(0.0, SpanKind::Consumer, None));
    }
}
