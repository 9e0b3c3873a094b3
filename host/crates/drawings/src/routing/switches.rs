//! The states of providers as operators see them, and the switches with which operators take providers out of use.
use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;

use super::store;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// The switch with which an operator took a provider out of use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ProviderSwitch {
    /// The reason that the operator gave.
    pub reason: String,
    /// The time at which the provider was switched off.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
}

/// The state of a provider that all nodes share.
#[derive(Clone, Debug, Default)]
pub struct ProviderState {
    /// The number of consecutive failures up to the most recent call.
    pub failures: i64,
    /// The time until its pause ends; zero when it is not paused.
    pub paused_for: Duration,
    /// The switch that took it out of use; `None` when it is on.
    pub switched_off: Option<ProviderSwitch>,
}

/// The states of these providers by id. A provider without a recorded state is missing.
pub async fn states(app: &App, ids: &[&str]) -> Result<HashMap<String, ProviderState>> {
    let states = store::states(app.lease_clock(), &app.database.read, ids).await?;
    let convert = |(id, state): (String, store::State)| {
        let state = ProviderState {
            failures: state.failures,
            paused_for: state.paused_for(),
            switched_off: state.into_switch(),
        };
        (id, state)
    };
    Ok(states.into_iter().map(convert).collect())
}

/// Switches the provider off on all nodes. Returns false when it is off already.
pub async fn switch_off(app: &App, tx: &mut Tx, id: &str, reason: &str) -> Result<bool> {
    Ok(store::switch_off(tx, id, reason, app.clock.now()).await?)
}

/// Switches the provider on. Returns false when it is on already.
pub async fn switch_on(app: &App, tx: &mut Tx, id: &str) -> Result<bool> {
    let was_off = store::switch_on(tx, id).await?;
    app.wake_workers_after(tx);
    Ok(was_off)
}

/// Ends the pause of the provider and forgets its failures.
pub async fn end_pause(app: &App, tx: &mut Tx, id: &str) -> Result<()> {
    store::end_pause(tx, id).await?;
    app.wake_workers_after(tx);
    Ok(())
}
