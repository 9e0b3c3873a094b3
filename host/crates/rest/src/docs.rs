//! The OpenAPI document as web pages: Swagger UI, served by the program itself, without any external resources.
use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderName, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use utoipa_swagger_ui::Config;

use linepress_http::{Failure, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Error;

/// Allows the styles that Swagger UI sets on its elements and its `data:` icons; everything else must come from this
/// server.
const POLICY: (HeaderName, &str) = (
    header::CONTENT_SECURITY_POLICY,
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// The page and the files that it loads, next to `openapi.json`.
pub(super) fn router() -> Router<App> {
    let config = Config::new(["openapi.json"])
        // Otherwise a badge would send the document's address to a validator on the internet.
        .validator_url("none")
        // Without the top bar, which only serves to open another document.
        .use_base_layout()
        .display_request_duration(true)
        .default_models_expand_depth(0);
    let config = Arc::new(config);
    let page = async || ([POLICY], Html(include_str!("docs.html")));
    let file = async move |Path(name): Path<String>| file(&name, &config);
    Router::new().route("/docs", get(page)).route("/docs/{file}", get(file))
}

fn file(name: &str, config: &Arc<Config<'static>>) -> Reply<Response> {
    let file = utoipa_swagger_ui::serve(name, config.clone()).map_err(|error| Error::internal(error.to_string()))?;
    let file = file.ok_or_else(Failure::unknown_address)?;
    // The files change only with a new version of the program, and the page works with files that are a day older.
    let caching = (header::CACHE_CONTROL, "public, max-age=86400".to_owned());
    Ok((
        [POLICY],
        [(header::CONTENT_TYPE, file.content_type), caching],
        file.bytes.into_owned(),
    )
        .into_response())
}
