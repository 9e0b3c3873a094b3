//! Settling: what a finished or failed drawing changes, in one transaction that first checks the lease.
use std::time::Duration;

use super::store::{self, ClaimedRow};
use super::{Request, TargetType};
use crate::app::App;
use crate::artwork::{self, NewArtwork};
use crate::database::Tx;
use crate::error::{Error, Result};
use crate::ids::LeaseId;
use crate::{books, characters, operations, pages};

/// A drawing that this worker holds until its lease ends.
#[derive(Debug)]
pub struct Claimed {
    pub row: ClaimedRow,
    pub target: TargetType,
    pub lease: LeaseId,
}

/// How an attempt ended.
pub enum Outcome {
    Drawn(NewArtwork),
    /// It is another worker's now, or has ended.
    Lost,
    /// Never tried again.
    Failed {
        code: &'static str,
    },
    /// Tried again after the delay, unless there were that many attempts.
    Retry {
        after: Duration,
        attempts: i64,
    },
}

/// What became of a drawing whose target was deleted or archived before anybody began it.
pub const CANCELED: &str = "generation_canceled";

/// Cancels what is queued for a target that goes away, and pays it back. What a provider is drawing already is drawn to
/// its end: it costs, and it is settled without a target. The target itself is the caller's to change. Answers whether
/// anything was queued.
pub async fn cancel(app: &App, tx: &mut Tx, kind: TargetType, id: &str) -> Result<bool> {
    let operations = store::cancel_queued(tx, kind, id, CANCELED, app.clock.now()).await?;
    for operation in &operations {
        count(app, tx, operation, false).await?;
    }
    Ok(!operations.is_empty())
}

/// Whether the drawing still has something to be for.
pub(super) async fn is_wanted(app: &App, target: TargetType, id: &str) -> Result<bool> {
    match target {
        TargetType::Page => pages::exists(app, id).await,
        TargetType::Character => characters::is_active(app, id).await,
        TargetType::Cover => books::exists(app, id).await,
    }
}

/// Records how the attempt ended. False, and nothing changed, when the drawing is no longer this worker's.
pub async fn settle(app: &App, claimed: &Claimed, outcome: Outcome) -> Result<bool> {
    let again = matches!(outcome, Outcome::Retry { .. });
    let wanted = !again || is_wanted(app, claimed.target, &claimed.row.target_id).await?;
    let mut tx = app.database.begin().await?;
    let now = app.clock.now();
    let id = &claimed.row.id;
    let ours = match outcome {
        Outcome::Retry { .. } if !wanted => finish(app, &mut tx, claimed, Err(CANCELED)).await?,
        Outcome::Retry { after, attempts } if claimed.row.attempts < attempts => {
            store::requeue(&mut tx, id, &claimed.lease, now.plus(after)).await?
        }
        Outcome::Retry { .. } => finish(app, &mut tx, claimed, Err("generation_failed")).await?,
        Outcome::Failed { code } => finish(app, &mut tx, claimed, Err(code)).await?,
        Outcome::Drawn(artwork) => finish(app, &mut tx, claimed, Ok(artwork)).await?,
        Outcome::Lost => false,
    };
    if ours {
        tx.commit().await?;
    }
    Ok(ours)
}

async fn finish(app: &App, tx: &mut Tx, claimed: &Claimed, result: Result<NewArtwork, &'static str>) -> Result<bool> {
    let row = &claimed.row;
    let error = result.as_ref().err().copied();
    if !store::finish(tx, &row.id, &claimed.lease, error, app.clock.now()).await? {
        return Ok(false);
    }
    let artwork = match &result {
        Ok(artwork) => Some(artwork::insert(app, tx, &row.account_id, artwork).await?),
        Err(_) => None,
    };
    let asked: Request = serde_json::from_str(&row.request)?;
    let settled = match claimed.target {
        TargetType::Page => pages::settle(app, tx, &row.target_id, artwork.as_ref(), &asked, error).await?,
        TargetType::Character => characters::settle(app, tx, &row.target_id, artwork.as_ref(), &asked).await?,
        TargetType::Cover => books::settle_cover(app, tx, &row.target_id, artwork.as_ref()).await?,
    };
    // Deleted meanwhile: it was drawn, so it stays paid, and nothing is kept of it.
    let unwanted = if settled { None } else { artwork.as_ref() };
    if let Some(artwork) = unwanted {
        artwork::discard(app, tx, artwork).await?;
    }
    count(app, tx, &row.operation_id, artwork.is_some()).await?;
    Ok(true)
}

/// Counts a drawing that ended, and frees the book that waited for the last one.
async fn count(app: &App, tx: &mut Tx, operation: &str, drawn: bool) -> Result<()> {
    if operations::count(app, tx, operation, drawn).await? {
        books::operation_ended(app, tx, operation).await?;
    }
    Ok(())
}

/// Takes the next drawing, if there is one.
pub async fn claim(app: &App) -> Result<Option<Claimed>> {
    if !store::is_anything_due(&app.database.read, app.clock.now()).await? {
        return Ok(None);
    }
    let mut tx = app.database.begin().await?;
    // Only now: waiting for the database must not eat into the lease.
    let now = app.clock.now();
    let lease = LeaseId::generate(now, &app.random);
    let Some(row) = store::claim(&app.database, &mut tx, &lease, now, now.plus(app.config.lease())).await? else {
        return Ok(None);
    };
    operations::start(app, &mut tx, &row.operation_id).await?;
    tx.commit().await?;
    let target = TargetType::parse(&row.target_type)
        .ok_or_else(|| Error::internal(format!("drawing {} has an unknown target", row.id)))?;
    Ok(Some(Claimed { row, target, lease }))
}

/// Renews the lease; false when it is lost.
pub async fn renew(app: &App, claimed: &Claimed) -> Result<bool> {
    let Some(tx) = hold(app, claimed).await? else {
        return Ok(false);
    };
    tx.commit().await?;
    Ok(true)
}

/// A transaction that renews the lease and until whose end nobody settles the drawing; nothing when the lease is lost.
pub(super) async fn hold(app: &App, claimed: &Claimed) -> Result<Option<Tx>> {
    let mut tx = app.database.begin().await?;
    let until = app.clock.now().plus(app.config.lease());
    let ours = store::renew(&mut tx, &claimed.row.id, &claimed.lease, until).await?;
    Ok(ours.then_some(tx))
}

/// Gives a claimed drawing back unharmed.
pub async fn release(app: &App, claimed: &Claimed) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::release(&mut tx, &claimed.row.id, &claimed.lease, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}
