//! `/docs`: the reference of this interface with the guides next to it, and `/llms.txt`. All of it is served by the
//! program itself, without any external resources.
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use linepress_http::{Failure, Reply, appearance, assets};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_reference::{Reference, Site, without_outer_links};

const POLICY: (HeaderName, &str) = (
    header::CONTENT_SECURITY_POLICY,
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);

/// The pages change only with a new version of the program and its settings, and load their files by versioned
/// addresses.
const CACHING: (HeaderName, &str) = (header::CACHE_CONTROL, "public, max-age=3600");

const HTML: (HeaderName, &str) = (header::CONTENT_TYPE, "text/html; charset=utf-8");
/// Browsers show it, unlike `text/markdown`.
const TEXT: (HeaderName, &str) = (header::CONTENT_TYPE, "text/plain; charset=utf-8");

macro_rules! guides {
    ($($name:literal: $title:literal,)*) => {
        &[$(Guide {
            name: $name,
            title: $title,
            text: include_str!(concat!("../../../../docs/guides/", $name)),
        },)*]
    };
}

struct Guide {
    name: &'static str,
    title: &'static str,
    text: &'static str,
}

const GUIDES: &[Guide] = guides! {
    "README.md": "Before you begin",
    "make-a-book.md": "Make a book",
    "own-artwork.md": "Use your own artwork",
    "webhooks.md": "Receive events",
    "test-keys.md": "Test an integration",
    "print.md": "Print a book at home, at Amazon KDP, and at Lulu",
    "agents.md": "Let an agent make a book over MCP",
};

/// The pages, made at the first request from the document, and then cached.
#[derive(Clone)]
struct Made {
    reference: Arc<OnceLock<Reference>>,
    document: fn(&App) -> serde_json::Value,
}

impl Made {
    fn get(&self, app: &App) -> Result<&Reference> {
        if let Some(reference) = self.reference.get() {
            return Ok(reference);
        }
        let made = Reference::of(&(self.document)(app), &site(app));
        let made = made.map_err(|error| Error::internal(error.to_string()))?;
        Ok(self.reference.get_or_init(|| made))
    }
}

fn site(app: &App) -> Site {
    Site {
        name: appearance::name(),
        styles: vec![assets::url("style.css"), assets::url("reference.css")],
        script: assets::url("reference.js"),
        icon: assets::url("icon.svg"),
        url: app.config.public_url.as_str().trim_end_matches('/').to_owned(),
        guides: GUIDES.iter().map(|guide| (guide.name, guide.title)).collect(),
    }
}

/// The pages below the base path, and `llms.txt` at the root.
pub(super) fn routers(document: fn(&App) -> serde_json::Value) -> (Router<App>, Router<App>) {
    let made = Made {
        reference: Arc::default(),
        document,
    };
    let (of_index, of_page, of_llms) = (made.clone(), made.clone(), made);
    let index = async move |State(app): State<App>| page(HTML, of_index.get(&app)?.index());
    let named = async move |State(app): State<App>, Path(name): Path<String>| {
        if let Some(guide) = GUIDES.iter().find(|guide| guide.name == name) {
            return page(TEXT, &without_outer_links(guide.text));
        }
        let reference = of_page.get(&app)?;
        page(HTML, reference.page(&name).ok_or_else(Failure::unknown_address)?)
    };
    let llms = async move |State(app): State<App>| page(TEXT, of_llms.get(&app)?.llms());
    (
        Router::new()
            .route("/docs", get(index))
            .route("/docs/{name}", get(named)),
        Router::new().route("/llms.txt", get(llms)),
    )
}

fn page(media_type: (HeaderName, &str), text: &str) -> Reply<Response> {
    Ok(([POLICY, CACHING, media_type], text.to_owned()).into_response())
}
