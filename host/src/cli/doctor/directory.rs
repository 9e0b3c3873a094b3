//! The checklist of `doctor --directory`: the conditions under which directories of MCP servers list a server. They are
//! those that the directories of Claude and ChatGPT and the MCP registry have in common.
use hyper::{StatusCode, header};
use linepress_mcp::{Listing, MAX_TOOLS_BYTES};
use linepress_platform::app::App;
use linepress_terminal::Report;
use serde_json::Value;
use url::{Host, Url};

use super::discovery::look_at;

const SUBJECT: &str = "directory";

/// The limits that directories have for a tool.
const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Words of advertisements, which reviewers reject in descriptions.
const PROMOTIONAL_WORDS: [&str; 12] = [
    "amazing",
    "award-winning",
    "beautiful",
    "best",
    "easily",
    "effortless",
    "leading",
    "perfect",
    "powerful",
    "seamless",
    "stunning",
    "world-class",
];

/// Beginnings of orders to a model, which reviewers reject in descriptions.
const ORDERS: [&str; 12] = [
    "always call",
    "always use",
    "ask the user",
    "call it ",
    "give it to the user",
    "ignore ",
    "let the user",
    "make sure",
    "never call",
    "never use",
    "tell the user",
    "you must",
];

/// The remedy for a fault that is compiled into the program.
const REPORT_IT: &str = "This is a fault of this version of Linepress: please report it.";

pub(super) async fn check(app: &App, report: &mut Report) {
    let listing = linepress_mcp::listing(app);
    address(&app.config.public_url, report);
    metadata(app, report).await;
    icons(app, &listing, report).await;
    tools(&listing, report);
    prompts(&listing, report);
    report.note(
        SUBJECT,
        "a directory also asks for what no program can check: a privacy policy, terms of use and a contact, each with \
         a public address; a page with instructions and examples; and for its reviewers an account with the Business \
         plan and credits. `server.json` is the entry for the MCP registry; docs/agents.md explains how to publish it",
    );
}

/// Checks that anyone can reach the public address.
fn address(public_url: &str, report: &mut Report) {
    match obstacle(public_url) {
        None => report.good(SUBJECT, &format!("{public_url} is an https address of a domain")),
        Some(problem) => report.bad(
            SUBJECT,
            &format!("{public_url} {problem}"),
            "Give the server a domain and a certificate that browsers trust, and set `public_url` to its https address \
             without a port.",
        ),
    }
}

/// The reason why a directory would not list this address.
fn obstacle(public_url: &str) -> Option<&'static str> {
    let Ok(url) = Url::parse(public_url) else {
        return Some("is not a URL");
    };
    if url.scheme() != "https" {
        return Some("is not https");
    }
    if url.port().is_some() {
        return Some("has a port, and hosted agents reach only port 443");
    }
    match url.host() {
        Some(Host::Domain(name)) if name.contains('.') => None,
        _ => Some("has no domain"),
    }
}

/// Checks that the metadata of the authorization server names what hosted agents need to sign in.
async fn metadata(app: &App, report: &mut Report) {
    let url = format!("{}/.well-known/oauth-authorization-server", app.config.public_url);
    let remedy =
        "Start the server and its proxy, which must pass on /.well-known/ unchanged, and run this command again.";
    let found = match look_at(app, &url).await {
        Ok(found) => found,
        Err(cause) => {
            report.bad(SUBJECT, &format!("{url} cannot be fetched: {cause}"), remedy);
            return;
        }
    };
    let server: Value = serde_json::from_slice(found.body()).unwrap_or_default();
    let missing = missing_metadata(&server);
    if missing.is_empty() {
        let words = "the metadata of the authorization server names its endpoints, PKCE and the registration of apps";
        report.good(SUBJECT, words);
    } else {
        report.bad(SUBJECT, &format!("{url} lacks {}", missing.join(", ")), remedy);
    }
}

/// The parts that the metadata of an authorization server lacks.
fn missing_metadata(server: &Value) -> Vec<&'static str> {
    let lists = |field: &str, word: &str| {
        let words = server[field].as_array();
        words.is_some_and(|words| words.iter().any(|found| found == word))
    };
    let parts = [
        ("authorization_endpoint", server["authorization_endpoint"].is_string()),
        ("token_endpoint", server["token_endpoint"].is_string()),
        ("PKCE with S256", lists("code_challenge_methods_supported", "S256")),
        ("refresh tokens", lists("grant_types_supported", "refresh_token")),
        ("public clients", lists("token_endpoint_auth_methods_supported", "none")),
        (
            "a way to register apps",
            server["registration_endpoint"].is_string() || server["client_id_metadata_document_supported"] == true,
        ),
    ];
    let missing = parts.iter().filter(|(_, is_there)| !is_there);
    missing.map(|(name, _)| *name).collect()
}

/// Checks that each icon can be fetched, and that one of them is a PNG, which every client shows.
async fn icons(app: &App, listing: &Listing, report: &mut Report) {
    let icons = listing.server["icons"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut are_fetched = true;
    for icon in icons {
        let url = icon["src"].as_str().unwrap_or_default();
        let problem = match look_at(app, url).await {
            Ok(found) if found.status() != StatusCode::OK => Some(format!("responds with {}", found.status())),
            Ok(found) => {
                let kind = found.headers().get(header::CONTENT_TYPE);
                let is_expected = kind
                    .is_some_and(|kind| kind.as_bytes() == icon["mimeType"].as_str().unwrap_or_default().as_bytes());
                (!is_expected).then(|| "responds with another media type".to_owned())
            }
            Err(cause) => Some(format!("cannot be fetched: {cause}")),
        };
        if let Some(problem) = problem {
            are_fetched = false;
            let remedy =
                "Start the server and its proxy, which must pass on /assets/ unchanged, and run this command again.";
            report.bad(SUBJECT, &format!("the icon {url} {problem}"), remedy);
        }
    }
    if !icons.iter().any(|icon| icon["mimeType"] == "image/png") {
        let finding = "the logo is an SVG, which many directories and agents do not show; they all show a PNG";
        report.note(SUBJECT, finding);
    }
    if are_fetched {
        report.good(SUBJECT, "the icons can be fetched");
    }
}

/// A condition that each tool must meet, with the words for all and for those that do not.
struct Condition {
    met: &'static str,
    unmet: &'static str,
    holds: fn(&Value) -> bool,
}

const CONDITIONS: [Condition; 5] = [
    Condition {
        met: "have a name of letters, digits, hyphens and underscores, at most 64",
        unmet: "have a name that is too long or has other characters",
        holds: |tool| is_name(text(tool, "name")),
    },
    Condition {
        met: "have a title",
        unmet: "have no title",
        holds: |tool| !text(tool, "title").is_empty(),
    },
    Condition {
        met: "have a description of at most 1,024 characters",
        unmet: "have no description, or one that is too long",
        holds: |tool| (1..=MAX_DESCRIPTION_CHARS).contains(&text(tool, "description").chars().count()),
    },
    Condition {
        met: "say whether they only read, whether they destroy, and whether they reach other servers",
        unmet: "lack a hint, or claim both to only read and to destroy",
        holds: has_hints,
    },
    Condition {
        met: "have a description without advertising and without orders to the model",
        unmet: "advertise or give orders in their descriptions",
        holds: |tool| is_neutral(text(tool, "description")),
    },
];

fn tools(listing: &Listing, report: &mut Report) {
    let tools = &listing.tools;
    for Condition { met, unmet, holds } in CONDITIONS {
        let others: Vec<&str> = tools
            .iter()
            .filter(|tool| !holds(tool))
            .map(|tool| text(tool, "name"))
            .collect();
        if others.is_empty() {
            report.good(SUBJECT, &format!("all {} tools {met}", tools.len()));
        } else {
            report.bad(
                SUBJECT,
                &format!("these tools {unmet}: {}", others.join(", ")),
                REPORT_IT,
            );
        }
    }
    let bytes: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
    let finding = format!("the list of tools has {bytes} bytes");
    if bytes <= MAX_TOOLS_BYTES {
        report.good(SUBJECT, &finding);
    } else {
        report.bad(SUBJECT, &format!("{finding}, more than {MAX_TOOLS_BYTES}"), REPORT_IT);
    }
}

fn prompts(listing: &Listing, report: &mut Report) {
    if listing.prompts.iter().all(is_complete) {
        let count = listing.prompts.len();
        report.good(
            SUBJECT,
            &format!("all {count} prompts have a name, a title and a description"),
        );
    } else {
        report.bad(SUBJECT, "a prompt lacks a name, a title or a description", REPORT_IT);
    }
}

/// Returns true if a prompt has everything that a directory shows of it.
fn is_complete(prompt: &Value) -> bool {
    is_name(text(prompt, "name")) && !text(prompt, "title").is_empty() && !text(prompt, "description").is_empty()
}

/// The text in a field; empty without one.
fn text<'a>(described: &'a Value, field: &str) -> &'a str {
    described[field].as_str().unwrap_or_default()
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Returns true if a tool has the hints that directories require, and does not contradict itself.
fn has_hints(tool: &Value) -> bool {
    const HINTS: [&str; 3] = ["readOnlyHint", "destructiveHint", "openWorldHint"];
    let hints = &tool["annotations"];
    let only_reads_and_destroys = hints["readOnlyHint"] == true && hints["destructiveHint"] == true;
    HINTS.iter().all(|hint| hints[hint].is_boolean()) && !only_reads_and_destroys
}

/// Returns true if a description neither advertises nor gives orders to the model.
fn is_neutral(description: &str) -> bool {
    let description = description.to_lowercase();
    let mut words = description.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
    !words.any(|word| PROMOTIONAL_WORDS.contains(&word)) && !ORDERS.iter().any(|order| description.contains(order))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_https_address_of_a_domain_can_be_listed() {
        assert_eq!(obstacle("https://books.example.com"), None);
        for (url, words) in [
            ("http://books.example.com", "is not https"),
            ("https://books.example.com:8443", "has a port"),
            ("https://localhost", "has no domain"),
            ("https://192.0.2.7", "has no domain"),
            ("https://[2001:db8::1]", "has no domain"),
            ("books.example.com", "is not a URL"),
        ] {
            assert!(obstacle(url).is_some_and(|problem| problem.contains(words)), "{url}");
        }
    }

    #[test]
    fn incomplete_metadata_is_described() {
        let complete = json!({
            "authorization_endpoint": "https://books.example.com/oauth/authorize",
            "token_endpoint": "https://books.example.com/oauth/token",
            "code_challenge_methods_supported": ["S256"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "client_id_metadata_document_supported": true,
        });
        assert!(missing_metadata(&complete).is_empty());
        assert_eq!(missing_metadata(&Value::Null).len(), 6);
        let mut plain = complete;
        plain["code_challenge_methods_supported"] = json!(["plain"]);
        assert_eq!(missing_metadata(&plain), ["PKCE with S256"]);
    }

    #[test]
    fn a_description_says_what_a_tool_does_and_nothing_else() {
        for neutral in [
            "Draws a page again. Costs exactly 1 credit.",
            "The account's books, newest first, as many as fit.",
            "A URL that shows a form, so that the user can send the file.",
            "A bestseller list.",
        ] {
            assert!(is_neutral(neutral), "{neutral}");
        }
        for other in [
            "The best way to draw a page.",
            "A Powerful, world-class tool.",
            "Draws a page. Always use this tool.",
            "A link to the PDF. Give it to the user.",
            "You must call get_account first.",
        ] {
            assert!(!is_neutral(other), "{other}");
        }
    }

    #[test]
    fn a_tool_has_a_short_name_and_hints_that_agree() {
        assert!(is_name("look_at_page") && is_name(&"x".repeat(64)));
        for name in ["", "look at page", "draw.page", &"x".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
        let tool = |reads: bool, destroys: bool| json!({"annotations": {"readOnlyHint": reads, "destructiveHint": destroys, "openWorldHint": false}});
        assert!(has_hints(&tool(true, false)) && has_hints(&tool(false, true)));
        assert!(!has_hints(&tool(true, true)) && !has_hints(&json!({"annotations": {"readOnlyHint": true}})));
    }
}
