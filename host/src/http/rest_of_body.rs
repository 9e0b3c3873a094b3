//! What a client still sends when its request has been answered: read and thrown away, so that its connection can be used
//! again. Else it is closed while many clients still write to it, who then take that for a broken server.
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt as _;

/// Whoever sends more than this is better off with a new connection.
const MOST: u64 = 256 * 1024;

const PATIENCE: Duration = Duration::from_secs(5);

/// Reads the rest of the body after whatever responds, if it is not long.
pub(super) async fn drain(request: Request, next: Next) -> Response {
    // Reading asks such a client to send, which has waited to hear whether it should.
    if request.headers().contains_key(header::EXPECT) {
        return next.run(request).await;
    }
    next.run(request.map(|body| Body::new(Drained(Some(body))))).await
}

/// A body whose rest is read when nobody wants it any more. Nothing when it was read to its end.
struct Drained(Option<Body>);

impl HttpBody for Drained {
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

impl Drop for Drained {
    fn drop(&mut self) {
        let rest = self.0.take().filter(|body| !body.is_end_stream());
        if let Some(mut rest) = rest.filter(|body| body.size_hint().lower() <= MOST) {
            tokio::spawn(tokio::time::timeout(PATIENCE, async move {
                let mut read = 0;
                while let Some(Ok(frame)) = rest.frame().await {
                    read += frame.data_ref().map_or(0, |data| data.len() as u64);
                    if read > MOST {
                        break;
                    }
                }
            }));
        }
    }
}
