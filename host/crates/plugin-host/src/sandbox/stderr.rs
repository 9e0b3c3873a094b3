//! The last 16 KiB of a guest's output, for the log. It is the only trace of an uncaught exception in a JavaScript or
//! Python guest.
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Number of bytes that are kept.
const MAX_TAIL_BYTES: usize = 16 << 10;

/// Maximum size of one write. Each write is copied into the host before it is cut.
const MAX_WRITE_BYTES: usize = 64 << 10;

/// An output stream that never fails and never blocks, and keeps only the last bytes.
#[derive(Clone, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// The end of the output, trimmed. `None` if nothing but whitespace was printed.
    pub(crate) fn text(&self) -> Option<String> {
        let mut buffer = self.buffer();
        let text = String::from_utf8_lossy(buffer.make_contiguous());
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn push(&self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(MAX_TAIL_BYTES)..];
        let mut buffer = self.buffer();
        let excess = (buffer.len() + bytes.len()).saturating_sub(MAX_TAIL_BYTES);
        buffer.drain(..excess);
        buffer.extend(bytes);
    }

    fn buffer(&self) -> MutexGuard<'_, VecDeque<u8>> {
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
        Ok(MAX_WRITE_BYTES)
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
    fn only_the_end_of_a_long_output_is_kept() {
        let tail = Tail::default();
        for _ in 0..10_000 {
            tail.push(b"line\n");
        }
        tail.push(b"the reason");
        let text = tail.text().unwrap();
        assert!(text.len() <= MAX_TAIL_BYTES);
        assert!(text.ends_with("line\nthe reason"));
    }

    #[test]
    fn a_write_larger_than_the_buffer_is_cut_to_its_end() {
        let tail = Tail::default();
        let mut piece = vec![b'x'; 3 * MAX_TAIL_BYTES];
        piece.extend(b"end");
        tail.push(&piece);
        assert_eq!(tail.text().unwrap().len(), MAX_TAIL_BYTES);
        assert!(tail.text().unwrap().ends_with("xend"));
    }

    #[test]
    fn whitespace_alone_is_not_reported() {
        let tail = Tail::default();
        tail.push(b" \n");
        assert_eq!(tail.text(), None);
    }
}
