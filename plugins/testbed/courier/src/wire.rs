//! Requests over `wasi:http`, without the checks and helpers of the SDK.
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{Fields, IncomingResponse, Method, OutgoingBody, OutgoingRequest, RequestOptions, Scheme};
use wasip2::io::streams::StreamError;

use crate::Request;

/// Number of bytes of a body that an outcome contains.
const MAX_SHOWN_BYTES: usize = 40;

/// Sends a request, and returns the status with the beginning of the body, or the error.
pub(crate) fn outcome(request: &Request) -> String {
    match exchange(request) {
        Ok(shown) => shown,
        Err(problem) => problem,
    }
}

fn exchange(request: &Request) -> Result<String, String> {
    let response = send(request)?;
    let location = response.headers().get("location").pop();
    if let (true, Some(location)) = (request.follow, location) {
        let location = String::from_utf8(location).map_err(|error| error.to_string())?;
        let (scheme, rest) = location.split_once("://").ok_or("no absolute location")?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let next = Request {
            scheme: Some(scheme.into()),
            authority: authority.into(),
            path: Some(format!("/{path}")),
            ..Request::default()
        };
        return exchange(&next);
    }
    let status = response.status();
    let (shown, length) = read(&response)?;
    Ok(format!("{status} {length} {shown}"))
}

fn send(request: &Request) -> Result<IncomingResponse, String> {
    let headers = Fields::new();
    for (name, value) in &request.headers {
        let appended = headers.append(name, value.as_bytes());
        appended.map_err(|error| format!("header: {error:?}"))?;
    }
    let outgoing = OutgoingRequest::new(headers);
    let method = match request.method.as_str() {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "CONNECT" => Method::Connect,
        "TRACE" => Method::Trace,
        other => Method::Other(other.into()),
    };
    outgoing.set_method(&method).map_err(|()| "method")?;
    let scheme = request.scheme.as_deref().map(|scheme| match scheme {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.into()),
    });
    outgoing.set_scheme(scheme.as_ref()).map_err(|()| "scheme")?;
    outgoing
        .set_authority(Some(&request.authority))
        .map_err(|()| "authority")?;
    outgoing
        .set_path_with_query(request.path.as_deref())
        .map_err(|()| "path")?;
    let body = outgoing.body().map_err(|()| "body")?;
    let options = request.connect_timeout.map(|milliseconds| {
        let options = RequestOptions::new();
        // The host accepts any timeout.
        let _ = options.set_connect_timeout(Some(milliseconds * 1_000_000));
        options
    });
    let future = handle(outgoing, options).map_err(|error| format!("{error:?}"))?;
    if let Some(text) = &request.body {
        let stream = body.write().map_err(|()| "write")?;
        // `blocking_write_and_flush` accepts at most 4096 bytes.
        for piece in text.as_bytes().chunks(4096) {
            if let Err(error) = stream.blocking_write_and_flush(piece) {
                drop(stream);
                return Err(format!("{error:?}"));
            }
        }
        drop(stream);
    }
    OutgoingBody::finish(body, None).map_err(|error| format!("{error:?}"))?;
    future.subscribe().block();
    let response = future.get().ok_or("not ready")?.map_err(|()| "taken")?;
    response.map_err(|error| format!("{error:?}"))
}

/// Returns the beginning of the body and its length.
fn read(response: &IncomingResponse) -> Result<(String, usize), String> {
    let body = response.consume().map_err(|()| "consumed")?;
    let stream = body.stream().map_err(|()| "streamed")?;
    let (mut shown, mut length) = (Vec::new(), 0);
    loop {
        match stream.blocking_read(64 << 10) {
            Ok(bytes) => {
                length += bytes.len();
                shown.extend(
                    bytes
                        .into_iter()
                        .take(MAX_SHOWN_BYTES - shown.len().min(MAX_SHOWN_BYTES)),
                );
            }
            Err(StreamError::Closed) => return Ok((String::from_utf8_lossy(&shown).into_owned(), length)),
            Err(StreamError::LastOperationFailed(error)) => {
                let code = wasip2::http::types::http_error_code(&error);
                return Err(format!("after {length}: {code:?}"));
            }
        }
    }
}

/// Creates a request whose body is written but which is never sent.
pub(crate) fn unsent(long: usize) -> (OutgoingRequest, OutgoingBody) {
    let request = OutgoingRequest::new(Fields::new());
    if long > 0 {
        // The result is ignored: the test only needs the long text to be passed to the host.
        let _ = request.set_authority(Some(&"a".repeat(long)));
    }
    let body = request.body().expect("a request has a body");
    let stream = body.write().expect("a body has a stream");
    while let Ok(room @ 1..) = stream.check_write() {
        if stream.write(&vec![0; room as usize]).is_err() {
            break;
        }
    }
    drop(stream);
    (request, body)
}
