//! The state of a connection: whether it is idle, and since when. A connection is idle while it waits for its client to
//! send the next request, to send more of a body, or to read the response.
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::HttpBody;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The number of bytes that count as progress. A client that sends or reads less is idle all that time, so that a byte
/// now and then does not keep its connection open.
const MIN_PROGRESS_BYTES: usize = 16 * 1024;

/// The activity of one connection.
pub(super) struct Activity(Mutex<State>);

struct State {
    has_request: bool,
    awaits_body: bool,
    awaits_reader: bool,
    /// The time of the client's last progress.
    last_progress_at: Instant,
    /// The number of bytes sent or read since then.
    bytes: usize,
}

impl Activity {
    /// The activity of a newly opened connection.
    pub(super) fn begin() -> Self {
        Self(Mutex::new(State {
            has_request: false,
            awaits_body: false,
            awaits_reader: false,
            last_progress_at: Instant::now(),
            bytes: 0,
        }))
    }

    /// Returns the time since which the connection has waited for its client; `None` while the server works on a
    /// request.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        let is_idle = !state.has_request || state.awaits_body || state.awaits_reader;
        is_idle.then_some(state.last_progress_at)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_request(&self, is_under_way: bool) {
        let mut state = self.state();
        state.has_request = is_under_way;
        state.add_progress(MIN_PROGRESS_BYTES);
    }

    /// Records the result of polling the request body: the bytes that arrived, or `None` while the client sends
    /// nothing.
    fn note_body_poll(&self, part: Option<usize>) {
        let mut state = self.state();
        state.awaits_body = part.is_none();
        state.add_progress(part.unwrap_or(0));
    }

    /// Records the result of a write to the client: the bytes written, or `None` while the client reads nothing.
    fn note_write_poll(&self, written: Option<usize>) {
        let mut state = self.state();
        state.awaits_reader = written.is_none();
        state.add_progress(written.unwrap_or(0));
    }
}

impl State {
    fn add_progress(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes >= MIN_PROGRESS_BYTES {
            self.bytes = 0;
            self.last_progress_at = Instant::now();
        }
    }
}

/// A guard for a request that is being served; the request ends when the guard is dropped.
pub(super) struct RequestUnderWay(Arc<Activity>);

impl RequestUnderWay {
    pub(super) fn begin(activity: &Arc<Activity>) -> Self {
        activity.note_request(true);
        Self(activity.clone())
    }
}

impl Drop for RequestUnderWay {
    fn drop(&mut self) {
        self.0.note_request(false);
    }
}

/// The body of a request, recording each poll in the connection's activity.
pub(super) struct ArrivingBody<B> {
    pub(super) body: B,
    pub(super) activity: Arc<Activity>,
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for ArrivingBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.activity.note_body_poll(match &polled {
            Poll::Pending => None,
            Poll::Ready(Some(Ok(frame))) => Some(frame.data_ref().map_or(0, Bytes::len)),
            Poll::Ready(_) => Some(0),
        });
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for ArrivingBody<B> {
    fn drop(&mut self) {
        self.activity.note_body_poll(Some(0));
    }
}

/// The body of a response, with the guard of its request: the request ends when the body was sent.
pub(super) struct LeavingBody<B> {
    pub(super) body: B,
    pub(super) _request: RequestUnderWay,
}

impl<B: HttpBody + Unpin> HttpBody for LeavingBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The stream of a connection, recording each write in the connection's activity.
pub(super) struct WatchedStream<S> {
    pub(super) stream: S,
    pub(super) activity: Arc<Activity>,
}

impl<S> WatchedStream<S> {
    fn note_write(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.activity.note_write_poll(match &written {
            Poll::Pending => None,
            Poll::Ready(Ok(bytes)) => Some(*bytes),
            Poll::Ready(Err(_)) => Some(0),
        });
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WatchedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note_write(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.note_write(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
