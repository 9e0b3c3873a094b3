//! Requests that cost nothing. They may be sent without a key; with a key they are executed once, however often they
//! are sent.
use serde::Serialize;

use super::{Fingerprint, IdempotencyKey, SavedReply};
use crate::app::App;
use crate::caller::Caller;
use crate::throttle;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// A request that costs nothing, with its key if it has one.
pub struct Once<'a> {
    app: &'a App,
    caller: &'a Caller,
    key: Option<(&'a IdempotencyKey, Fingerprint)>,
}

/// The reply to a request that costs nothing: the first one, or a replay.
#[derive(Debug)]
pub struct Done {
    pub reply: SavedReply,
    pub replayed: bool,
}

impl<'a> Once<'a> {
    /// A request for an action with its arguments. `target` is the id of the existing resource that it changes, if any.
    pub fn new(
        app: &'a App,
        caller: &'a Caller,
        key: Option<&'a IdempotencyKey>,
        action: &str,
        target: Option<&str>,
        arguments: &impl Serialize,
    ) -> Result<Self> {
        let key = match key {
            Some(key) => Some((key, Fingerprint::from_request(action, target, arguments)?)),
            None => None,
        };
        Ok(Self { app, caller, key })
    }

    /// The saved reply if the request was executed before. It needs no transaction; call it before work that takes
    /// long.
    pub async fn saved_reply(&self) -> Result<Option<Done>> {
        let Some((key, fingerprint)) = &self.key else {
            return Ok(None);
        };
        let saved = super::look_up(self.app, self.caller, key).await?;
        let reply = saved.map(|saved| saved.reply_to(fingerprint)).transpose()?;
        Ok(reply.map(Done::replayed_reply))
    }

    /// Claims the key for this transaction, or returns the saved reply if the request was executed before.
    pub async fn claim(&self, tx: &mut Tx) -> Result<Option<Done>> {
        let Some((key, fingerprint)) = &self.key else {
            return Ok(None);
        };
        match super::claim(self.app, tx, self.caller, key, fingerprint).await? {
            Some(reply) => Ok(Some(Done::replayed_reply(reply))),
            None => {
                throttle::take_change(self.app, tx, self.caller).await?;
                Ok(None)
            }
        }
    }

    /// Saves the reply with the URL of its resource, and returns it.
    pub async fn done(&self, tx: &mut Tx, body: &impl Serialize, location: String) -> Result<Done> {
        self.done_within(tx, body, location, usize::MAX).await
    }

    /// Saves the reply and returns it. A reply of more than `MAX_SAVED_BYTES` is saved as its URL only, because
    /// requests that cost nothing must not fill the database.
    pub async fn done_in_brief(&self, tx: &mut Tx, body: &impl Serialize, location: String) -> Result<Done> {
        const MAX_SAVED_BYTES: usize = 4096;
        self.done_within(tx, body, location, MAX_SAVED_BYTES).await
    }

    async fn done_within(
        &self,
        tx: &mut Tx,
        body: &impl Serialize,
        location: String,
        max_bytes: usize,
    ) -> Result<Done> {
        let body = serde_json::to_string(body)?;
        if let Some((key, _)) = &self.key {
            let saved = SavedReply {
                body: if body.len() <= max_bytes {
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
    /// The id of the resource to read again for a replay whose reply was too long to be saved. None otherwise.
    pub fn id_to_read_again(&self) -> Option<&str> {
        let is_forgotten = self.replayed && self.reply.body.is_empty();
        is_forgotten.then(|| self.reply.location.rsplit('/').next().unwrap_or_default())
    }

    /// Replaces the body.
    pub fn with_body(mut self, body: &impl Serialize) -> Result<Self> {
        self.reply.body = serde_json::to_string(body)?;
        Ok(self)
    }

    fn replayed_reply(reply: SavedReply) -> Self {
        Self { reply, replayed: true }
    }
}
