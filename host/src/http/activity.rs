//! Whether a connection waits for its client, and since when: for the next request, for a body that comes slowly, or for the
//! client to read its response.
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::HttpBody;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connections::Connection;

/// A client that sends or reads less than this in a while counts as idle all that time: a byte now and then is not progress.
const PROGRESS_BYTES: usize = 16 * 1024;

/// What one connection is doing.
pub(super) struct Activity(Mutex<State>);

struct State {
    has_request: bool,
    awaits_body: bool,
    awaits_reader: bool,
    /// Since when the client has made no progress.
    since: Instant,
    /// Bytes sent or read since then.
    bytes: usize,
}

impl Activity {
    /// Of a connection that has just been opened.
    pub(super) fn begin() -> Self {
        Self(Mutex::new(State {
            has_request: false,
            awaits_body: false,
            awaits_reader: false,
            since: Instant::now(),
            bytes: 0,
        }))
    }

    /// Since when the connection has waited for its client; none while the server is at work for it.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        let is_idle = !state.has_request || state.awaits_body || state.awaits_reader;
        is_idle.then_some(state.since)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(&self, is_under_way: bool) {
        let mut state = self.state();
        state.has_request = is_under_way;
        state.progress(PROGRESS_BYTES);
    }

    /// Takes down how a poll for a part of the body ended.
    fn body(&self, part: Option<usize>) {
        let mut state = self.state();
        state.awaits_body = part.is_none();
        state.progress(part.unwrap_or(0));
    }

    /// Takes down how a poll for room to write ended.
    fn reader(&self, written: Option<usize>) {
        let mut state = self.state();
        state.awaits_reader = written.is_none();
        state.progress(written.unwrap_or(0));
    }
}

impl State {
    fn progress(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes >= PROGRESS_BYTES {
            self.bytes = 0;
            self.since = Instant::now();
        }
    }
}

/// A request that is under way until this is dropped.
pub(super) struct UnderWay(Arc<Connection>);

impl UnderWay {
    pub(super) fn begin(connection: &Arc<Connection>) -> Self {
        connection.activity.request(true);
        Self(connection.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.activity.request(false);
    }
}

/// The body of a request as it arrives.
pub(super) struct Arriving<B> {
    pub(super) body: B,
    pub(super) connection: Arc<Connection>,
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for Arriving<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.connection.activity.body(match &polled {
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

impl<B> Drop for Arriving<B> {
    fn drop(&mut self) {
        self.connection.activity.body(Some(0));
    }
}

/// The body of a response, with the request that it ends.
pub(super) struct Leaving<B> {
    pub(super) body: B,
    pub(super) _request: UnderWay,
}

impl<B: HttpBody + Unpin> HttpBody for Leaving<B> {
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

/// The stream of a connection, which notices when its client reads nothing.
pub(super) struct Watched<S> {
    pub(super) stream: S,
    pub(super) connection: Arc<Connection>,
}

impl<S> Watched<S> {
    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.connection.activity.reader(match &written {
            Poll::Pending => None,
            Poll::Ready(Ok(bytes)) => Some(*bytes),
            Poll::Ready(Err(_)) => Some(0),
        });
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.note(written)
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
