//! Pictures of the library: whole, and small for lists. Their addresses carry the revision, so that a browser keeps them.
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::BytesMut;
use futures::TryStreamExt as _;

use crate::app::App;
use crate::artwork::{self, Download, Image, ImageSize};
use crate::caller::Caller;
use crate::error::Error;
use crate::http::session::SignedIn;
use crate::http::{PathId, Reply, disposition, sent};
use crate::ids::{BookId, CharacterId, PageId};
use crate::{books, characters, pages};

/// Twice as wide as a card, for screens with small pixels.
const SMALL_SIDE: u32 = 640;
const SMALL_BYTES: usize = 80_000;

/// A picture as a page shows it.
pub(super) struct Picture {
    pub url: String,
    pub width: i64,
    pub height: i64,
}

impl Picture {
    /// The small one of what has its pages below `path`.
    pub(super) fn small(path: &str, image: Option<&Image>) -> Option<Self> {
        Self::of(path, "thumbnail", image)
    }

    pub(super) fn whole(path: &str, image: Option<&Image>) -> Option<Self> {
        Self::of(path, "image", image)
    }

    fn of(path: &str, kind: &str, image: Option<&Image>) -> Option<Self> {
        let image = image?;
        Some(Self {
            url: format!("/library/{path}/{kind}?revision={}", image.revision),
            width: image.width,
            height: image.height,
        })
    }
}

pub(super) async fn page(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<PageId>) -> Reply {
    whole(pages::image(&app, &signed_in.caller(), &id, ImageSize::Screen).await?)
}

pub(super) async fn small_page(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<PageId>) -> Reply {
    let caller = signed_in.caller();
    small(
        &app,
        &caller,
        pages::image(&app, &caller, &id, ImageSize::Screen).await?,
    )
    .await
}

/// As it is printed, to be kept as a file.
pub(super) async fn printed_page(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<PageId>) -> Reply {
    let printed = pages::image(&app, &signed_in.caller(), &id, ImageSize::Print).await?;
    let printed = printed.ok_or_else(missing)?;
    let headers = [
        (header::CONTENT_TYPE, printed.media_type),
        (
            header::CONTENT_DISPOSITION,
            disposition("attachment", &printed.file_name),
        ),
    ];
    Ok((headers, sent(printed.object)).into_response())
}

pub(super) async fn cover(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<BookId>) -> Reply {
    whole(books::cover_image(&app, &signed_in.caller(), &id).await?)
}

pub(super) async fn small_cover(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<BookId>) -> Reply {
    let caller = signed_in.caller();
    small(&app, &caller, books::cover_image(&app, &caller, &id).await?).await
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
    small(&app, &caller, characters::reference_image(&app, &caller, &id).await?).await
}

fn whole(download: Option<Download>) -> Reply {
    let Download { media_type, object, .. } = download.ok_or_else(missing)?;
    Ok(kept(
        ([(header::CONTENT_TYPE, media_type)], sent(object)).into_response(),
    ))
}

async fn small(app: &App, caller: &Caller, download: Option<Download>) -> Reply {
    let object = download.ok_or_else(missing)?.object;
    let whole = object.chunks.try_fold(BytesMut::new(), async |mut whole, chunk| {
        whole.extend_from_slice(&chunk);
        Ok(whole)
    });
    let whole = whole.await.map_err(Error::internal)?.freeze();
    let turn = app.importer.turn_of(&caller.account_id).await?;
    let small = app.importer.thumbnail(turn, whole, SMALL_SIDE, SMALL_BYTES).await;
    let small = small.map_err(artwork::from_stored_artwork)?;
    Ok(kept(([(header::CONTENT_TYPE, "image/png")], small).into_response()))
}

/// A browser keeps it for whoever is signed in now: after another sign-in it asks again.
fn kept(response: Response) -> Response {
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
