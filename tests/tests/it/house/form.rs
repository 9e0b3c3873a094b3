//! Bodies of `multipart/form-data`.

const BOUNDARY: &str = "a-line-that-no-picture-holds";

/// A form, field by field.
#[derive(Default)]
pub struct Form(Vec<u8>);

impl Form {
    pub fn new() -> Self {
        Self::default()
    }

    /// The form of an import: this file as `image`, and nothing else.
    pub fn image(file: &[u8]) -> Self {
        Self::new().file("image", file)
    }

    pub fn text(mut self, name: &str, value: &str) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        self.0.extend(head.bytes().chain(value.bytes()).chain(*b"\r\n"));
        self
    }

    pub fn file(mut self, name: &str, bytes: &[u8]) -> Self {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"picture\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        self.0.extend(head.bytes().chain(bytes.iter().copied()).chain(*b"\r\n"));
        self
    }

    /// The content type and the body.
    pub fn finish(mut self) -> (String, Vec<u8>) {
        self.0.extend(format!("--{BOUNDARY}--\r\n").bytes());
        (format!("multipart/form-data; boundary={BOUNDARY}"), self.0)
    }
}
