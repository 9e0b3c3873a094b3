//! Injects the faults of a schedule, and undoes them.
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{self, Instant};

use crate::clock::Clock;
use crate::database::Ending;
use crate::link::{Condition, Link};
use crate::schedule::{Fault, Kind, Part};
use crate::settings::ProviderBehavior;
use crate::site::Site;

/// The delay of every chunk of bytes. A transaction has about ten statements, and so takes seconds.
const DELAY: Duration = Duration::from_millis(150);

/// The time by which the clock of a node jumps, in seconds. It is longer than idempotency keys are stored
/// (30 days).
const CLOCK_JUMP_SECONDS: i64 = 40 * 24 * 3600;

/// The time by which the clock of the database jumps, in seconds. All nodes go by this clock, so a drawing that becomes
/// due while it is ahead begins so much later. It is longer than a lease.
const DATABASE_CLOCK_JUMP_SECONDS: i64 = 30;

/// Injects all faults, each at its time. Returns when all are undone; fails if one cannot be injected.
pub(crate) async fn inject(site: &Arc<Site>, faults: &[Fault], began: Instant) -> anyhow::Result<()> {
    let mut parts: HashMap<Part, Arc<Mutex<()>>> = HashMap::new();
    let mut tasks = JoinSet::new();
    for fault in faults.iter().cloned() {
        // A fault may last longer than planned, for example when a node does not end at once.
        let part = Arc::clone(parts.entry(fault.part()).or_default());
        let site = Arc::clone(site);
        tasks.spawn(async move {
            time::sleep_until(began + fault.at).await;
            let _part = part.lock().await;
            one(&site, &fault).await
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

async fn one(site: &Site, fault: &Fault) -> anyhow::Result<()> {
    let node = &site.nodes[fault.node];
    match fault.kind {
        Kind::KillNode => {
            node.kill().await;
            time::sleep(fault.lasts).await;
            node.start();
        }
        Kind::StopNode => {
            node.stop().await;
            time::sleep(fault.lasts).await;
            node.start();
        }
        Kind::FreezeNode => {
            node.freeze();
            time::sleep(fault.lasts).await;
            node.thaw();
        }
        Kind::FillDisk => {
            let disk = node.parts.disk.as_ref().context("the node has no disk of its own")?;
            disk.fill_for(fault.lasts).await?;
        }
        Kind::AdvanceClock => jump(&node.parts.clock, CLOCK_JUMP_SECONDS, fault).await?,
        Kind::SetBackClock => jump(&node.parts.clock, -CLOCK_JUMP_SECONDS, fault).await?,
        Kind::CrashDatabase => site.database.restart(Ending::Immediate).await?,
        Kind::RestartDatabase => site.database.restart(Ending::Fast).await?,
        Kind::FreezeDatabase => {
            let frozen = site.database.freeze()?;
            time::sleep(fault.lasts).await;
            drop(frozen);
        }
        Kind::AdvanceDatabaseClock => jump(&site.database.clock, DATABASE_CLOCK_JUMP_SECONDS, fault).await?,
        Kind::SetBackDatabaseClock => jump(&site.database.clock, -DATABASE_CLOCK_JUMP_SECONDS, fault).await?,
        Kind::CutDatabase => disturb(&node.parts.database, Condition::Cut, fault).await,
        Kind::StallDatabase => disturb(&node.parts.database, Condition::Stalled, fault).await,
        Kind::DelayDatabase => disturb(&node.parts.database, Condition::Delayed(DELAY), fault).await,
        Kind::LoseDatabaseReplies => disturb(&node.parts.database, Condition::LosingReplies, fault).await,
        Kind::CutStorage => disturb(&node.parts.storage, Condition::Cut, fault).await,
        Kind::StallStorage => disturb(&node.parts.storage, Condition::Stalled, fault).await,
        Kind::DelayStorage => disturb(&node.parts.storage, Condition::Delayed(DELAY), fault).await,
        Kind::LoseStorageReplies => disturb(&node.parts.storage, Condition::LosingReplies, fault).await,
        Kind::FailStorage => disturb(&node.parts.storage, Condition::Refusing, fault).await,
        Kind::FillStorage => disturb(&node.parts.storage, Condition::Full, fault).await,
        Kind::FailProvider => misbehave(site, ProviderBehavior::Fails, fault).await?,
        Kind::HangProvider => misbehave(site, ProviderBehavior::Hangs, fault).await?,
        Kind::ExchangePlugin => node.parts.plugins.exchange()?,
        Kind::RemovePlugin => {
            node.parts.plugins.remove()?;
            time::sleep(fault.lasts).await;
            node.parts.plugins.put_back()?;
        }
    }
    Ok(())
}

async fn disturb(link: &Link, condition: Condition, fault: &Fault) {
    link.set(condition);
    time::sleep(fault.lasts).await;
    link.set(Condition::Working);
}

async fn jump(clock: &Clock, seconds: i64, fault: &Fault) -> anyhow::Result<()> {
    clock.set(seconds)?;
    time::sleep(fault.lasts).await;
    clock.set(0)
}

/// Changes the behavior of the provider on all nodes, since it is a service that they share.
async fn misbehave(site: &Site, behavior: ProviderBehavior, fault: &Fault) -> anyhow::Result<()> {
    let set = |behavior| site.nodes.iter().try_for_each(|node| node.set_provider(behavior));
    set(behavior)?;
    time::sleep(fault.lasts).await;
    set(ProviderBehavior::Draws)
}
