//! What a guest prints: kept for the log, the last 16 KiB of it. An uncaught exception of a
//! JavaScript or Python guest shows nowhere else.
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

const CAPACITY: usize = 16 << 10;

/// How much a guest may print at a time. Each piece is copied into the host before it is cut.
const PIECE: usize = 64 << 10;

/// A stream that never fails and never waits, and forgets all but its end.
#[derive(Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// The last lines, without what would confuse a log: `None` when nothing was printed.
    pub(crate) fn text(&self) -> Option<String> {
        let mut kept = self.kept();
        let text = String::from_utf8_lossy(kept.make_contiguous());
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(CAPACITY)..];
        let mut kept = self.kept();
        let excess = (kept.len() + bytes.len()).saturating_sub(CAPACITY);
        kept.drain(..excess);
        kept.extend(bytes);
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IsTerminal for Tail {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Tail {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for Tail {
    async fn ready(&mut self) {}
}

impl OutputStream for Tail {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PIECE)
    }
}

impl AsyncWrite for Tail {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.push(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_flood_is_kept() {
        let tail = Tail::default();
        for _ in 0..10_000 {
            tail.push(b"never mind\n");
        }
        tail.push(b"the reason");
        let text = tail.text().unwrap();
        assert!(text.len() <= CAPACITY);
        assert!(text.ends_with("never mind\nthe reason"));
    }

    #[test]
    fn one_piece_larger_than_the_whole_is_cut_to_its_end() {
        let tail = Tail::default();
        let mut piece = vec![b'x'; 3 * CAPACITY];
        piece.extend(b"end");
        tail.push(&piece);
        assert_eq!(tail.text().unwrap().len(), CAPACITY);
        assert!(tail.text().unwrap().ends_with("xend"));
    }

    #[test]
    fn silence_is_no_text() {
        let tail = Tail::default();
        tail.push(b" \n");
        assert_eq!(tail.text(), None);
    }
}
