//! `llms.txt`: an overview for language models, as <https://llmstxt.org> describes it.
use std::fmt::Write as _;

use crate::document::Document;
use crate::site::Site;

pub(crate) fn text(document: &Document<'_>, site: &Site) -> String {
    let (name, url) = (&site.name, &site.url);
    let mut text = format!(
        "# {name}\n\n> A server that makes printable coloring books: it plans a book from a theme, has its pages drawn, and returns a \
         print-ready PDF. Programs use a REST interface at {url}/api/v1, and agents use MCP at {url}/mcp.\n\n{}\n",
        document.description().trim()
    );
    text += "\n## Guides\n\n";
    for (file, title) in &site.guides {
        let _ = writeln!(text, "- [{title}]({url}/api/v1/docs/{file})");
    }
    text += "\nThe guides use curl and the official clients for Python and TypeScript, `linepress-client`, which *Before you begin* \
             installs.\n";
    let _ = writeln!(
        text,
        "\n## Reference\n\n- [OpenAPI document]({url}/api/v1/openapi.json)"
    );
    for tag in document.tags() {
        let (name, slug) = (tag.name, tag.slug());
        let _ = writeln!(text, "- [{name}]({url}/api/v1/docs/{slug}): {}", tag.description);
    }
    text += "\n## Operations\n\n";
    for operation in document
        .operations()
        .filter(|operation| !operation.path.starts_with("/admin"))
    {
        let method = operation.method.to_uppercase();
        let _ = writeln!(text, "- `{method} {}`: {}", operation.path, operation.summary());
    }
    text
}
