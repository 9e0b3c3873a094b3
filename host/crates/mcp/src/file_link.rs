//! A link to a file as a part of a result, for clients that show files in addition to the text.
use rmcp::model::{Annotations, ContentBlock, Resource, Role};

use linepress_core::downloads::Link;

/// The resource link of a file. It repeats what the text says: its audience is the user.
pub(super) fn content(link: &Link) -> ContentBlock {
    let name = &link.file_name;
    let resource = Resource::new(link.url.as_str(), name.plain.as_str())
        .with_title(name.full.as_deref().unwrap_or(&name.plain))
        .with_description(format!("Works until {}.", link.expires_at))
        .with_mime_type(link.media_type.as_str())
        .with_size(link.byte_size)
        .with_annotations(Annotations::default().with_audience(vec![Role::User]));
    ContentBlock::resource_link(resource)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::samples;

    #[test]
    fn a_file_has_its_name_size_type_and_end() {
        let expected = json!({
            "type": "resource_link",
            "uri": "https://books.test/downloads/abc",
            "name": "woods.pdf",
            "title": "woods.pdf",
            "description": "Works until 2026-11-21T12:00:00.000Z.",
            "mimeType": "application/pdf",
            "size": 5,
            "annotations": {"audience": ["user"]},
        });
        assert_eq!(json!(content(&samples::link("Woods"))), expected);
        let content = json!(content(&samples::link("Bären")));
        assert_eq!(
            (&content["name"], &content["title"]),
            (&json!("b-ren.pdf"), &json!("bären.pdf"))
        );
    }
}
