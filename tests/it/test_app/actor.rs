//! A client of the REST interface, and the responses it gets.
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value;
use tower::ServiceExt as _;

use super::Form;

/// A client with or without an API key. It is cheap to clone.
#[derive(Clone)]
pub(crate) struct Actor {
    router: Router,
    key: Option<String>,
}

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Actor {
    pub(crate) fn new(router: Router, key: Option<String>) -> Self {
        Self { router, key }
    }

    /// Returns the same client, connected to another node.
    pub(crate) fn at(&self, router: Router) -> Self {
        Self::new(router, self.key.clone())
    }

    /// Returns the API key, if the client has one.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], Body::empty()).await
    }

    /// Sends JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(
            "POST",
            path,
            &[("content-type", "application/json")],
            body.to_string().into(),
        )
        .await
    }

    /// Sends an empty body.
    pub(crate) async fn post_nothing(&self, path: &str) -> Reply {
        self.send("POST", path, &[], Body::empty()).await
    }

    /// Sends JSON with an idempotency key.
    pub(crate) async fn generate(&self, path: &str, key: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        self.send("POST", path, &headers, body.to_string().into()).await
    }

    /// Sends JSON.
    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json")];
        self.send("PATCH", path, &headers, body.to_string().into()).await
    }

    /// Sends JSON.
    pub(crate) async fn put(&self, path: &str, body: &Value) -> Reply {
        let headers = [("content-type", "application/json")];
        self.send("PUT", path, &headers, body.to_string().into()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, &[], Body::empty()).await
    }

    /// Sends `multipart/form-data`.
    pub(crate) async fn send_form(&self, method: &str, path: &str, form: Form) -> Reply {
        let kind = Form::media_type();
        self.send(method, path, &[("content-type", &kind)], form.finish().into())
            .await
    }

    /// Imports a page from a form.
    pub(crate) async fn import(&self, form: Form) -> Reply {
        self.send_form("POST", "/pages/import", form).await
    }

    /// Sends a file to an upload's address.
    pub(crate) async fn send_to(&self, url: &str, file: Vec<u8>) -> Reply {
        self.send("PUT", url, &[], file.into()).await
    }

    /// Sends a request and returns the body of the response unread.
    pub(crate) async fn open(&self, path: &str) -> Body {
        self.open_with(path, &[]).await
    }

    /// The same with these headers.
    pub(crate) async fn open_with(&self, path: &str, headers: &[(&str, &str)]) -> Body {
        let mut request = Request::builder().uri(format!("/api/v1{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let request = request.body(Body::empty()).unwrap();
        self.router.clone().oneshot(request).await.unwrap().into_body()
    }

    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Body) -> Reply {
        let path = path.strip_prefix("http://linepress.test").unwrap_or(path);
        let uri = if [
            "/api/",
            "/uploads/",
            "/preview/",
            "/review/",
            "/downloads/",
            "/oauth/",
            "/.well-known/",
            "/readyz",
            "/sign-in",
            "/mcp",
        ]
        .iter()
        .any(|root| path.starts_with(root))
        {
            path.to_owned()
        } else {
            format!("/api/v1{path}")
        };
        let mut request = Request::builder().method(method).uri(uri);
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: to_bytes(body, usize::MAX).await.unwrap(),
        }
    }

    /// Returns the bytes of the account's stored files, as `/me` shows them.
    pub(crate) async fn stored_bytes(&self) -> i64 {
        self.look("/me", "account").await["limits"]["stored_bytes"]["used"]
            .as_i64()
            .unwrap()
    }

    /// Returns the balance of the account, as `/me` shows it.
    pub(crate) async fn credits(&self) -> i64 {
        self.get("/me").await.expect(200)["account"]["credits"]["available"]
            .as_i64()
            .unwrap()
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Returns the JSON body; fails unless the response has this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// Returns the error object; fails unless the response is this error in the error envelope.
    #[track_caller]
    pub(crate) fn expect_error(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["error"]["code"], code);
        assert!(!body["error"]["message"].as_str().unwrap().is_empty());
        assert_eq!(body["error"]["request_id"], self.header("x-request-id"));
        body["error"].clone()
    }

    /// Fails unless the response is a 204 that cost nothing.
    #[track_caller]
    pub(crate) fn expect_no_content(&self) {
        assert_eq!(self.status, 204, "{}", String::from_utf8_lossy(&self.body));
        assert!(self.body.is_empty());
        self.expect_free();
    }

    /// Fails unless the response is a 204 to a request without an account.
    #[track_caller]
    pub(crate) fn expect_no_content_at_all(&self) {
        assert_eq!(self.status, 204, "{}", String::from_utf8_lossy(&self.body));
    }

    /// Fails unless the call cost nothing.
    #[track_caller]
    pub(crate) fn expect_free(&self) {
        assert_eq!(self.header("x-service-credits-consumed"), "0");
    }

    /// Fails unless the response rejects exactly these fields, in this order.
    #[track_caller]
    pub(crate) fn expect_fields(&self, fields: &[&str]) {
        let error = self.expect_error(422, "validation_failed");
        let named: Vec<_> = error["details"].as_array().unwrap().iter().collect();
        let named: Vec<_> = named.iter().map(|detail| detail["field"].as_str().unwrap()).collect();
        assert_eq!(named, fields, "{error}");
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .unwrap_or_else(|| panic!("no header {name}: {:?}", self.headers))
            .to_str()
            .unwrap()
    }
}
