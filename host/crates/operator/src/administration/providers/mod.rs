//! Image providers: their order and state, what they drew by day, and their switches.
mod changes;

use serde::Serialize;

use super::Actor;
use linepress_drawings::routing::{self, ProviderState, ProviderSwitch};
use linepress_drawings::spending::{self, ProviderDay};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;

pub use changes::{end_pause, switch_off, switch_on};

/// An image provider of the settings, as an operator sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ManagedProvider {
    /// The id of the plugin.
    pub id: String,
    /// Its place in the order of the settings, from 1: a drawing goes to the first provider that can draw it.
    #[schema(minimum = 1)]
    pub position: usize,
    /// The version of the loaded plugin; null if it is not loaded.
    #[schema(required)]
    pub version: Option<String>,
    /// The reason why it cannot be used; null if it is loaded, and on the command line, which loads no plugins.
    #[schema(required)]
    pub problem: Option<String>,
    /// The maximum number of calls per minute of all nodes together; null without a limit.
    #[schema(required)]
    pub per_minute: Option<u32>,
    /// The number of consecutive failures up to its most recent call.
    #[schema(minimum = 0)]
    pub failures: i64,
    /// The time until which it is not called, because it asked for that or failed repeatedly; null if it is not paused.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub paused_until: Option<Timestamp>,
    /// The switch with which an operator took it out of use; null if it is on.
    #[schema(required)]
    pub switched_off: Option<ProviderSwitch>,
}

/// The image providers, in the order of the settings.
pub async fn list(app: &App, actor: &Actor) -> Result<Vec<ManagedProvider>> {
    actor.require_operator()?;
    let live = app.live();
    let ids: Vec<&str> = live.image_providers.iter().map(String::as_str).collect();
    let mut states = routing::states(app, &ids).await?;
    let providers = (1..).zip(ids).map(|(position, id)| {
        let state = states.remove(id).unwrap_or_default();
        managed(app, actor, id, position, state)
    });
    Ok(providers.collect())
}

/// The image provider of the settings with this id. None if the settings do not name it.
pub async fn get(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedProvider>> {
    actor.require_operator()?;
    let providers = list(app, actor).await?;
    Ok(providers.into_iter().find(|provider| provider.id == id))
}

fn managed(app: &App, actor: &Actor, id: &str, position: usize, state: ProviderState) -> ManagedProvider {
    let loaded = app.plugins.image_provider(id);
    // The command line loads no plugins, and so does not know what the server can call.
    let chosen = actor
        .caller()
        .and_then(|_| app.chosen_plugins().into_iter().find(|plugin| plugin.id == id));
    ManagedProvider {
        id: id.to_owned(),
        position,
        version: loaded.map(|provider| provider.description().version.clone()),
        problem: chosen.and_then(|plugin| plugin.problem()),
        per_minute: app.live().provider(id).per_minute,
        failures: state.failures,
        paused_until: (!state.paused_for.is_zero()).then(|| app.clock.now().plus(state.paused_for)),
        switched_off: state.switched_off,
    }
}

/// The drawings, reviews and costs of the last days, with the credits that accounts paid for them: newest day first, by
/// plugin and model. A day is one of UTC.
pub async fn spending_by_day(app: &App, actor: &Actor, days: u32) -> Result<Vec<ProviderDay>> {
    actor.require_operator()?;
    spending::last_days(app, days).await
}
