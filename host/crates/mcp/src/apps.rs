//! The MCP apps: pages that a client shows in a conversation next to the result of a tool. They exist only for clients
//! that declare the extension.
//!
//! Clients since protocol revision 2026-07-28 declare it in each request. Earlier ones declare it once, in
//! `initialize`, and the server keeps no sessions. So the response to such a client names a session whose id only says
//! that the client shows apps, and the client repeats the id in each request: any node can answer it, and nothing is
//! stored.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use linepress_mcp_apps::{APPS, AppPage, CONTACT_SHEET, EDITS_PICTURE, MEDIA_TYPE, PLAN, VIEWER};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, JsonObject, MetaObject, Resource, ResourceContents, ResourcesCapability, ServerCapabilities,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use url::Url;

use linepress_platform::app::App;
use linepress_platform::random::Random;

/// The id of the extension.
const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// The tools whose results an app shows.
const SHOWN: [(&str, &AppPage); 5] = [
    ("plan_book", &PLAN),
    ("create_book", &CONTACT_SHEET),
    ("restyle_book", &CONTACT_SHEET),
    ("get_book", &CONTACT_SHEET),
    ("get_book_pdf", &VIEWER),
];

/// Returns true if a client with these capabilities shows apps.
pub(super) fn are_shown_by(capabilities: &ClientCapabilities) -> bool {
    let extensions = capabilities.extensions.as_ref();
    let settings = extensions.and_then(|extensions| extensions.get(EXTENSION));
    let types = settings.and_then(|settings| settings.get("mimeTypes"));
    let mut types = types.and_then(Value::as_array).into_iter().flatten();
    types.any(|media_type| media_type.as_str() == Some(MEDIA_TYPE))
}

/// Returns true if the client of a request shows apps, by its capabilities or by the id of its session.
pub(super) fn are_shown_in(context: &RequestContext<RoleServer>) -> bool {
    let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
    headers.is_some_and(names_session) || context.client_capabilities().is_some_and(|known| are_shown_by(&known))
}

/// Adds the extension, and the resources that it needs, to the capabilities of the server.
pub(super) fn declare(capabilities: &mut ServerCapabilities) {
    capabilities.resources = Some(ResourcesCapability::default());
    let extensions = capabilities.extensions.get_or_insert_default();
    extensions.insert(EXTENSION.to_owned(), JsonObject::new());
}

/// The metadata that links a tool to the app that shows its results.
pub(super) fn link(tool: &str) -> Option<MetaObject> {
    let (_, app) = SHOWN.iter().find(|(shown, _)| *shown == tool)?;
    Some(meta("ui", json!({"resourceUri": app.uri})))
}

/// The apps as a client lists them.
pub(super) fn resources(app: &App) -> Vec<Resource> {
    let resource = |page: &AppPage| {
        Resource::new(page.uri, page.name)
            .with_title(page.title)
            .with_description(page.description)
            .with_mime_type(MEDIA_TYPE)
            .with_meta(restrictions(app))
    };
    APPS.into_iter().map(resource).collect()
}

/// The page of an app; `None` if no app has this address.
pub(super) fn contents(app: &App, uri: &str) -> Option<ResourceContents> {
    let page = linepress_mcp_apps::find(uri)?;
    let contents = ResourceContents::text(page.html, page.uri).with_mime_type(MEDIA_TYPE);
    Some(contents.with_meta(restrictions(app)))
}

/// The metadata of a page's result, for the contact sheet: it says what a refinement does before the user orders one.
pub(super) fn page_meta(edits_picture: bool) -> MetaObject {
    meta(EDITS_PICTURE, edits_picture.into())
}

/// The policy for a page: it makes no request, and loads pictures from this server only.
fn restrictions(app: &App) -> MetaObject {
    let own = Url::parse(&app.config.public_url).map(|url| url.origin().ascii_serialization());
    let own: Vec<String> = own.into_iter().collect();
    let csp = json!({"connectDomains": [], "resourceDomains": own});
    meta("ui", json!({"csp": csp, "prefersBorder": true}))
}

fn meta(key: &str, value: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([(key.to_owned(), value)]))
}

/// The header with the id of a session.
pub(super) const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// The beginning of the id of a session in which apps are shown. Its end distinguishes sessions for intermediaries.
const SESSION_PREFIX: &str = "apps-";

/// The number of random bytes in the id of a session.
const SESSION_ID_BYTES: usize = 16;

fn names_session(headers: &HeaderMap) -> bool {
    let id = headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok());
    id.is_some_and(|id| id.starts_with(SESSION_PREFIX))
}

/// The handshake of a client that declares the extension in `initialize`. Clones share it: the handler of the message
/// notes it, and the middleware adds the header to the response.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshake(Arc<AtomicBool>);

impl Handshake {
    /// Notes that the client of a request shows apps.
    pub(super) fn note(context: &RequestContext<RoleServer>) {
        let parts = context.extensions.get::<Parts>();
        if let Some(handshake) = parts.and_then(|parts| parts.extensions.get::<Self>()) {
            handshake.0.store(true, Ordering::Relaxed);
        }
    }

    /// Adds the id of a new session to the response, if the client shows apps.
    pub(super) fn finish(&self, random: &Random, headers: &mut HeaderMap) {
        if !self.0.load(Ordering::Relaxed) {
            return;
        }
        let mut id = [0; SESSION_ID_BYTES];
        random.fill(&mut id);
        if let Ok(id) = HeaderValue::try_from(format!("{SESSION_PREFIX}{}", hex::encode(id))) {
            headers.insert(SESSION_HEADER, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use linepress_core::artwork::{Fault, explain_fault};

    use super::*;
    use crate::tools;

    #[test]
    fn the_apps_explain_faults_as_the_server_does() {
        for &fault in Fault::ALL {
            let explained = format!("  {fault}: \"{}\",\n", explain_fault(fault));
            for app in APPS {
                assert!(app.html.contains(&explained), "{}: {explained}", app.uri);
            }
        }
    }

    #[test]
    fn only_a_client_that_shows_this_type_of_page_is_offered_apps() {
        let shows = |capabilities: Value| are_shown_by(&serde_json::from_value(capabilities).unwrap());
        let declared = |types: Value| json!({"extensions": {EXTENSION: {"mimeTypes": types}}});
        assert!(shows(declared(json!(["text/plain", MEDIA_TYPE]))));
        for other in [
            json!({}),
            json!({"extensions": {}}),
            json!({"extensions": {EXTENSION: {}}}),
            json!({"extensions": {"example.com/ui": {"mimeTypes": [MEDIA_TYPE]}}}),
            declared(json!([])),
            declared(json!(["text/html"])),
            declared(json!(MEDIA_TYPE)),
        ] {
            assert!(!shows(other.clone()), "{other}");
        }
    }

    #[test]
    fn every_app_shows_the_results_of_tools_that_exist() {
        for (tool, _) in SHOWN {
            assert!(tools::all().any(|spec| spec.name == tool), "{tool}");
            assert!(link(tool).is_some(), "{tool}");
        }
        for app in APPS {
            assert!(SHOWN.iter().any(|(_, shown)| shown.uri == app.uri), "{}", app.uri);
        }
        assert_eq!(link("get_account"), None);
    }

    #[test]
    fn only_a_handshake_that_was_noted_names_a_session() {
        let (random, mut headers) = (Random::seeded(1), HeaderMap::new());
        let handshake = Handshake::default();
        handshake.finish(&random, &mut headers);
        assert!(headers.is_empty());
        handshake.0.store(true, Ordering::Relaxed);
        handshake.finish(&random, &mut headers);
        assert!(names_session(&headers));
        headers.insert(SESSION_HEADER, HeaderValue::from_static("another-server"));
        assert!(!names_session(&headers));
    }
}
