//! Bodies of type `multipart/form-data` (RFC 7578), which consist of fields and files.

use crate::image::Media;

/// A form with fields and files.
#[derive(Clone, Debug, Default)]
pub struct Form {
    parts: Vec<(String, Vec<u8>)>,
}

impl Form {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn field(mut self, name: &str, value: &str) -> Self {
        let head = format!("content-disposition: form-data; name=\"{}\"", quoted(name));
        self.parts.push((head, value.as_bytes().to_vec()));
        self
    }

    #[must_use]
    pub fn file(mut self, name: &str, file_name: &str, media: &Media) -> Self {
        let head = format!(
            "content-disposition: form-data; name=\"{}\"; filename=\"{}\"\r\ncontent-type: {}",
            quoted(name),
            quoted(file_name),
            media.media_type
        );
        self.parts.push((head, media.bytes.clone()));
        self
    }

    /// Returns the media type with its boundary, and the body.
    pub(super) fn encode(self) -> (String, Vec<u8>) {
        let boundary = self.boundary();
        let mut body = Vec::new();
        for (head, content) in &self.parts {
            body.extend(format!("--{boundary}\r\n{head}\r\n\r\n").into_bytes());
            body.extend(content);
            body.extend(b"\r\n");
        }
        body.extend(format!("--{boundary}--\r\n").into_bytes());
        (format!("multipart/form-data; boundary={boundary}"), body)
    }

    /// Finds a boundary that occurs in none of the parts.
    fn boundary(&self) -> String {
        let is_inside = |boundary: &str| {
            let boundary = boundary.as_bytes();
            let contains_boundary = |(_, content): &(String, Vec<u8>)| {
                content.len() >= boundary.len() && content.windows(boundary.len()).any(|bytes| bytes == boundary)
            };
            self.parts.iter().any(contains_boundary)
        };
        (0_u32..)
            .map(|number| format!("linepress-boundary-{number}"))
            .find(|boundary| !is_inside(boundary))
            .unwrap_or_default()
    }
}

/// Escapes a name like browsers do (the HTML standard, "multipart/form-data encoding algorithm").
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_files_are_parts() {
        let media = Media {
            media_type: "image/png".into(),
            bytes: b"\x89PNG linepress-boundary-0".to_vec(),
        };
        let (media_type, body) = Form::new()
            .field("prompt", "a fox")
            .file("image[]", "f\".png", &media)
            .encode();
        assert_eq!(media_type, "multipart/form-data; boundary=linepress-boundary-1");
        let expected = "--linepress-boundary-1\r\ncontent-disposition: form-data; name=\"prompt\"\r\n\r\na fox\r\n\
             --linepress-boundary-1\r\ncontent-disposition: form-data; name=\"image[]\"; filename=\"f%22.png\"\r\n\
             content-type: image/png\r\n\r\n";
        assert!(
            body.starts_with(expected.as_bytes()),
            "{}",
            String::from_utf8_lossy(&body)
        );
        assert!(body.ends_with(b"linepress-boundary-0\r\n--linepress-boundary-1--\r\n"));
    }
}
