//! Bodies of `multipart/form-data`, written out byte by byte.

const BOUNDARY: &str = "a-line-that-no-picture-holds";

/// A form, field by field.
#[derive(Clone, Default)]
pub(crate) struct Form(Vec<u8>);

impl Form {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With the text that an import needs beside the picture.
    pub(crate) fn titled(title: &str) -> Self {
        Self::new().text("title", title)
    }

    /// With this file as `image`, and nothing else.
    pub(crate) fn image(file: &[u8]) -> Self {
        Self::new().picture("picture", file)
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.bytes(name, value.as_bytes())
    }

    /// A field that should be text.
    pub(crate) fn bytes(self, name: &str, value: &[u8]) -> Self {
        self.part(&format!("form-data; name=\"{name}\""), value)
    }

    /// A file as `image`, with a name of its own.
    pub(crate) fn picture(self, name: &str, bytes: &[u8]) -> Self {
        self.file("image", name, bytes)
    }

    /// A file in any field.
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

    /// The content type of every form.
    pub(crate) fn media_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    /// The whole body.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.extend(format!("--{BOUNDARY}--\r\n").bytes());
        self.0
    }
}
