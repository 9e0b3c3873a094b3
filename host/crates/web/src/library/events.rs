//! `/library/operations/{id}/events`: the progress of an operation as server-sent events, until it has ended.
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::Stream;
use serde_json::json;

use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::operations::{self, Operation};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::fair_share::Permit;
use linepress_platform::ids::OperationId;

/// The time between two polls of the database.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The number of polls without a change after which a comment is sent, so that proxies do not drop the connection.
const KEEP_ALIVE_POLLS: u32 = 15;
/// The number of polls between two checks of the session, which may have ended.
const POLLS_PER_SESSION_CHECK: u32 = 5;
/// The most polls of one request. After that the browser reconnects, and is authenticated again.
const MAX_POLLS: u32 = 300;

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

pub(super) async fn follow(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<OperationId>,
    headers: HeaderMap,
) -> Reply {
    let caller = signed_in.caller();
    let operation = operations::get(&app, &caller, &id).await?;
    let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
    let place = app.followers.try_acquire(caller.account_id()).map_err(|_| {
        Error::from(ErrorKind::RateLimited {
            what: "pages that follow a drawing",
            retry_after: Duration::from_secs(5),
        })
    })?;
    let following = Following {
        app,
        caller,
        headers,
        id,
        next: Some(operation),
        last_sent: None,
        polls: 0,
        unchanged_polls: 0,
        has_ended: false,
        _place: place,
    };
    Ok(streamed(following))
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
    /// The headers of the request, which identify the session.
    headers: HeaderMap,
    id: OperationId,
    /// The operation as it was before the first poll.
    next: Option<Operation>,
    /// The state in the last event.
    last_sent: Option<String>,
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

    /// Waits for the next change. Returns `None` if the operation has ended or the browser should reconnect.
    async fn event(&mut self) -> Option<Event> {
        while !self.has_ended && self.polls < MAX_POLLS {
            self.polls += 1;
            let operation = match self.next.take() {
                Some(first) => first,
                None => {
                    tokio::time::sleep(POLL_INTERVAL).await;
                    if self.polls.is_multiple_of(POLLS_PER_SESSION_CHECK) {
                        SignedIn::from_headers(&self.app, &self.headers).await.ok()??;
                    }
                    // If this fails, the stream ends, and the browser reconnects.
                    operations::get(&self.app, &self.caller, &self.id).await.ok()??
                }
            };
            let state = state(&operation);
            self.has_ended = operation.status.is_terminal();
            self.unchanged_polls += 1;
            if self.has_ended {
                return Some(Event::default().event("end").data(state));
            }
            if self.last_sent.as_ref() != Some(&state) {
                self.unchanged_polls = 0;
                self.last_sent = Some(state.clone());
                return Some(Event::default().event("progress").data(state));
            }
            if self.unchanged_polls >= KEEP_ALIVE_POLLS {
                self.unchanged_polls = 0;
                return Some(Event::default().comment("keep-alive"));
            }
        }
        None
    }
}

fn state(operation: &Operation) -> String {
    let progress = operation.progress;
    json!({
        "status": operation.status,
        "completed": progress.completed,
        "failed": progress.failed,
        "total": progress.total,
    })
    .to_string()
}
