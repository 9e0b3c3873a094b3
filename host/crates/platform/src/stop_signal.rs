//! The signal that the server is stopping, for responses that would otherwise last much longer.
use tokio::sync::watch;

/// The signal that this node is stopping. It never ends.
#[derive(Debug, Default)]
pub struct StopSignal(watch::Sender<bool>);

impl StopSignal {
    /// Gives the signal.
    pub fn give(&self) {
        self.0.send_replace(true);
    }

    /// Returns true once the signal was given.
    pub fn is_given(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the signal is given.
    pub async fn given(&self) {
        // The sender lives as long as this value.
        let _ = self.0.subscribe().wait_for(|given| *given).await;
    }
}
