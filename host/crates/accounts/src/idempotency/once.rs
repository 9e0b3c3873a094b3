//! Requests that cost nothing. They may be sent without a key; with a key they are executed once, however often they
//! are sent.
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Fingerprint, IdempotencyKey, SavedReply};
use crate::caller::Caller;
use crate::throttle;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};

/// A request that costs nothing, with its key if it has one.
pub struct Once<'a> {
    app: &'a App,
    caller: &'a Caller,
    key: Option<(&'a IdempotencyKey, Fingerprint)>,
}

/// The reply to a request that costs nothing: the first one, or a replay.
#[derive(Debug)]
pub struct Done<T> {
    pub reply: T,
    pub replayed: bool,
}

/// The reply to an earlier request with the same key.
#[derive(Debug)]
pub enum Earlier<T> {
    Reply(T),
    /// The reply was too long to be saved; its resource has to be read again.
    Resource,
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

    /// The earlier reply if the request was executed before. It needs no transaction; call it before work that takes
    /// long.
    pub async fn earlier<T: DeserializeOwned>(&self) -> Result<Option<Earlier<T>>> {
        let Some((key, fingerprint)) = &self.key else {
            return Ok(None);
        };
        let saved = super::look_up(self.app, self.caller, key).await?;
        let reply = saved.map(|saved| saved.reply_to(fingerprint)).transpose()?;
        reply.map(|reply| Earlier::read(&reply)).transpose()
    }

    /// Claims the key for this transaction, or returns the earlier reply if the request was executed before.
    pub async fn claim<T: DeserializeOwned>(&self, tx: &mut Tx) -> Result<Option<Earlier<T>>> {
        let Some((key, fingerprint)) = &self.key else {
            return Ok(None);
        };
        match super::claim(self.app, tx, self.caller, key, fingerprint).await? {
            Some(reply) => Earlier::read(&reply).map(Some),
            None => {
                throttle::take_change(self.app, tx, self.caller).await?;
                Ok(None)
            }
        }
    }

    /// Saves the reply and returns it.
    pub async fn done<T: Serialize>(&self, tx: &mut Tx, reply: T) -> Result<Done<T>> {
        self.done_within(tx, reply, usize::MAX).await
    }

    /// Saves and returns the reply. One longer than `MAX_SAVED_BYTES` is not saved, so that free requests cannot fill
    /// the database.
    pub async fn done_in_brief<T: Serialize>(&self, tx: &mut Tx, reply: T) -> Result<Done<T>> {
        const MAX_SAVED_BYTES: usize = 4096;
        self.done_within(tx, reply, MAX_SAVED_BYTES).await
    }

    async fn done_within<T: Serialize>(&self, tx: &mut Tx, reply: T, max_bytes: usize) -> Result<Done<T>> {
        if let Some((key, _)) = &self.key {
            let saved = SavedReply::new(&reply)?.within(max_bytes);
            super::save(tx, self.caller, key, &saved).await?;
        }
        Ok(Done { reply, replayed: false })
    }
}

impl<T: DeserializeOwned> Earlier<T> {
    fn read(saved: &SavedReply) -> Result<Self> {
        if saved.is_too_long() {
            return Ok(Self::Resource);
        }
        saved.read().map(Self::Reply)
    }
}

impl<T> Earlier<T> {
    /// The reply of an earlier request. An error if it was not saved; for requests whose replies are always saved.
    pub fn reply(self) -> Result<Done<T>> {
        match self {
            Self::Reply(reply) => Ok(Done { reply, replayed: true }),
            Self::Resource => Err(Error::internal("a reply was not saved")),
        }
    }
}
