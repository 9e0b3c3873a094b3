//! Log lines for a step that is repeated while a part of the system is down.
use linepress_platform::error::Error;

/// Logs an error once when it first occurs or changes, and once more when the step succeeds. Repetitions are logged at
/// debug level.
#[derive(Default)]
pub(super) struct Trouble(Option<Failure>);

/// The error logged last.
struct Failure {
    error: String,
    /// A sentence that says which step does not work.
    problem: String,
}

impl Trouble {
    pub(super) fn log(&mut self, error: &Error, problem: &str) {
        let error = error.for_operator();
        if self.0.as_ref().is_some_and(|failure| failure.error == error) {
            tracing::debug!(error, "{problem}; the same error was logged before");
            return;
        }
        tracing::error!(error, "{problem}");
        self.0 = Some(Failure {
            error,
            problem: problem.to_owned(),
        });
    }

    pub(super) fn is_over(&mut self) {
        if let Some(Failure { problem, .. }) = self.0.take() {
            tracing::info!(problem, "the problem logged before is over");
        }
    }
}
