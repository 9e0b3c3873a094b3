//! A form's bytes, handed to its parser no faster than the parser makes something of them. The parser keeps all it was
//! given until it finds the next boundary, or the end of a field's headers; and it asks for more as long as there is more.
//! So it is given a window at a time, and a window that brought nothing forth is refused.
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes};
use futures::Stream;

/// More than the headers of any field take, in bytes.
const WINDOW: usize = 64 * 1024;

/// What came between two fields is longer than a window.
#[derive(Debug, thiserror::Error)]
#[error("more than {WINDOW} bytes came before the next field")]
pub(crate) struct NothingForth;

/// Tells the body that the parser has made something of it.
#[derive(Clone)]
pub(crate) struct Progress(Arc<AtomicUsize>);

impl Progress {
    pub(crate) fn made(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

struct Paced {
    body: BodyDataStream,
    /// Bytes since the last progress.
    unused: Arc<AtomicUsize>,
    /// Whether the parser was made to look at what it has.
    paused: bool,
}

/// The same body, paced.
pub(crate) fn paced(body: Body) -> (Body, Progress) {
    let unused = Arc::new(AtomicUsize::new(0));
    let paced = Paced {
        body: body.into_data_stream(),
        unused: unused.clone(),
        paused: false,
    };
    (Body::from_stream(paced), Progress(unused))
}

impl Stream for Paced {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.unused.load(Ordering::Relaxed) < WINDOW {
            self.paused = false;
        } else if self.paused {
            return Poll::Ready(Some(Err(NothingForth.into())));
        } else {
            self.paused = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = Pin::new(&mut self.body).poll_next(context);
        if let Poll::Ready(Some(Ok(bytes))) = &polled {
            self.unused.fetch_add(bytes.len(), Ordering::Relaxed);
        }
        polled.map_err(Into::into)
    }
}
