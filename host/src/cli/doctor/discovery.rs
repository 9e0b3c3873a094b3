//! Checks of discovery: looks for the authorization server like an agent that only knows the URL of the MCP server, and
//! reports every obstacle. The server must be running.
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::{Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use linepress_platform::app::App;
use linepress_platform::error::chain;
use linepress_terminal::Report;
use serde_json::Value;
use tokio::net::TcpStream;
use url::Url;

const SUBJECT: &str = "agents";
/// The largest response is the logo of the server.
const MAX_RESPONSE_BYTES: usize = 300 * 1024;
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn check(app: &App, report: &mut Report) {
    let issuer = app.config.public_url.as_str();
    let Ok(base) = Url::parse(issuer) else {
        report.bad(SUBJECT, &format!("{issuer} is not a URL"), "Correct `public_url`.");
        return;
    };
    settings(&base, report);
    let metadata = format!(
        "{}/.well-known/oauth-protected-resource/mcp",
        base.origin().ascii_serialization()
    );
    let resource = match look_at(app, &metadata).await {
        Ok(resource) => resource,
        Err(cause) => {
            report.note(SUBJECT, &unreachable(issuer, base.scheme() == "https", &cause));
            return;
        }
    };
    let resource = document(&metadata, &resource, report);
    let mcp = app.config.mcp_url();
    let servers = [Value::from(issuer)];
    if let Some(resource) = resource {
        agrees(
            &metadata,
            "resource",
            &resource["resource"],
            &Value::from(mcp.as_str()),
            report,
        );
        let servers = Value::from(servers.to_vec());
        agrees(
            &metadata,
            "authorization_servers",
            &resource["authorization_servers"],
            &servers,
            report,
        );
    }
    let metadata = format!(
        "{}/.well-known/oauth-authorization-server",
        base.origin().ascii_serialization()
    );
    let found = look_at(app, &metadata).await.ok();
    if let Some(server) = found.and_then(|seen| document(&metadata, &seen, report)) {
        agrees(&metadata, "issuer", &server["issuer"], &servers[0], report);
    }
    challenge(app, &mcp, report).await;
}

/// Checks that need only the URL.
fn settings(base: &Url, report: &mut Report) {
    if base.scheme() != "https" {
        report.note(
            SUBJECT,
            &format!("{base} is not https: agents on this machine can use it, hosted ones cannot"),
        );
    } else if base.port().is_some() {
        report.note(
            SUBJECT,
            &format!("{base} has a port: hosted agents only reach port 443"),
        );
    }
}

/// Checks that a call without a token is answered with the URL of the metadata.
async fn challenge(app: &App, mcp: &str, report: &mut Report) {
    let remedy = "A proxy in front of the server must pass on /mcp with all of its headers.";
    let seen = match look_at(app, mcp).await {
        Ok(seen) => seen,
        Err(cause) => {
            report.bad(SUBJECT, &format!("{mcp} does not respond: {cause}"), remedy);
            return;
        }
    };
    let lines = seen.headers().get_all(header::WWW_AUTHENTICATE);
    let has_challenge = lines
        .iter()
        .any(|line| line.to_str().is_ok_and(|line| line.contains("resource_metadata=")));
    if seen.status() != StatusCode::UNAUTHORIZED || !has_challenge {
        let finding = format!(
            "{mcp} responds with {} without the header that leads agents to the sign-in",
            seen.status()
        );
        report.bad(SUBJECT, &finding, remedy);
        return;
    }
    report.good(SUBJECT, &format!("{mcp} responds and names its authorization server"));
}

/// Parses a metadata document; reports a missing one.
fn document(url: &str, seen: &Response<Vec<u8>>, report: &mut Report) -> Option<Value> {
    let body = serde_json::from_slice(seen.body()).ok();
    let document = body.filter(|_| seen.status() == StatusCode::OK);
    if document.is_none() {
        let remedy = "A proxy in front of the server must pass on /.well-known/ unchanged, and `public_url` must lead to this server.";
        report.bad(
            SUBJECT,
            &format!("{url} responds with {} and without a JSON document", seen.status()),
            remedy,
        );
    }
    document
}

fn agrees(url: &str, field: &str, found: &Value, expected: &Value, report: &mut Report) {
    if found != expected {
        let finding =
            format!("{url} names {found} as its {field}, but the settings say {expected}: agents refuse this");
        report.bad(
            SUBJECT,
            &finding,
            "Set `public_url` to the address that agents are given, and restart the server.",
        );
    }
}

/// The note for an operator when the server cannot be reached. That may be intended: a private server is reachable from
/// its own network.
fn unreachable(issuer: &str, is_https: bool, cause: &str) -> String {
    let remedy = if is_https {
        "Agents on the internet need a public address and a certificate that browsers trust. If the server and its proxy run \
         and are meant for a private network, this is not a problem; otherwise start them"
    } else {
        "Start the server, and its proxy"
    };
    format!(
        "{issuer} cannot be reached from here like an agent would reach it ({cause}). {remedy}, and run this command again"
    )
}

/// Fetches a URL; an error is the reason for a missing response.
pub(super) async fn look_at(app: &App, url: &str) -> Result<Response<Vec<u8>>, String> {
    let looked = async {
        if url.starts_with("https:") {
            // Uses the server's fetcher, which refuses private addresses: hosted agents cannot reach those either.
            let request = Request::get(url).body(Vec::new()).map_err(|error| error.to_string())?;
            let fetcher = app.fetcher.within(RESPONSE_TIMEOUT);
            let fetched = fetcher.exchange(request, MAX_RESPONSE_BYTES as u64).await;
            return fetched.map_err(|error| chain(&error));
        }
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        plainly(&url).await.map_err(|error| chain(error.as_ref()))
    };
    let in_time = tokio::time::timeout(RESPONSE_TIMEOUT, looked).await;
    in_time.unwrap_or_else(|_| Err(format!("no response within {} s", RESPONSE_TIMEOUT.as_secs())))
}

/// Fetches an http URL, of a server on this machine.
async fn plainly(url: &Url) -> anyhow::Result<Response<Vec<u8>>> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let request = Request::get(url.path())
        .header(header::HOST, url.authority())
        .header(header::CONNECTION, "close")
        .body(Empty::<Bytes>::new())?;
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
    connection.abort();
    let body = body.map_err(anyhow::Error::from_boxed)?.to_bytes().to_vec();
    Ok(Response::from_parts(head, body))
}
