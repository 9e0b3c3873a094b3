//! Options of a single call.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use crate::contract::Report;

/// The progress of a call, in units that the plugin chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u32,
    pub total: u32,
}

/// Options of a single call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Replaces the deadline of the manifest.
    pub deadline: Option<Duration>,
    /// Receives the plugin's progress reports.
    pub progress: Option<watch::Sender<Option<Progress>>>,
    /// Receives the model and the cost.
    pub receipt: Receipt,
}

/// The model and the cost of a single call as the plugin reported them. They are noted before the answer is checked:
/// the operator pays for a call whether or not its answer is valid. Clones are the same receipt.
#[derive(Clone, Debug, Default)]
pub struct Receipt(Arc<OnceLock<Report>>);

impl Receipt {
    /// The model that was used, in at most 100 characters. None if the plugin named none, or the call failed before it
    /// returned an answer.
    pub fn model(&self) -> Option<&str> {
        self.0.get()?.model.as_deref()
    }

    /// The cost in millionths of a US dollar. None under the same conditions.
    pub fn cost_microdollars(&self) -> Option<i64> {
        self.0.get()?.cost_microdollars
    }

    /// Notes what the plugin reported. Only the first report counts.
    pub(crate) fn note(&self, report: Report) {
        self.0.get_or_init(|| report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_shows_the_first_report_to_all_its_clones() {
        let receipt = Receipt::default();
        let options = CallOptions {
            receipt: receipt.clone(),
            ..CallOptions::default()
        };
        assert_eq!((receipt.model(), receipt.cost_microdollars()), (None, None));
        for (model, cost) in [("eye-1", 2_000), ("eye-2", 3_000)] {
            options.receipt.note(Report::from_values(None, Some(model), Some(cost)));
        }
        assert_eq!(
            (receipt.model(), receipt.cost_microdollars()),
            (Some("eye-1"), Some(2_000))
        );
    }
}
