//! All files of a book for one printer, as a ZIP archive: interior, cover, the front as a picture, thumbnails, the listing kit,
//! and a text that explains them.
use bytes::{Bytes, BytesMut};
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use linepress_print::Excerpt;
use linepress_printers::{Area, CoverSheet, Direction, Edition, Paper, Part, Size, cover_sheet};

use super::archive::{File, archive};
use super::listing;
use super::readme::readme;
use linepress_accounts::caller::Caller;
use linepress_core::artwork::{self, ImageSize};
use linepress_core::books::{self, Book, ChosenFormat};
use linepress_core::pages;
use linepress_core::print::PrintOptions;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::file_name::FileName;
use linepress_platform::ids::{BookId, PageId};
use linepress_platform::storage::StoredObject;

/// The longer side of the picture of the front, in pixels. Source: KDP, "Cover Image Guidelines": 2,560 x 1,600 pixels are ideal,
/// and 1,000 x 625 the least.
const FRONT_PIXELS: u16 = 2_560;
/// The longer side and the size of a thumbnail.
const THUMBNAIL_PIXELS: u32 = 640;
const MAX_THUMBNAIL_BYTES: usize = 80_000;
/// The number of thumbnails that are made at a time.
const CONCURRENT_THUMBNAILS: usize = 2;

/// A package that is being sent.
pub struct Package {
    /// The file name: title, format and edition.
    pub file_name: FileName,
    pub chunks: BoxStream<'static, std::io::Result<Bytes>>,
}

/// Makes the package of the caller's book for a printer. Everything but the interior is made before this returns; the interior is
/// read while the package is sent. The part in the options is ignored. None if the book does not exist.
pub async fn package(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Package>> {
    caller.require_reading()?;
    let Some(parts) = Parts::of_book(app, caller, id, options).await? else {
        return Ok(None);
    };
    let listing = listing::of_book(app, caller, &parts.book).await?;
    let Some((cover, front)) = parts.cover_and_front(app, caller).await? else {
        return Ok(None);
    };
    let thumbnails = thumbnails(app, caller, &parts.book).await?;
    // It comes last, because it holds one of the account's places for transfers until it was sent.
    let Some(interior) = books::pdf(app, caller, id, &parts.interior).await? else {
        return Ok(None);
    };
    let book = books::get(app, caller, id).await?;
    if book.is_none_or(|book| book.updated_at != parts.book.updated_at) {
        return Err(changed_meanwhile());
    }
    let end = format!("-{}-{}", parts.format.offered.format.id, options.edition);
    let folder = FileName::new(&parts.book.title, "coloring-book", &end).plain;
    let file = |name: &str, content: Bytes| File::new(format!("{folder}/{name}"), content);
    let text = readme(
        &parts.book.title,
        options.edition,
        &parts.format,
        parts.pages,
        &parts.sheet,
    );
    let mut files = vec![
        file("README.txt", text.into()),
        File {
            name: format!("{folder}/interior.pdf"),
            content: interior.object.chunks,
        },
        file("cover.pdf", cover),
        file("front.jpg", front),
        file("kdp-kit.txt", listing.text().into()),
        file("kdp-kit.json", serde_json::to_vec_pretty(&listing)?.into()),
    ];
    let small = (1..).zip(thumbnails);
    files.extend(small.map(|(number, picture)| file(&format!("pages/page-{number:03}.png"), picture)));
    Ok(Some(Package {
        file_name: FileName::new(&parts.book.title, "coloring-book", &format!("{end}.zip")),
        chunks: archive(files),
    }))
}

/// Makes the PDFs of a package, which take the longest, unless the cache has them. None if the book does not exist.
pub async fn prepare(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<()>> {
    caller.require_reading()?;
    let Some(parts) = Parts::of_book(app, caller, id, options).await? else {
        return Ok(None);
    };
    // One after the other: each takes one of the account's places for transfers.
    let cover = books::pdf(app, caller, id, &parts.cover).await?.map(drop);
    let interior = books::pdf(app, caller, id, &parts.interior).await?.map(drop);
    Ok(cover.and(interior))
}

/// A book that can be packed.
struct Parts {
    book: Book,
    format: ChosenFormat,
    interior: PrintOptions,
    cover: PrintOptions,
    sheet: CoverSheet,
    pages: u32,
}

impl Parts {
    async fn of_book(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Self>> {
        let part = |part, format: Option<String>| PrintOptions {
            part: Some(part),
            format,
            ..options.clone()
        };
        // The format is chosen once: interior and cover must have the same.
        let wanted = part(Part::Cover, options.format.clone());
        let Some(format) = books::chosen_format(app, caller, id, &wanted).await? else {
            return Ok(None);
        };
        let Some(book) = books::get(app, caller, id).await? else {
            return Ok(None);
        };
        let chosen = Some(format.offered.format.id.clone());
        let (interior, cover) = (part(Part::Interior, chosen.clone()), part(Part::Cover, chosen));
        let pages = u32::try_from(format.page_count.unwrap_or_default()).unwrap_or(u32::MAX);
        let sheet = sheet(&book, &format, options.edition, pages);
        Ok(Some(Self {
            book,
            format,
            interior,
            cover,
            sheet: sheet.ok_or_else(|| Error::internal("a printer without a cover was accepted"))?,
            pages,
        }))
    }

    /// The PDF of the cover, and its front as a JPEG. None if the book does not exist any more.
    async fn cover_and_front(&self, app: &App, caller: &Caller) -> Result<Option<(Bytes, Bytes)>> {
        let Some(cover) = books::pdf(app, caller, &self.book.id, &self.cover).await? else {
            return Ok(None);
        };
        // A PDF in memory is large, so it shares the places of books that are being typeset, as a check does.
        let _place = app.printing.place(caller.account_id()).await;
        let cover = whole(cover.object).await?;
        let permit = app.renderer.permit().await;
        let front = permit.picture(cover.clone(), &excerpt(&self.sheet)).await;
        Ok(Some((cover, front.map_err(Error::internal)?.into())))
    }
}

fn sheet(book: &Book, format: &ChosenFormat, edition: Edition, pages: u32) -> Option<CoverSheet> {
    let trim = Size {
        width: format.offered.format.trim_width_um,
        height: format.offered.format.trim_height_um,
    };
    let sheet = cover_sheet(edition, trim, pages, Paper::White);
    match Direction::of_language(&book.language) {
        Direction::LeftToRight => sheet,
        Direction::RightToLeft => sheet.map(CoverSheet::mirrored),
    }
}

/// The front as a part of the cover's file, which has bleed on all sides.
fn excerpt(sheet: &CoverSheet) -> Excerpt {
    let whole = sheet.size.with_border(sheet.bleed);
    let (width, height) = (f64::from(whole.width), f64::from(whole.height));
    let Area { x, y, .. } = sheet.front;
    Excerpt {
        left: f64::from(x + sheet.bleed) / width,
        top: f64::from(y + sheet.bleed) / height,
        width: f64::from(sheet.front.width) / width,
        height: f64::from(sheet.front.height) / height,
        longest_side: FRONT_PIXELS,
    }
}

/// The drawings in small, in the order of printing.
async fn thumbnails(app: &App, caller: &Caller, book: &Book) -> Result<Vec<Bytes>> {
    let ids: Vec<PageId> = book.pages.iter().map(|page| page.id.clone()).collect();
    let each = stream::iter(ids).map(move |id| async move { thumbnail(app, caller, &id).await });
    let made = each.buffered(CONCURRENT_THUMBNAILS);
    made.try_filter_map(async |picture| Ok(picture)).try_collect().await
}

/// None if the page was deleted meanwhile.
async fn thumbnail(app: &App, caller: &Caller, id: &PageId) -> Result<Option<Bytes>> {
    let Some(image) = pages::image(app, caller, id, ImageSize::Screen).await? else {
        return Ok(None);
    };
    let picture = whole(image.object).await?;
    let turn = app.importer.acquire_turn(caller.account_id()).await?;
    let small = app
        .importer
        .thumbnail(turn, picture, THUMBNAIL_PIXELS, MAX_THUMBNAIL_BYTES)
        .await;
    Ok(Some(small.map_err(artwork::from_stored_artwork)?.into()))
}

async fn whole(object: StoredObject) -> Result<Bytes> {
    let bytes = BytesMut::with_capacity(usize::try_from(object.size).unwrap_or_default());
    let whole = object.chunks.try_fold(bytes, async |mut whole, chunk| {
        whole.extend_from_slice(&chunk);
        Ok(whole)
    });
    Ok(whole.await.map_err(Error::internal)?.freeze())
}

/// The files would not belong together.
fn changed_meanwhile() -> Error {
    ErrorKind::PrintingUnavailable {
        retry_after: std::time::Duration::from_secs(1),
    }
    .into()
}
