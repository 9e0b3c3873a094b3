//! The MCP apps of the server: web pages that a client shows in a conversation, by the extension MCP Apps (SEP-1865,
//! version 2026-01-26). Each page is one document without references to other files, because a client loads it from a
//! resource, not from a server. The page asks the client for data with messages, and the client calls the tools.

/// The media type of an app.
pub const MEDIA_TYPE: &str = "text/html;profile=mcp-app";

/// The key in the metadata of the result of `get_page` whose value is true if a refinement would change the present
/// picture of the page, and false if the page would be drawn again.
pub const EDITS_PICTURE: &str = "linepress/edits-picture";

/// A page with the texts by which a client lists it.
#[derive(Debug)]
pub struct AppPage {
    pub uri: &'static str,
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The document. Hosts may cache it, so it contains nothing that changes while a server runs.
    pub html: &'static str,
}

/// A page of its markup, styles and script, with the parts that all pages share.
macro_rules! app_page {
    (name: $name:literal, title: $title:literal, description: $description:literal) => {
        AppPage {
            uri: concat!("ui://linepress/", $name),
            name: $name,
            title: $title,
            description: $description,
            html: concat!(
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
                "<title>",
                $title,
                "</title>\n<style>\n",
                include_str!("pages/shared.css"),
                include_str!(concat!("pages/", $name, ".css")),
                "</style>\n</head>\n<body>\n",
                include_str!(concat!("pages/", $name, ".html")),
                "<script type=\"module\">\nconst APP = { name: \"linepress-",
                $name,
                "\", version: \"",
                env!("CARGO_PKG_VERSION"),
                "\" };\n",
                include_str!("pages/words.js"),
                include_str!("pages/host.js"),
                include_str!("pages/parts.js"),
                include_str!("pages/orders.js"),
                include_str!(concat!("pages/", $name, ".js")),
                "</script>\n</body>\n</html>\n"
            ),
        }
    };
}

/// The plan of a book as cards that can be edited, and a button that orders the book.
pub const PLAN: AppPage = app_page!(
    name: "plan",
    title: "Plan of a book",
    description: "The pages of a plan as cards to edit, and a button with the exact price that orders the book."
);

/// The pages of a book at a glance, each with its faults, attempts and new drawings.
pub const CONTACT_SHEET: AppPage = app_page!(
    name: "contact-sheet",
    title: "Contact sheet of a book",
    description: "All pages of a book with their faults: accept one, draw it again, change its picture, or choose an \
                  earlier one."
);

/// A book to leaf through, with its files.
pub const VIEWER: AppPage = app_page!(
    name: "viewer",
    title: "Viewer of a book",
    description: "A book to leaf through, with its PDF and its pictures to download."
);

/// All apps, in the order in which they are listed.
pub const APPS: [&AppPage; 3] = [&PLAN, &CONTACT_SHEET, &VIEWER];

/// The app with this address.
pub fn find(uri: &str) -> Option<&'static AppPage> {
    APPS.into_iter().find(|app| app.uri == uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text that no page may contain: it would turn a text into markup or code, send a request from the page, store
    /// something in the browser, or embed a picture.
    const FORBIDDEN: [&str; 11] = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "fetch(",
        "XMLHttpRequest",
        "localStorage",
        "base64",
        "data:",
    ];

    #[test]
    fn every_page_is_complete_and_finds_what_it_needs_in_itself() {
        for app in APPS {
            let AppPage { uri, html, .. } = app;
            assert!(uri.starts_with("ui://linepress/"), "{uri}");
            assert!(
                html.starts_with("<!doctype html>") && html.ends_with("</html>\n"),
                "{uri}"
            );
            for part in ["<style>", "</style>", "<script ", "</script>", "<title>"] {
                assert_eq!(html.matches(part).count(), 1, "{uri}: {part}");
            }
            for word in FORBIDDEN {
                assert!(!html.contains(word), "{uri}: {word}");
            }
            for reference in ["src=\"", "href=\"", "http://", "https://", "@import", "url("] {
                assert!(!html.contains(reference), "{uri}: {reference}");
            }
        }
    }

    #[test]
    fn the_contact_sheet_knows_the_key_of_the_metadata_about_a_page() {
        assert!(CONTACT_SHEET.html.contains(&format!("\"{EDITS_PICTURE}\"")));
    }

    #[test]
    fn an_app_is_found_by_its_address_only() {
        assert_eq!(find("ui://linepress/plan").map(|app| app.name), Some("plan"));
        for unknown in ["ui://linepress/", "ui://linepress/plan/", "plan", ""] {
            assert!(find(unknown).is_none(), "{unknown}");
        }
    }
}
