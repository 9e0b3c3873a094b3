//! Bodies of `multipart/form-data`, written byte by byte.

const BOUNDARY: &str = "a-line-that-no-picture-holds";

/// A form, field by field.
#[derive(Clone, Default)]
pub(crate) struct Form(Vec<u8>);

impl Form {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A form of a web page, with the page's CSRF token and an idempotency key.
    pub(crate) fn of_page(csrf_token: &str, idempotency_key: &str) -> Self {
        Self::new()
            .text("csrf_token", csrf_token)
            .text("idempotency_key", idempotency_key)
    }

    /// A form with the title that an import requires in addition to the picture.
    pub(crate) fn titled(title: &str) -> Self {
        Self::new().text("title", title)
    }

    /// A form with only this file as `image`.
    pub(crate) fn image(file: &[u8]) -> Self {
        Self::new().picture("picture", file)
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.bytes(name, value.as_bytes())
    }

    /// Adds bytes to a field that expects text.
    pub(crate) fn bytes(self, name: &str, value: &[u8]) -> Self {
        self.part(&format!("form-data; name=\"{name}\""), value)
    }

    /// Adds a file with this name as `image`.
    pub(crate) fn picture(self, name: &str, bytes: &[u8]) -> Self {
        self.file("image", name, bytes)
    }

    /// Adds a file to any field.
    pub(crate) fn file(self, field: &str, name: &str, bytes: &[u8]) -> Self {
        let disposition = format!("form-data; name=\"{field}\"; filename=\"{name}\"");
        self.part(
            &format!("{disposition}\r\nContent-Type: application/octet-stream"),
            bytes,
        )
    }

    fn part(mut self, disposition: &str, content: &[u8]) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n");
        self.0.extend(head.bytes());
        self.0.extend(content);
        self.0.extend(b"\r\n");
        self
    }

    /// Returns the content type of every form.
    pub(crate) fn media_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    /// Returns the whole body.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.extend(format!("--{BOUNDARY}--\r\n").bytes());
        self.0
    }
}
