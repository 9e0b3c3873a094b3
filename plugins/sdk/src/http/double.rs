//! The double of the API that a plugin calls, for unit tests: its responses, and the requests that it received.
use std::cell::RefCell;
use std::collections::VecDeque;

use serde_json::Value;

use super::{Error, Request, Response};

#[derive(Default)]
struct Api {
    replies: VecDeque<Result<Reply, Error>>,
    requests: Vec<Request>,
}

thread_local! {
    static API: RefCell<Api> = RefCell::default();
}

fn with<T>(change: impl FnOnce(&mut Api) -> T) -> T {
    API.with(|api| change(&mut api.borrow_mut()))
}

/// A response of an API.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Reply {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    pub fn json(status: u16, body: Value) -> Self {
        Self::new(status, body.to_string()).header("content-type", "application/json")
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }
}

/// Sets the response for the next request that has none yet.
pub fn reply(reply: Reply) {
    with(|api| api.replies.push_back(Ok(reply)));
}

/// Makes the next request that has no response yet fail with an error.
pub fn fail(error: Error) {
    with(|api| api.replies.push_back(Err(error)));
}

/// Returns the requests that were sent so far.
pub fn requests() -> Vec<Request> {
    with(|api| api.requests.clone())
}

pub(super) fn answer(request: Request) -> Result<Response, Error> {
    let name = request.name();
    let reply = with(|api| {
        api.requests.push(request);
        api.replies.pop_front()
    });
    let reply = reply.unwrap_or_else(|| panic!("no reply is set for {name}: call testing::reply first"))?;
    Ok(Response {
        status: reply.status,
        headers: reply.headers,
        body: reply.body,
        request: name,
    })
}
