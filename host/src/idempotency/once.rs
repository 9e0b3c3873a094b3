//! Requests that cost nothing. They may be sent without a key; with one they are done once, however often they are sent.
use serde::Serialize;

use super::{Fingerprint, IdempotencyKey, SavedReply};
use crate::app::App;
use crate::caller::Caller;
use crate::database::Tx;
use crate::error::Result;
use crate::throttle;

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
        match super::claim(self.app, tx, self.caller, key, fingerprint).await? {
            Some(reply) => Ok(Some(Done::again(reply))),
            None => {
                throttle::take_change(self.app, tx, self.caller).await?;
                Ok(None)
            }
        }
    }

    /// Saves the reply, with the address of what it is about.
    pub async fn done(&self, tx: &mut Tx, body: &impl Serialize, location: String) -> Result<Done> {
        self.done_within(tx, body, location, usize::MAX).await
    }

    /// The same for what may be long: then the address alone is saved. Such requests cost nothing, and must not fill the
    /// database.
    pub async fn done_in_brief(&self, tx: &mut Tx, body: &impl Serialize, location: String) -> Result<Done> {
        const MAX_SAVED_BYTES: usize = 4096;
        self.done_within(tx, body, location, MAX_SAVED_BYTES).await
    }

    async fn done_within(&self, tx: &mut Tx, body: &impl Serialize, location: String, most: usize) -> Result<Done> {
        let body = serde_json::to_string(body)?;
        if let Some((key, _)) = &self.key {
            let saved = SavedReply {
                body: if body.len() <= most {
                    body.clone()
                } else {
                    String::new()
                },
                location: location.clone(),
            };
            super::save(tx, self.caller, key, &saved).await?;
        }
        Ok(Done {
            reply: SavedReply { body, location },
            replayed: false,
        })
    }
}

impl Done {
    /// The id of what the address leads to, where the request was done before and its reply was too long to be kept: what it
    /// is about is read again.
    pub fn is_to_be_read_again(&self) -> Option<&str> {
        let is_forgotten = self.replayed && self.reply.body.is_empty();
        is_forgotten.then(|| self.reply.location.rsplit('/').next().unwrap_or_default())
    }

    /// With this body.
    pub fn with_body(mut self, body: &impl Serialize) -> Result<Self> {
        self.reply.body = serde_json::to_string(body)?;
        Ok(self)
    }

    fn again(reply: SavedReply) -> Self {
        Self { reply, replayed: true }
    }
}
