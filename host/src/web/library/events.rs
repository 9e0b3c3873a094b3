//! `/library/operations/{id}/events`: what becomes of an operation, as server-sent events, until it has ended.
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::Stream;
use serde_json::json;

use crate::app::App;
use crate::caller::Caller;
use crate::error::{Error, ErrorKind};
use crate::fair_share::Permit;
use crate::http::session::SignedIn;
use crate::http::{PathId, Reply};
use crate::ids::OperationId;
use crate::operations::{self, Operation};

/// Between two looks at the database.
const PACE: Duration = Duration::from_secs(1);
/// After so many looks without a change something is sent, or a proxy takes the connection for dead.
const QUIET_LOOKS: u32 = 15;
/// Looks after which the session is looked up again: it may have ended meanwhile.
const LOOKS_PER_SESSION_CHECK: u32 = 5;
/// How many looks one request gets; the browser comes back, and is asked again who it is.
const MOST_LOOKS: u32 = 300;

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
    let place = app.followers.try_acquire(&caller.account_id).map_err(|_| {
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
        looks: 0,
        quiet: 0,
        has_ended: false,
        _place: place,
    };
    Ok(streamed(following))
}

fn streamed(following: Following) -> Response {
    let mut response = Sse::new(following.events()).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    // Else nginx keeps events until there are enough of them.
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// Somebody who follows an operation. When the client is gone this is dropped, and its place is free.
struct Following {
    app: App,
    caller: Caller,
    /// Of the request: they show the session.
    headers: HeaderMap,
    id: OperationId,
    /// What the first look found.
    next: Option<Operation>,
    /// What was told last.
    last_sent: Option<String>,
    looks: u32,
    quiet: u32,
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

    /// Waits for the next change; none when there will be no more, or it is time to come back.
    async fn event(&mut self) -> Option<Event> {
        while !self.has_ended && self.looks < MOST_LOOKS {
            self.looks += 1;
            let operation = match self.next.take() {
                Some(first) => first,
                None => {
                    tokio::time::sleep(PACE).await;
                    if self.looks.is_multiple_of(LOOKS_PER_SESSION_CHECK) {
                        SignedIn::from_headers(&self.app, &self.headers).await.ok()??;
                    }
                    // What cannot be looked up now is asked for again by the browser.
                    operations::get(&self.app, &self.caller, &self.id).await.ok()??
                }
            };
            let state = state(&operation);
            self.has_ended = operation.status.is_terminal();
            self.quiet += 1;
            if self.has_ended {
                return Some(Event::default().event("end").data(state));
            }
            if self.last_sent.as_ref() != Some(&state) {
                self.quiet = 0;
                self.last_sent = Some(state.clone());
                return Some(Event::default().event("progress").data(state));
            }
            if self.quiet >= QUIET_LOOKS {
                self.quiet = 0;
                return Some(Event::default().comment("still there"));
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
