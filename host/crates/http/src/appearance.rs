//! The name, logo and accent color of the settings in all web pages, and `/assets/own/{version}/{name}`: the files that
//! follow from them.
use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest as _, Sha256};

use super::Failure;
use super::assets::caching;
use linepress_platform::app::App;
use linepress_platform::appearance::{Accent, PRODUCT_NAME, Shade};

tokio::task_local! {
    /// The server that answers the request. Error pages are also rendered where no `App` is at hand, such as in the
    /// rejection of an extractor.
    static SERVER: App;
}

/// Provides the appearance to all pages that are rendered for a response.
pub async fn provide(app: App, respond: impl Future<Output = Response>) -> Response {
    SERVER.scope(app, respond).await
}

fn of_server<T>(read: impl FnOnce(&App) -> T) -> Option<T> {
    SERVER.try_with(read).ok()
}

/// The name of the server, in the frame and the title of a page.
pub fn name() -> String {
    of_server(|app| app.config.appearance.name.clone()).unwrap_or_else(|| PRODUCT_NAME.into())
}

/// The address of the logo, without the host.
pub struct LogoAddress {
    pub url: String,
    pub media_type: &'static str,
}

/// The address of the logo; `None` if the settings name none.
pub fn logo() -> Option<LogoAddress> {
    of_server(logo_of).flatten()
}

/// The address of this server's logo; `None` if the settings name none.
pub fn logo_of(app: &App) -> Option<LogoAddress> {
    let logo = app.logo.as_ref()?;
    Some(LogoAddress {
        url: url(&logo.version, LOGO),
        media_type: logo.media_type,
    })
}

/// The address of the style sheet with the accent color; `None` if the settings contain none.
pub fn accent_url() -> Option<String> {
    let sheet = of_server(|app| app.config.appearance.color.as_ref().map(style_sheet)).flatten()?;
    Some(url(&version(&sheet), ACCENT))
}

const LOGO: &str = "logo";
const ACCENT: &str = "accent.css";

fn url(version: &str, name: &str) -> String {
    format!("/assets/own/{version}/{name}")
}

fn version(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..8])
}

/// The variables of style.css that depend on the accent color, and the line below the current section, which is a
/// drawing of fixed color otherwise.
fn style_sheet(accent: &Accent) -> String {
    let variables =
        |Shade {
             background,
             text,
             hover,
         }: Shade| { format!("--accent: {background}; --on-accent: {text}; --accent-hover: {hover};") };
    let (light, dark) = (variables(accent.light), variables(accent.dark));
    format!(
        ":root {{ {light} --accent-line: var(--line); --accent-shadow: var(--line);\n  \
         --accent-wash: color-mix(in srgb, var(--accent) 14%, var(--paper)); }}\n\
         @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n\
         .sections a[aria-current] {{ background-image: linear-gradient(var(--accent) 0 0); background-size: 100% .3rem; }}\n"
    )
}

/// The routes of the logo and the style sheet.
pub fn router() -> Router<App> {
    Router::new().route("/assets/own/{version}/{name}", get(serve))
}

async fn serve(State(app): State<App>, path: Result<Path<(String, String)>, PathRejection>) -> Response {
    /// For an SVG that a visitor opens by itself: it may contain styles, and nothing else is loaded or run.
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    let Ok(Path((wanted, name))) = path else {
        return Failure::unknown_address().into_response();
    };
    let file = match name.as_str() {
        LOGO => app
            .logo
            .as_ref()
            .map(|logo| (logo.version.clone(), logo.media_type, logo.bytes.clone())),
        ACCENT => app.config.appearance.color.as_ref().map(|accent| {
            let sheet = style_sheet(accent);
            (version(&sheet), "text/css; charset=utf-8", sheet.into_bytes())
        }),
        _ => None,
    };
    let Some((version, media_type, bytes)) = file else {
        return Failure::unknown_address().into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CACHE_CONTROL, caching(wanted == version)),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, bytes).into_response()
}
