//! Outcomes on demand: the prompts with which a test key has a drawing refused, fail or take long.
use std::time::Duration;

use super::complete::AttemptOutcome;
use crate::operations::FailureCode;
use linepress_drawings::queue::DrawingRequest;

/// A prompt, or the instruction of a refinement, that begins with it ends as a provider's refusal.
const REFUSED: &str = "test:refused";

/// The same for a provider that was unavailable until the server gave up.
const UNAVAILABLE: &str = "test:unavailable";

/// The same for a drawing that takes long.
const SLOW: &str = "test:slow";

/// The time that a slow drawing takes: longer than a request may wait for the end of its operation.
const SLOW_DURATION: Duration = Duration::from_secs(60);

/// The outcome that the request of a test key asks for, `tried_for` after it was first claimed. None for requests that
/// are to be drawn now. A slow drawing waits in the queue, where it occupies no provider.
pub(super) fn outcome(request: &DrawingRequest, tried_for: Duration) -> Option<AttemptOutcome> {
    if !request.is_test {
        return None;
    }
    let texts = [Some(request.prompt.as_str()), request.instruction()];
    let asks_for = |what: &str| texts.iter().flatten().any(|text| text.trim_start().starts_with(what));
    if asks_for(REFUSED) {
        return Some(AttemptOutcome::Failed(FailureCode::Refused));
    }
    if asks_for(UNAVAILABLE) {
        return Some(AttemptOutcome::Failed(FailureCode::Failed));
    }
    let left = SLOW_DURATION.saturating_sub(tried_for);
    (asks_for(SLOW) && !left.is_zero()).then_some(AttemptOutcome::Postponed { after: Some(left) })
}
