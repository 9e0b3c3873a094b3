//! Waiting for an operation: its progress as server-sent events, and requests that last until it has ended.
use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::Stream;
use futures::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::Reply;
use linepress_accounts::caller::Caller;
use linepress_core::operations::{self, Operation};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::fair_share::Permit;
use linepress_platform::ids::OperationId;

/// The time between two polls of the database.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of polls without a change after which a comment is sent, so that proxies do not drop the connection.
const KEEP_ALIVE_POLLS: u32 = 15;
/// The number of polls between two checks of the client's credential, which may have ended.
const POLLS_PER_CREDENTIAL_CHECK: u32 = 5;
/// The most polls of one request. After that the client reconnects, and is authenticated again.
const MAX_POLLS: u32 = 300;
/// The time after which a client may connect again when too many clients of its account wait.
const RETRY_AFTER: Duration = Duration::from_secs(5);

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const LAST_EVENT_ID: &str = "last-event-id";

/// The words of an interface for the events of an operation.
pub struct EventWords {
    /// The data of an event: the operation, as JSON.
    pub data: fn(&App, Operation) -> Result<String>,
    /// True if each event has an id, with which the client can resume after a lost connection.
    pub has_ids: bool,
}

/// Returns true while the credential of the request is valid.
pub type CredentialCheck = Box<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// The events of an operation: `progress` for each change, and `end` with its last state. A client that names the id of
/// the last event gets only what follows it, and 204 after the last one, which ends an `EventSource`.
pub async fn events(
    app: App,
    caller: Caller,
    id: &OperationId,
    headers: &HeaderMap,
    words: EventWords,
    is_credential_valid: CredentialCheck,
) -> Reply {
    let operation = find(&app, &caller, id).await?;
    let place = app.followers.try_acquire(caller.account_id()).map_err(|_| {
        Error::from(ErrorKind::RateLimited {
            what: "connections that follow a drawing",
            retry_after: RETRY_AFTER,
        })
    })?;
    let last_event = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
    let last_id = last_event.filter(|_| words.has_ids).map(str::to_owned);
    let has_ended = operation.status.is_terminal();
    let first = (words.data)(&app, operation.clone())?;
    if has_ended && last_id.as_ref() == Some(&id_of(&first)) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let following = Following {
        app,
        caller,
        id: id.clone(),
        words,
        is_credential_valid,
        next: Some(operation),
        last_id,
        polls: 0,
        unchanged_polls: 0,
        has_ended: false,
        _place: place,
    };
    Ok(streamed(following))
}

async fn find(app: &App, caller: &Caller, id: &OperationId) -> Result<Operation> {
    let operation = operations::get(app, caller, id).await?;
    operation.ok_or_else(|| Error::not_found("operation"))
}

/// The id of an event with this data.
fn id_of(data: &str) -> String {
    hex::encode(&Sha256::digest(data)[..8])
}

fn streamed(following: Following) -> Response {
    let mut response = Sse::new(following.events()).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    // Otherwise nginx buffers the events.
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// A stream of an operation's progress. It is dropped when the client disconnects, which frees its place.
struct Following {
    app: App,
    caller: Caller,
    id: OperationId,
    words: EventWords,
    is_credential_valid: CredentialCheck,
    /// The operation as it was before the first poll.
    next: Option<Operation>,
    /// The id of the last event.
    last_id: Option<String>,
    polls: u32,
    unchanged_polls: u32,
    has_ended: bool,
    _place: Permit,
}

impl Following {
    fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        futures::stream::unfold(self, async |mut following| {
            let event = following.event().await?;
            Some((Ok(event), following))
        })
    }

    /// Waits for the next change. Returns `None` if the operation has ended or the client should reconnect.
    async fn event(&mut self) -> Option<Event> {
        while !self.has_ended && self.polls < MAX_POLLS {
            self.polls += 1;
            let operation = match self.next.take() {
                Some(first) => first,
                None => self.poll().await?,
            };
            self.has_ended = operation.status.is_terminal();
            let data = (self.words.data)(&self.app, operation).ok()?;
            let id = id_of(&data);
            let is_new = self.last_id.as_ref() != Some(&id);
            if self.has_ended || is_new {
                self.unchanged_polls = 0;
                let event = Event::default().event(if self.has_ended { "end" } else { "progress" });
                let event = if self.words.has_ids { event.id(&id) } else { event };
                self.last_id = Some(id);
                return Some(event.data(data));
            }
            self.unchanged_polls += 1;
            if self.unchanged_polls >= KEEP_ALIVE_POLLS {
                self.unchanged_polls = 0;
                return Some(Event::default().comment("keep-alive"));
            }
        }
        None
    }

    /// Reads the operation after a while. If that fails, the credential has ended, or the server stops, the stream
    /// ends, and the client reconnects.
    async fn poll(&self) -> Option<Operation> {
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = self.app.stopping.given() => return None,
        }
        if self.polls.is_multiple_of(POLLS_PER_CREDENTIAL_CHECK) && !(self.is_credential_valid)().await {
            return None;
        }
        find(&self.app, &self.caller, &self.id).await.ok()
    }
}

/// The longest time that a request or a call of a tool waits. Many proxies and clients give up after a minute.
pub const MAX_WAIT: Duration = Duration::from_secs(50);

/// The time that a request prefers to wait (RFC 7240, section 4.3); `None` if it has no such preference.
pub fn preferred_wait(headers: &HeaderMap) -> Option<Duration> {
    let lines = headers.get_all("prefer").iter().filter_map(|line| line.to_str().ok());
    let mut preferences = lines.flat_map(|line| line.split(','));
    preferences.find_map(|preference| {
        let (name, value) = preference.split(';').next()?.split_once('=')?;
        let seconds = value.trim().trim_matches('"');
        let is_wait = name.trim().eq_ignore_ascii_case("wait");
        is_wait.then(|| seconds.parse().ok()).flatten().map(Duration::from_secs)
    })
}

/// The operation as soon as it has ended, the time is up, or the server stops. None if it was not waited for, because
/// too many clients of the account wait.
pub async fn wait_until_ended(
    app: &App,
    caller: &Caller,
    id: &OperationId,
    wait: Duration,
) -> Result<Option<Operation>> {
    const INTERVAL: Duration = Duration::from_millis(500);
    let Ok(_place) = app.followers.try_acquire(caller.account_id()) else {
        return Ok(None);
    };
    let until = Instant::now() + wait.min(MAX_WAIT).min(app.config.response_limit());
    loop {
        let operation = find(app, caller, id).await?;
        if operation.status.is_terminal() || Instant::now() >= until {
            return Ok(Some(operation));
        }
        tokio::select! {
            () = tokio::time::sleep_until(until.min(Instant::now() + INTERVAL)) => {}
            () = app.stopping.given() => return Ok(Some(operation)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_to_wait_is_found_among_others() {
        let wait = |lines: &[&'static str]| {
            let lines = lines
                .iter()
                .map(|line| (HeaderName::from_static("prefer"), HeaderValue::from_static(line)));
            preferred_wait(&lines.collect()).map(|wait| wait.as_secs())
        };
        for (lines, expected) in [
            (&["wait=10"][..], Some(10)),
            (&["respond-async, Wait = \"5\"; x=y"][..], Some(5)),
            (&["return=minimal", "wait=7"][..], Some(7)),
            (&["wait"][..], None),
            (&["wait=-1"][..], None),
            (&["waiting=3"][..], None),
            (&[][..], None),
        ] {
            assert_eq!(wait(lines), expected, "{lines:?}");
        }
    }
}
