//! `/assets/{version}/{name}`: the styles, scripts, fonts and pictures of the web pages, compiled into the program.
//!
//! The version is a digest of all of them, so that a browser can cache a file forever and never combines an old file
//! with a new page.
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest as _, Sha256};

use super::Failure;
use linepress_platform::app::App;

struct Asset {
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal: $media_type:literal,)*) => {
        &[$(Asset {
            name: $name,
            media_type: $media_type,
            bytes: include_bytes!(concat!("../assets/", $name)),
        },)*]
    };
}

const ASSETS: &[Asset] = assets! {
    "style.css": "text/css; charset=utf-8",
    "consent.js": "text/javascript; charset=utf-8",
    "script.js": "text/javascript; charset=utf-8",
    "library.js": "text/javascript; charset=utf-8",
    "reference.css": "text/css; charset=utf-8",
    "reference.js": "text/javascript; charset=utf-8",
    "nunito.woff2": "font/woff2",
    "nunito-bold.woff2": "font/woff2",
    "baloo2-bold.woff2": "font/woff2",
    "icon.svg": "image/svg+xml",
    // The same in 256 x 256 pixels, for agents that show no SVG.
    "icon.png": "image/png",
    "scribble.svg": "image/svg+xml",
};

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for asset in ASSETS {
        hash.update(asset.bytes);
    }
    hex::encode(&hash.finalize()[..8])
});

/// The routes of the assets, for every interface that shows pages.
pub fn router() -> Router<App> {
    Router::new().route("/assets/{version}/{name}", get(send))
}

/// The path of an asset, for templates.
pub fn url(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

/// The `Cache-Control` of a file whose address contains its version. During a rolling update a page from one node may
/// request its assets from another node. That node's files must not be cached under the first node's version.
pub(super) fn caching(is_own_version: bool) -> &'static str {
    if is_own_version {
        "public, max-age=31536000, immutable"
    } else {
        "no-store"
    }
}

async fn send(path: Result<Path<(String, String)>, PathRejection>) -> Response {
    let Ok(Path((version, name))) = path else {
        return Failure::unknown_address().into_response();
    };
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return Failure::unknown_address().into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, caching(version == *VERSION)),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, asset.bytes).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_that_the_styles_load_exist() {
        let styles = include_str!("../assets/style.css");
        let named = styles.split("url(\"").skip(1).filter_map(|rest| rest.split('"').next());
        let mut count = 0;
        for name in named {
            assert!(ASSETS.iter().any(|asset| asset.name == name), "{name}");
            count += 1;
        }
        assert!(count >= 3, "the styles load fonts");
        for asset in ASSETS {
            assert!(!asset.bytes.is_empty(), "{}", asset.name);
        }
    }
}
