//! Single steps of the server, from all crates that offer them to tests.
use std::time::Duration;

use linepress_platform::app::App;

pub(crate) use linepress_accounts::testing::*;
pub(crate) use linepress_core::testing::*;
pub(crate) use linepress_operator::testing::*;
pub(crate) use linepress_planning::testing::*;

/// Waits until the last uses of keys are recorded, which happens in the background.
pub(crate) async fn record_key_uses(app: &App) {
    while !app.key_uses.is_idle() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
