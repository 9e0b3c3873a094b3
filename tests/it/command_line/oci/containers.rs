//! A registry of containers (OCI) over plain http, on loopback, with the repository `acme/plain`.
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, LOCATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{Method, Response, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::stream;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::test_app::Loopback;

const REPOSITORY: &str = "/v2/acme/plain/";
const UPLOAD: &str = "blobs/uploads/1";

/// A registry, on a runtime of its own because a command blocks the thread of the test.
pub(super) struct Containers {
    pub(super) server: Loopback,
    contents: Arc<Mutex<Contents>>,
}

/// What the registry has, and how it responds.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) blobs: HashMap<String, Vec<u8>>,
    /// By tag, and by digest.
    pub(super) manifests: BTreeMap<String, Vec<u8>>,
    /// The user and the password that tokens need, such as `ada:s3cret`.
    pub(super) login: Option<&'static str>,
    /// The server that issues tokens.
    pub(super) realm: String,
    /// The URL to which requests of blobs are redirected.
    pub(super) blobs_at: Option<String>,
    /// Responses for certain paths, whatever the registry has there.
    pub(super) fixed: HashMap<String, Fixed>,
    /// Each request: its method and URI, and its header `Authorization`.
    pub(super) requests: Vec<(String, Option<String>)>,
}

/// A response for a path.
#[derive(Clone)]
pub(super) enum Fixed {
    Bytes(Vec<u8>),
    Endless,
    Redirect(String),
}

impl Containers {
    pub(super) fn start() -> Self {
        let contents = Arc::<Mutex<Contents>>::default();
        let router = Router::new().fallback(respond).with_state(contents.clone());
        let server = Loopback::serve(router);
        contents.lock().unwrap().realm = format!("http://{}/token", server.address);
        Self { server, contents }
    }

    pub(super) fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap()
    }

    /// The place of the plugin, with `version` at its end.
    pub(super) fn place(&self, version: &str) -> String {
        format!("oci://{}/acme/plain{version}", self.server.address)
    }

    /// The settings that permit this registry, with further lines.
    pub(super) fn settings(&self, more: &str) -> String {
        let address = self.server.address;
        format!("[oci_registries.\"{address}\"]\nprivate = true\nplain_http = true\n{more}")
    }

    /// The path of a part of the repository.
    pub(super) fn path(part: &str) -> String {
        format!("{REPOSITORY}{part}")
    }
}

pub(super) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

async fn respond(State(contents): State<Arc<Mutex<Contents>>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    contents.lock().unwrap().respond(&head, &body)
}

impl Contents {
    fn respond(&mut self, head: &Parts, body: &[u8]) -> Response<Body> {
        let authorization = head
            .headers
            .get(AUTHORIZATION)
            .map(|value| value.to_str().unwrap().to_owned());
        let line = format!("{} {}", head.method, head.uri);
        self.requests.push((line, authorization.clone()));
        let path = head.uri.path();
        if path == "/token" {
            return self.token(head, authorization.as_deref());
        }
        if let Some(fixed) = self.fixed.get(path) {
            return fixed.response();
        }
        let Some(part) = path.strip_prefix(REPOSITORY) else {
            return status(StatusCode::NOT_FOUND);
        };
        if self.login.is_some() && !is_authorized(&head.method, authorization.as_deref()) {
            let challenge = format!("Bearer realm=\"{}\",service=\"registry\"", self.realm);
            return with_header(StatusCode::UNAUTHORIZED, WWW_AUTHENTICATE.as_str(), &challenge);
        }
        match head.method {
            Method::GET => self.get(part),
            Method::POST => with_header(
                StatusCode::ACCEPTED,
                LOCATION.as_str(),
                &format!("{REPOSITORY}{UPLOAD}?_state=a"),
            ),
            _ => self.put(part, head, body),
        }
    }

    /// The token names the actions that it permits.
    fn token(&self, head: &Parts, authorization: Option<&str>) -> Response<Body> {
        let expected = self.login.map(|login| format!("Basic {}", STANDARD.encode(login)));
        if authorization != expected.as_deref() {
            return status(StatusCode::UNAUTHORIZED);
        }
        let scope = parameter(head, "scope").unwrap_or_default();
        match scope.strip_prefix("repository:acme/plain:") {
            Some(actions) if parameter(head, "service").as_deref() == Some("registry") => {
                let token = format!("t0ken.{}", actions.replace(',', "."));
                ok(json!({ "token": token }).to_string().into_bytes())
            }
            _ => status(StatusCode::BAD_REQUEST),
        }
    }

    fn get(&self, part: &str) -> Response<Body> {
        if part == "tags/list" {
            let tags: Vec<&String> = self.manifests.keys().filter(|tag| !tag.contains(':')).collect();
            return match tags.is_empty() {
                true => status(StatusCode::NOT_FOUND),
                false => ok(json!({ "name": "acme/plain", "tags": tags }).to_string().into_bytes()),
            };
        }
        let found = match (part.strip_prefix("manifests/"), part.strip_prefix("blobs/")) {
            (Some(reference), _) => self.manifests.get(reference),
            (_, Some(digest)) => {
                if let Some(target) = &self.blobs_at {
                    return Fixed::Redirect(target.clone()).response();
                }
                self.blobs.get(digest)
            }
            _ => None,
        };
        found.map_or_else(|| status(StatusCode::NOT_FOUND), |bytes| ok(bytes.clone()))
    }

    fn put(&mut self, part: &str, head: &Parts, body: &[u8]) -> Response<Body> {
        if let Some(tag) = part.strip_prefix("manifests/") {
            for reference in [tag, &digest(body)] {
                self.manifests.insert(reference.to_owned(), body.to_vec());
            }
            return status(StatusCode::CREATED);
        }
        let is_complete = parameter(head, "_state").as_deref() == Some("a");
        match parameter(head, "digest") {
            Some(named) if part == UPLOAD && is_complete && named == digest(body) => {
                self.blobs.insert(named, body.to_vec());
                status(StatusCode::CREATED)
            }
            _ => status(StatusCode::BAD_REQUEST),
        }
    }
}

impl Fixed {
    fn response(&self) -> Response<Body> {
        match self {
            Self::Bytes(bytes) => ok(bytes.clone()),
            Self::Endless => {
                let piece = Ok::<_, Infallible>(Bytes::from(vec![b' '; 64 << 10]));
                Response::new(Body::from_stream(stream::repeat(piece)))
            }
            Self::Redirect(target) => with_header(StatusCode::TEMPORARY_REDIRECT, LOCATION.as_str(), target),
        }
    }
}

fn is_authorized(method: &Method, authorization: Option<&str>) -> bool {
    match *method {
        Method::GET => authorization.is_some_and(|text| text.starts_with("Bearer t0ken.pull")),
        _ => authorization == Some("Bearer t0ken.pull.push"),
    }
}

fn parameter(head: &Parts, name: &str) -> Option<String> {
    let query = head.uri.query().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn ok(bytes: Vec<u8>) -> Response<Body> {
    Response::new(bytes.into())
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn with_header(status: StatusCode, name: &str, value: &str) -> Response<Body> {
    let response = Response::builder().status(status).header(name, value);
    response.body(Body::empty()).unwrap()
}
