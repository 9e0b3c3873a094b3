//! What fails again and again while something is down.
use crate::error::Error;

/// One line of the log when it begins, or becomes another, and one when it is over.
#[derive(Default)]
pub(super) struct Trouble(Option<String>);

impl Trouble {
    pub(super) fn log(&mut self, error: &Error, what: &str) {
        let error = error.for_operator();
        if self.0.as_ref() == Some(&error) {
            tracing::debug!(error, "again: {what}");
            return;
        }
        tracing::error!(error, "{what}");
        self.0 = Some(error);
    }

    pub(super) fn is_over(&mut self) {
        if self.0.take().is_some() {
            tracing::info!("it works again");
        }
    }
}
