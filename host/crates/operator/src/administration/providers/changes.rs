//! Changes of image providers by operators.
use super::{ManagedProvider, get};
use crate::administration::audit_log::{Change, Target};
use crate::administration::{Actor, GivenReason, begin, finish};
use linepress_drawings::routing;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::validation;

/// Switches a provider off on all nodes: no call begins until it is switched on. Drawings go to the next provider, or
/// wait. Nothing changes if it is off already. None if the settings do not name it.
pub async fn switch_off(app: &App, actor: &Actor, id: &str, given: &GivenReason) -> Result<Option<ManagedProvider>> {
    actor.require_operator()?;
    validation::check(given)?;
    if get(app, actor, id).await?.is_none() {
        return Ok(None);
    }
    let mut tx = begin(app, actor).await?;
    if routing::switch_off(app, &mut tx, id, &given.reason).await? {
        let change = Change::SwitchOffProvider { reason: &given.reason };
        finish(app, tx, actor, Target::Provider(id), change).await?;
    }
    get(app, actor, id).await
}

/// Switches a provider on. Nothing changes if it is on already. None if the settings do not name it.
pub async fn switch_on(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedProvider>> {
    actor.require_operator()?;
    if get(app, actor, id).await?.is_none() {
        return Ok(None);
    }
    let mut tx = begin(app, actor).await?;
    if routing::switch_on(app, &mut tx, id).await? {
        finish(app, tx, actor, Target::Provider(id), Change::SwitchOnProvider).await?;
    }
    get(app, actor, id).await
}

/// Ends the pause of a provider and forgets its failures, so that it is called again at once. None if the settings do
/// not name it.
pub async fn end_pause(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedProvider>> {
    actor.require_operator()?;
    let Some(provider) = get(app, actor, id).await? else {
        return Ok(None);
    };
    let mut tx = begin(app, actor).await?;
    routing::end_pause(app, &mut tx, id).await?;
    let change = Change::EndProviderPause {
        failures: provider.failures,
        paused_until: provider.paused_until,
    };
    finish(app, tx, actor, Target::Provider(id), change).await?;
    get(app, actor, id).await
}
