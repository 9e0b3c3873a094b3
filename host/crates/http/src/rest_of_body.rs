//! Draining of the unread rest of a request body, so that its connection can be used again. Otherwise the connection
//! would be closed while the client still writes, which many clients report as a failure of the server.
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use http_body_util::BodyExt as _;

/// The most bytes that are drained. With more than this left, a new connection is cheaper.
const MAX_DRAINED_BYTES: u64 = 256 * 1024;

const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The request, with a body whose rest is drained after the response, if it is short.
pub(super) fn drained(request: Request) -> Request {
    // Reading the body would send `100 Continue` to a client that waits to learn whether to send it at all.
    if request.headers().contains_key(header::EXPECT) || request.body().is_end_stream() {
        return request;
    }
    request.map(|body| Body::new(DrainedOnDrop(Some(body))))
}

/// A body whose unread rest is drained when it is dropped. `None` after it was read to its end.
struct DrainedOnDrop(Option<Body>);

impl HttpBody for DrainedOnDrop {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.0 = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.0
            .as_ref()
            .map_or(http_body::SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for DrainedOnDrop {
    fn drop(&mut self) {
        let rest = self.0.take().filter(|body| !body.is_end_stream());
        if let Some(mut rest) = rest.filter(|body| body.size_hint().lower() <= MAX_DRAINED_BYTES) {
            tokio::spawn(tokio::time::timeout(DRAIN_TIMEOUT, async move {
                let mut read = 0;
                while let Some(Ok(frame)) = rest.frame().await {
                    read += frame.data_ref().map_or(0, |data| data.len() as u64);
                    if read > MAX_DRAINED_BYTES {
                        break;
                    }
                }
            }));
        }
    }
}
