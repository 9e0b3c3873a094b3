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

/// Records how the attempt ended. False, and nothing changed, when the drawing is no longer this worker's.
pub async fn settle(app: &App, claimed: &Claimed, outcome: Outcome) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let now = app.clock.now();
    let id = &claimed.row.id;
    let ours = match outcome {
        Outcome::Retry { after, attempts } if claimed.row.attempts < attempts => {
            store::requeue(&mut tx, id, &claimed.lease, now.plus(after)).await?
        }
        Outcome::Retry { .. } => finish(app, &mut tx, claimed, Err("generation_failed")).await?,
        Outcome::Failed { code } => finish(app, &mut tx, claimed, Err(code)).await?,
        Outcome::Drawn(artwork) => finish(app, &mut tx, claimed, Ok(artwork)).await?,
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
    match claimed.target {
        TargetType::Page => pages::settle(app, tx, &row.target_id, artwork.as_ref(), &asked.prompt, error).await?,
        TargetType::Character => characters::settle(app, tx, &row.target_id, artwork.as_ref(), &asked).await?,
        TargetType::Cover => books::settle_cover(app, tx, &row.target_id, artwork.as_ref()).await?,
    }
    if operations::count(app, tx, &row.operation_id, artwork.is_some()).await? {
        books::operation_ended(app, tx, &row.operation_id).await?;
    }
    Ok(true)
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
    let mut tx = app.database.begin().await?;
    let until = app.clock.now().plus(app.config.lease());
    let ours = store::renew(&mut tx, &claimed.row.id, &claimed.lease, until).await?;
    tx.commit().await?;
    Ok(ours)
}

/// Gives a claimed drawing back unharmed.
pub async fn release(app: &App, claimed: &Claimed) -> Result<()> {
    let mut tx = app.database.begin().await?;
    store::release(&mut tx, &claimed.row.id, &claimed.lease, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}
