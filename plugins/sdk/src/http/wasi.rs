//! Sending over `wasi:http` 0.2, in which requests, bodies and streams are resources of the server.

use std::time::Duration;

use wasip2::clocks::monotonic_clock;
use wasip2::http::outgoing_handler;
use wasip2::http::types::{
    ErrorCode, Fields, FutureIncomingResponse, IncomingResponse, Method as WasiMethod, OutgoingBody, OutgoingRequest,
    RequestOptions, Scheme,
};
use wasip2::io::poll::{self, Pollable};
use wasip2::io::streams::{InputStream, OutputStream, StreamError};

use super::{Error, Method, Request, Response};

/// Maximum size of one read in bytes.
const READ_BYTES: u64 = 64 << 10;

pub(super) fn send(request: Request) -> Result<Response, Error> {
    let exchange = Exchange {
        name: request.name(),
        end: monotonic_clock::subscribe_duration(nanoseconds(request.timeouts.total)),
    };
    let outgoing = outgoing(&request)?;
    let body = outgoing.body().ok();
    let options = options(&request);
    let future = outgoing_handler::handle(outgoing, Some(options)).map_err(|code| exchange.error(&code))?;
    // The body is written after the request was sent. If the remote server responds before it has read the whole body,
    // its response is used.
    if let Some(body) = body {
        exchange.write(body, &request.body)?;
    }
    let response = exchange.wait(&future)?;
    let headers = response.headers().entries();
    Ok(Response {
        status: response.status(),
        headers: headers
            .into_iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), String::from_utf8_lossy(&value).into_owned()))
            .collect(),
        body: exchange.read(&response, request.limit)?,
        request: exchange.name,
    })
}

fn outgoing(request: &Request) -> Result<OutgoingRequest, Error> {
    let wrong = || Error::Url {
        url: request.url.clone(),
    };
    let (scheme, rest) = match request.url.split_once("://") {
        Some(("https", rest)) => (Scheme::Https, rest),
        Some(("http", rest)) => (Scheme::Http, rest),
        _ => return Err(wrong()),
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    let mut headers: Vec<(String, Vec<u8>)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.clone().into_bytes()))
        .collect();
    if !request.body.is_empty() {
        headers.push(("content-length".into(), request.body.len().to_string().into_bytes()));
    }
    let headers = Fields::from_list(&headers).map_err(|_| wrong())?;
    let outgoing = OutgoingRequest::new(headers);
    let method = match request.method {
        Method::Get => WasiMethod::Get,
        Method::Post => WasiMethod::Post,
    };
    outgoing.set_method(&method).map_err(|()| wrong())?;
    outgoing.set_scheme(Some(&scheme)).map_err(|()| wrong())?;
    outgoing.set_authority(Some(authority)).map_err(|()| wrong())?;
    outgoing.set_path_with_query(Some(&path)).map_err(|()| wrong())?;
    Ok(outgoing)
}

fn options(request: &Request) -> RequestOptions {
    let options = RequestOptions::new();
    let timeouts = &request.timeouts;
    // If the host does not support these timeouts, `Exchange::end` still limits the whole exchange.
    let _ = options.set_connect_timeout(Some(nanoseconds(timeouts.connect)));
    let _ = options.set_first_byte_timeout(Some(nanoseconds(timeouts.first_byte)));
    let _ = options.set_between_bytes_timeout(Some(nanoseconds(timeouts.between_bytes)));
    options
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A request that was sent.
struct Exchange {
    name: String,
    /// Ready when the time for the whole exchange is over.
    end: Pollable,
}

impl Exchange {
    /// Waits until `pollable` is ready. Returns an error when the time is over.
    fn wait_for(&self, pollable: &Pollable) -> Result<(), Error> {
        poll::poll(&[pollable, &self.end]);
        if !pollable.ready() && self.end.ready() {
            return Err(Error::Timeout {
                request: self.name.clone(),
            });
        }
        Ok(())
    }

    fn write(&self, body: OutgoingBody, mut bytes: &[u8]) -> Result<(), Error> {
        if let Ok(stream) = body.write() {
            while !bytes.is_empty() {
                match self.write_some(&stream, bytes)? {
                    Some(written) => bytes = &bytes[written..],
                    None => return Ok(()),
                }
            }
            let _ = stream.flush();
        }
        let _ = OutgoingBody::finish(body, None);
        Ok(())
    }

    /// Returns the number of bytes that were written, or `None` if the stream accepts no more.
    fn write_some(&self, stream: &OutputStream, bytes: &[u8]) -> Result<Option<usize>, Error> {
        let room = match stream.check_write() {
            Ok(0) => {
                self.wait_for(&stream.subscribe())?;
                return Ok(Some(0));
            }
            Ok(room) => usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len()),
            Err(_) => return Ok(None),
        };
        Ok(stream.write(&bytes[..room]).is_ok().then_some(room))
    }

    fn wait(&self, future: &FutureIncomingResponse) -> Result<IncomingResponse, Error> {
        let pollable = future.subscribe();
        loop {
            match future.get() {
                Some(Ok(Ok(response))) => return Ok(response),
                Some(Ok(Err(code))) => return Err(self.error(&code)),
                Some(Err(())) => return Err(self.interrupted("the response was read twice")),
                None => self.wait_for(&pollable)?,
            }
        }
    }

    fn read(&self, response: &IncomingResponse, limit: usize) -> Result<Vec<u8>, Error> {
        let body = response
            .consume()
            .map_err(|()| self.interrupted("the response was read twice"))?;
        let stream = body
            .stream()
            .map_err(|()| self.interrupted("the response was read twice"))?;
        let mut bytes = Vec::new();
        while let Some(more) = self.read_some(&stream)? {
            if bytes.len() + more.len() > limit {
                return Err(Error::TooLarge {
                    request: self.name.clone(),
                    limit: Some(limit),
                });
            }
            bytes.extend(more);
        }
        Ok(bytes)
    }

    /// Reads the bytes that are available. Returns `None` at the end of the body.
    fn read_some(&self, stream: &InputStream) -> Result<Option<Vec<u8>>, Error> {
        let pollable = stream.subscribe();
        self.wait_for(&pollable)?;
        match stream.read(READ_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(StreamError::Closed) => Ok(None),
            Err(StreamError::LastOperationFailed(error)) => match wasip2::http::types::http_error_code(&error) {
                Some(code) => Err(self.error(&code)),
                None => Err(self.unknown(&error.to_debug_string())),
            },
        }
    }

    /// Classifies an error of a body stream without a code. In wasmtime 48 such errors have only a text. A body that is
    /// too large is reported separately, because a retry would fail in the same way.
    fn unknown(&self, text: &str) -> Error {
        if text.contains("body size") {
            let request = self.name.clone();
            return Error::TooLarge { request, limit: None };
        }
        self.interrupted(text)
    }

    fn interrupted(&self, reason: &str) -> Error {
        Error::Interrupted {
            request: self.name.clone(),
            reason: reason.to_owned(),
        }
    }

    fn error(&self, code: &ErrorCode) -> Error {
        let request = self.name.clone();
        match code {
            ErrorCode::HttpResponseBodySize(_) => Error::TooLarge { request, limit: None },
            ErrorCode::ConnectionTimeout
            | ErrorCode::ConnectionReadTimeout
            | ErrorCode::ConnectionWriteTimeout
            | ErrorCode::DnsTimeout
            | ErrorCode::HttpResponseTimeout => Error::Timeout { request },
            ErrorCode::ConnectionTerminated
            | ErrorCode::HttpResponseIncomplete
            | ErrorCode::HttpProtocolError
            | ErrorCode::HttpResponseTransferCoding(_) => self.interrupted(&format!("{code:?}")),
            code => Error::Connect {
                request,
                reason: format!("{code:?}"),
            },
        }
    }
}
