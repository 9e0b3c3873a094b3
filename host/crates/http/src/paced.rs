//! Pacing of a form's body, so that its parser cannot buffer without limit. The parser buffers all its input until it
//! finds the next boundary or the end of a field's headers, and keeps asking while there is more. So it receives one
//! window at a time, and a body window that yields no field is rejected.
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes};
use futures::Stream;

/// The size of a window in bytes: more than the headers of any field.
const WINDOW_BYTES: usize = 64 * 1024;

/// The error when the parser found no field in a full window.
#[derive(Debug, thiserror::Error)]
#[error("more than {WINDOW_BYTES} bytes came before the next field")]
pub(crate) struct NoFieldInWindow;

/// Reports to the body that the parser has found a field or consumed data.
#[derive(Clone)]
pub(crate) struct Progress(Arc<AtomicUsize>);

impl Progress {
    pub(crate) fn report(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

struct Paced {
    body: BodyDataStream,
    /// Bytes since the parser's last progress.
    unparsed_bytes: Arc<AtomicUsize>,
    /// True after a full window was handed over: the parser was polled once more, to parse what it has.
    paused: bool,
}

/// Returns the same body, paced, and the handle with which its reader reports progress.
pub(crate) fn paced(body: Body) -> (Body, Progress) {
    let unparsed_bytes = Arc::new(AtomicUsize::new(0));
    let paced = Paced {
        body: body.into_data_stream(),
        unparsed_bytes: unparsed_bytes.clone(),
        paused: false,
    };
    (Body::from_stream(paced), Progress(unparsed_bytes))
}

impl Stream for Paced {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.unparsed_bytes.load(Ordering::Relaxed) < WINDOW_BYTES {
            self.paused = false;
        } else if self.paused {
            return Poll::Ready(Some(Err(NoFieldInWindow.into())));
        } else {
            self.paused = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = Pin::new(&mut self.body).poll_next(context);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            self.unparsed_bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        }
        polled.map_err(Into::into)
    }
}
