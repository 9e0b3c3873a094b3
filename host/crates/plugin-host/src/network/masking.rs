//! Masking of secrets in response bodies.
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};
use wasmtime_wasi_http::Error;

use super::secrets::Secrets;
use super::transport::HttpBody;

/// A response body in which the call's secrets are masked, even when a secret spans several frames.
pub(super) struct Masking {
    body: HttpBody,
    secrets: Secrets,
    /// Bytes at the end of the last frame that may be the beginning of a secret. They are held back until the next
    /// frame arrives.
    held: BytesMut,
    /// The frame or error that follows the bytes held back.
    next: Option<Result<Frame<Bytes>, Error>>,
}

impl Masking {
    pub(super) fn new(body: HttpBody, secrets: Secrets) -> Self {
        Self {
            body,
            secrets,
            held: BytesMut::new(),
            next: None,
        }
    }

    /// Takes the bytes that were held back, after the last data frame.
    fn held(&mut self) -> Option<Frame<Bytes>> {
        (!self.held.is_empty()).then(|| Frame::data(self.held.split().freeze()))
    }
}

impl Body for Masking {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let this = &mut *self;
        if let Some(next) = this.next.take() {
            return Poll::Ready(Some(next));
        }
        loop {
            let last = match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => {
                        this.held.extend_from_slice(&bytes);
                        this.secrets.mask(&mut this.held);
                        let ready = this.held.len() - this.secrets.partial_secret_at_end_of(&this.held);
                        if ready > 0 {
                            return Poll::Ready(Some(Ok(Frame::data(this.held.split_to(ready).freeze()))));
                        }
                        continue;
                    }
                    Err(mut frame) => {
                        if let Some(trailers) = frame.trailers_mut() {
                            this.secrets.mask_headers(trailers);
                        }
                        Some(Ok(frame))
                    }
                },
                Some(Err(error)) => Some(Err(error)),
                None => None,
            };
            return Poll::Ready(match this.held() {
                Some(held) => {
                    this.next = last;
                    Some(Ok(held))
                }
                None => last,
            });
        }
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_empty() && self.next.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.held.len() as u64;
        let of_body = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(of_body.lower() + held);
        if let Some(upper) = of_body.upper() {
            hint.set_upper(upper + held);
        }
        hint
    }
}
