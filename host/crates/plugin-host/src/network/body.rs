//! Request and response bodies with limits.
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep};
use wasmtime_wasi_http::Error;

use super::log::Entry;
use super::transport::HttpBody;
use super::usage::Budget;

/// A request body that fails when the call has sent more than its budget.
pub(super) struct Sending {
    pub(super) body: HttpBody,
    pub(super) budget: Budget,
    pub(super) entry: Entry,
}

/// A response body that fails when it exceeds its limit or the call's budget, or when no data arrives for
/// `between_bytes`.
pub(super) struct Receiving {
    pub(super) body: HttpBody,
    pub(super) budget: Budget,
    /// Bytes that this response may still have.
    pub(super) remaining_bytes: u64,
    pub(super) between_bytes: Duration,
    pub(super) silence: Pin<Box<Sleep>>,
    pub(super) entry: Entry,
    /// Counts the request as running until its body is dropped.
    pub(super) _permit: OwnedSemaphorePermit,
}

impl Body for Sending {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let bytes = length(&frame);
        if !self.budget.send(bytes) {
            return Poll::Ready(Some(Err(Error::HttpRequestBodySize(None))));
        }
        self.entry.sent(bytes);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Body for Receiving {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
            ready!(this.silence.as_mut().poll(context));
            return Poll::Ready(Some(Err(Error::ConnectionReadTimeout)));
        };
        let bytes = length(&frame);
        match this.remaining_bytes.checked_sub(bytes) {
            Some(remaining) if this.budget.receive(bytes) => this.remaining_bytes = remaining,
            _ => return Poll::Ready(Some(Err(Error::HttpResponseBodySize(None)))),
        }
        this.entry.received(bytes);
        this.silence.as_mut().reset(Instant::now() + this.between_bytes);
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn length(frame: &Option<Result<Frame<Bytes>, Error>>) -> u64 {
    let data = frame
        .as_ref()
        .and_then(|frame| frame.as_ref().ok())
        .and_then(Frame::data_ref);
    data.map_or(0, |data| data.len() as u64)
}
