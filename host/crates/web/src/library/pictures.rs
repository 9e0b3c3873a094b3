//! Pictures of the library, whole and as thumbnails for lists. Their addresses contain the revision, so that browsers
//! can cache them.
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::BytesMut;
use futures::TryStreamExt as _;

use linepress_core::artwork::{self, Download, Image, ImageSize, uploads};
use linepress_core::{books, characters, pages};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply, file_headers, object_response};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::{AccountId, BookId, CharacterId, PageId, UploadId};

/// The longer side of a thumbnail, in pixels: twice the width of a card, for high-resolution screens.
const THUMBNAIL_PIXELS: u32 = 640;
const MAX_THUMBNAIL_BYTES: usize = 80_000;

/// A picture on a page.
pub(crate) struct Picture {
    pub url: String,
    pub width: i64,
    pub height: i64,
    /// A description of the picture; empty for none.
    pub description: String,
}

impl Picture {
    /// The thumbnail of the resource with its pictures below `path`.
    pub(super) fn small(path: &str, image: Option<&Image>) -> Option<Self> {
        Self::with_kind(path, "thumbnail", image)
    }

    pub(super) fn whole(path: &str, image: Option<&Image>) -> Option<Self> {
        Self::with_kind(path, "image", image)
    }

    fn with_kind(path: &str, kind: &str, image: Option<&Image>) -> Option<Self> {
        let image = image?;
        Some(Self {
            url: format!("/library/{path}/{kind}?revision={}", image.revision),
            width: image.width,
            height: image.height,
            description: image.alternative_text.clone().unwrap_or_default(),
        })
    }
}

pub(super) async fn page(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<PageId>) -> Reply {
    whole(pages::image(&app, &signed_in.caller(), &id, ImageSize::Screen).await?)
}

pub(super) async fn small_page(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<PageId>) -> Reply {
    let caller = signed_in.caller();
    let image = pages::image(&app, &caller, &id, ImageSize::Screen).await?;
    small(&app, caller.account_id(), image).await
}

/// Sends the picture as it is printed, as a file to save.
pub(super) async fn printed_page(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<PageId>) -> Reply {
    let printed = pages::image(&app, &signed_in.caller(), &id, ImageSize::Print).await?;
    let printed = printed.ok_or_else(missing)?;
    let headers = file_headers(printed.media_type, "attachment", &printed.file_name);
    Ok((headers, object_response(printed.object)).into_response())
}

pub(super) async fn cover(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<BookId>) -> Reply {
    whole(books::cover_image(&app, &signed_in.caller(), &id).await?)
}

pub(super) async fn small_cover(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<BookId>) -> Reply {
    let caller = signed_in.caller();
    let image = books::cover_image(&app, &caller, &id).await?;
    small(&app, caller.account_id(), image).await
}

pub(super) async fn character(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<CharacterId>) -> Reply {
    whole(characters::reference_image(&app, &signed_in.caller(), &id).await?)
}

pub(super) async fn small_character(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<CharacterId>,
) -> Reply {
    let caller = signed_in.caller();
    let image = characters::reference_image(&app, &caller, &id).await?;
    small(&app, caller.account_id(), image).await
}

/// Sends a thumbnail of a photograph that a person chose for a page of a plan.
pub(super) async fn small_upload(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<UploadId>) -> Reply {
    let caller = signed_in.caller();
    let small = uploads::thumbnail(&app, &caller, &id, THUMBNAIL_PIXELS, MAX_THUMBNAIL_BYTES).await?;
    let small = small.ok_or_else(missing)?;
    Ok(cached(([(header::CONTENT_TYPE, "image/png")], small).into_response()))
}

pub(crate) fn whole(download: Option<Download>) -> Reply {
    let Download { media_type, object, .. } = download.ok_or_else(missing)?;
    Ok(cached(
        ([(header::CONTENT_TYPE, media_type)], object_response(object)).into_response(),
    ))
}

/// Sends a thumbnail of a picture of this account.
pub(crate) async fn small(app: &App, account: &AccountId, download: Option<Download>) -> Reply {
    let object = download.ok_or_else(missing)?.object;
    // Before the picture is read into memory.
    let turn = app.importer.acquire_turn(account).await?;
    let whole = object.chunks.try_fold(BytesMut::new(), async |mut whole, chunk| {
        whole.extend_from_slice(&chunk);
        Ok(whole)
    });
    let whole = whole.await.map_err(Error::internal)?.freeze();
    let small = app
        .importer
        .thumbnail(turn, whole, THUMBNAIL_PIXELS, MAX_THUMBNAIL_BYTES)
        .await;
    let small = small.map_err(artwork::from_stored_artwork)?;
    Ok(cached(([(header::CONTENT_TYPE, "image/png")], small).into_response()))
}

/// Lets the browser cache the picture. Because of `Vary: Cookie` it asks again after another sign-in.
pub(super) fn cached(response: Response) -> Response {
    let headers = [
        (header::CACHE_CONTROL, "private, max-age=604800, immutable"),
        (header::VARY, "Cookie"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; frame-ancestors 'none'",
        ),
    ];
    (headers, response).into_response()
}

fn missing() -> Error {
    Error::not_found("picture")
}
