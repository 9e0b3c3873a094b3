//! Descriptions as HTML. They are Markdown with paragraphs, code and bold text, and nothing else.
/// The paragraphs of a description.
pub(crate) fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    paragraphs.map(|text| format!("<p>{}</p>\n", inline(text))).collect()
}

/// The text of one paragraph.
pub(crate) fn inline(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            html += &format!("<code>{}</code>", escaped(part));
            continue;
        }
        for (number, part) in part.split("**").enumerate() {
            let part = escaped(part);
            html += &if number % 2 == 1 {
                format!("<strong>{part}</strong>")
            } else {
                part
            };
        }
    }
    html
}

/// The text with the characters escaped that have a meaning in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Markdown without its links to files outside of the folder: only their texts remain.
pub fn without_outer_links(text: &str) -> String {
    let mut parts = text.split("](../");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match (plain.rfind('['), part.split_once(')')) {
            (Some(start), Some((_, rest))) => {
                plain.remove(start);
                plain += rest;
            }
            _ => plain = plain + "](../" + part,
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_bold_text_become_elements_and_all_else_is_escaped() {
        assert_eq!(
            paragraphs("**Start.** Send `<a>` & wait\n\n\n\nEnd"),
            "<p><strong>Start.</strong> Send <code>&lt;a&gt;</code> &amp; wait</p>\n<p>End</p>\n"
        );
        assert_eq!(inline("`**`"), "<code>**</code>");
    }

    #[test]
    fn links_to_other_folders_become_their_texts() {
        let text = "See [agents](../agents.md), [a guide](print.md) and [the `client`](../../clients).";
        assert_eq!(
            without_outer_links(text),
            "See agents, [a guide](print.md) and the `client`."
        );
        assert_eq!(without_outer_links("none"), "none");
    }
}
