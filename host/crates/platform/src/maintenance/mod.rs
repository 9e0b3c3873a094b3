//! Maintenance: an operator makes all nodes of a server read-only, and later writable again.
//!
//! Meanwhile the interfaces refuse every request that may change something, workers finish the drawings that they have
//! begun and claim no other, and nothing that expired is deleted. The state is read from the database each time, so
//! that no node lags behind.
mod message;
mod store;

use std::time::Duration;

use serde::Serialize;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::{Database, Tx};
use crate::error::{Error, ErrorKind, Result};

pub use message::Message;

/// The time after which a refused client may try again. An operator needs minutes rather than seconds.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// The maintenance of a server that is read-only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Maintenance {
    pub began_at: Timestamp,
    /// The operator's words for clients; may be empty.
    pub message: String,
}

impl Maintenance {
    /// The notice for clients and their users.
    pub fn notice(&self) -> String {
        let notice = "The server is under maintenance and cannot be changed for now.";
        match &*self.message {
            "" => notice.into(),
            message if message.ends_with(['.', '!', '?']) => format!("{notice} {message}"),
            message => format!("{notice} {message}."),
        }
    }
}

/// The present maintenance; `None` when the server can be changed.
pub async fn current(app: &App) -> Result<Option<Maintenance>> {
    Ok(store::find(&app.database.read).await?)
}

/// Returns true while the server is read-only.
pub async fn is_read_only(database: &Database) -> sqlx::Result<bool> {
    Ok(store::find(&database.read).await?.is_some())
}

/// Fails while the server is read-only.
pub async fn require_off(app: &App) -> Result<()> {
    match current(app).await? {
        None => Ok(()),
        Some(maintenance) => Err(Error::from(ErrorKind::Maintenance {
            notice: maintenance.notice(),
            retry_after: RETRY_DELAY,
        })),
    }
}

/// Makes the server read-only. If it is already, only the message changes.
pub async fn begin(app: &App, tx: &mut Tx, message: &Message) -> Result<Maintenance> {
    let now = app.database.shared_time(tx, &app.clock).await?;
    Ok(store::begin(tx, now, message).await?)
}

/// Makes the server writable; returns false if it already was.
pub async fn end(tx: &mut Tx) -> Result<bool> {
    Ok(store::end(tx).await?)
}
