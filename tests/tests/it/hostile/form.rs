//! Forms with files, written out byte by byte.
use axum::body::Body;

use crate::house::{Actor, Reply};

const BOUNDARY: &str = "the-end-of-a-part";

/// `multipart/form-data`, part by part.
#[derive(Clone, Default)]
pub struct Form(Vec<u8>);

impl Form {
    /// With the fields that an import needs beside the file.
    pub fn titled(title: &str) -> Self {
        Self::default().text("title", title)
    }

    pub fn text(self, name: &str, text: &str) -> Self {
        self.part(&format!("form-data; name=\"{name}\""), text.as_bytes())
    }

    pub fn file(self, name: &str, bytes: &[u8]) -> Self {
        self.part(&format!("form-data; name=\"image\"; filename=\"{name}\""), bytes)
    }

    fn part(mut self, disposition: &str, content: &[u8]) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n");
        self.0.extend(head.as_bytes());
        self.0.extend(content);
        self.0.extend(b"\r\n");
        self
    }

    /// The whole body.
    pub fn end(mut self) -> Vec<u8> {
        self.0.extend(format!("--{BOUNDARY}--\r\n").as_bytes());
        self.0
    }

    pub fn media_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    pub async fn send(self, actor: &Actor, method: &str, path: &str) -> Reply {
        let kind = Self::media_type();
        actor
            .send(method, path, &[("content-type", &kind)], Body::from(self.end()))
            .await
    }
}
