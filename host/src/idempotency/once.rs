//! Requests that cost nothing. They may be sent without a key; with one they are done once, however often they are sent.
use serde::Serialize;

use super::{Fingerprint, IdempotencyKey, SavedReply};
use crate::app::App;
use crate::caller::Caller;
use crate::database::Tx;
use crate::error::Result;

/// A request that costs nothing, with the key that it was sent with, if there was one.
pub struct Once<'a> {
    app: &'a App,
    caller: &'a Caller,
    key: Option<(&'a IdempotencyKey, Fingerprint)>,
}

/// The reply to such a request, the first or a replayed one.
#[derive(Debug)]
pub struct Done {
    pub reply: SavedReply,
    pub replayed: bool,
}

impl<'a> Once<'a> {
    /// An action on `target`, the id of what exists already, with its arguments.
    pub fn new(
        app: &'a App,
        caller: &'a Caller,
        key: Option<&'a IdempotencyKey>,
        action: &str,
        target: Option<&str>,
        arguments: &impl Serialize,
    ) -> Result<Self> {
        let key = match key {
            Some(key) => Some((key, Fingerprint::of(action, target, arguments)?)),
            None => None,
        };
        Ok(Self { app, caller, key })
    }

    /// What was saved when the request was done before: worth asking ahead of work that takes long.
    pub async fn before(&self) -> Result<Option<Done>> {
        let Some((key, fingerprint)) = &self.key else {
            return Ok(None);
        };
        let saved = super::look_up(self.app, self.caller, key).await?;
        let reply = saved.map(|saved| saved.reply_to(fingerprint)).transpose()?;
        Ok(reply.map(Done::again))
    }

    /// Claims the key for this transaction, or returns what was saved when the request was done before.
    pub async fn claim(&self, tx: &mut Tx) -> Result<Option<Done>> {
        let Some((key, fingerprint)) = &self.key else {
            return Ok(None);
        };
        let reply = super::claim(self.app, tx, self.caller, key, fingerprint).await?;
        Ok(reply.map(Done::again))
    }

    /// Saves the reply, with the address of what it is about.
    pub async fn done(&self, tx: &mut Tx, body: &impl Serialize, location: String) -> Result<Done> {
        let body = serde_json::to_string(body)?;
        let reply = SavedReply { body, location };
        if let Some((key, _)) = &self.key {
            super::save(tx, self.caller, key, &reply).await?;
        }
        Ok(Done { reply, replayed: false })
    }
}

impl Done {
    fn again(reply: SavedReply) -> Self {
        Self { reply, replayed: true }
    }
}
