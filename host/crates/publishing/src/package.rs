//! All files of a book for one printer, as a ZIP archive: interior, cover, the front as a picture, thumbnails, the
//! listing kit, and a text that explains them.
use std::pin::pin;

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use linepress_print::Excerpt;
use linepress_printers::{Area, CoverSheet, Direction, Edition, Paper, Part, Size, cover_sheet};

use super::archive::{File, archive};
use super::listing;
use super::readme::readme;
use super::spool::{Spool, SpooledFile};
use linepress_accounts::caller::Caller;
use linepress_core::artwork;
use linepress_core::books::{self, Book, ChosenFormat};
use linepress_core::downloads::{self, Target};
use linepress_core::print::{self, PrintOptions};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::file_name::FileName;
use linepress_platform::ids::{BookId, PageId};

/// The longer side of the picture of the front, in pixels. Source: KDP, "Cover Image Guidelines": 2,560 x 1,600 pixels
/// are ideal, and 1,000 x 625 the least.
const FRONT_PIXELS: u16 = 2_560;
/// The longer side and the size of a thumbnail.
const THUMBNAIL_PIXELS: u32 = 640;
const MAX_THUMBNAIL_BYTES: usize = 80_000;
/// The number of thumbnails that are made at a time.
const CONCURRENT_THUMBNAILS: usize = 2;
/// How often a package is made when its book changes meanwhile. Its PDFs are in the cache the second time, unless they
/// show the change.
const MAX_TRIES: u32 = 2;

/// A package that is being sent.
pub struct Package {
    /// The file name: title, format and edition.
    pub file_name: FileName,
    pub chunks: BoxStream<'static, std::io::Result<Bytes>>,
}

/// Makes the package of the caller's book for a printer. Everything but the interior is made before this returns; the
/// interior is read while the package is sent. The part in the options is ignored. None if the book does not exist.
pub async fn package(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Package>> {
    caller.require_reading()?;
    for _ in 0..MAX_TRIES {
        let Some(parts) = Parts::of_book(app, caller, id, options).await? else {
            return Ok(None);
        };
        let Some(package) = parts.pack(app, caller, options.edition).await? else {
            return Ok(None);
        };
        if let Some(book) = books::get(app, caller, id).await?
            && shows_the_same(&book, &parts.book)
        {
            return Ok(Some(package));
        }
    }
    Err(changed_meanwhile())
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
        // Before the number of pages is counted, so that a change in between is noticed at the end.
        let Some(book) = books::get(app, caller, id).await? else {
            return Ok(None);
        };
        // The format is chosen once: interior and cover must have the same.
        let wanted = part(Part::Cover, options.format.clone());
        let Some(format) = books::chosen_format(app, caller, id, &wanted).await? else {
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

    /// Makes all files. None if the book does not exist any more.
    async fn pack(&self, app: &App, caller: &Caller, edition: Edition) -> Result<Option<Package>> {
        let end = format!("-{}-{edition}", self.format.offered.format.id);
        let folder = FileName::new(&self.book.title, "coloring-book", &end).plain;
        let mut spool = Spool::new(app.importer.create_file().map_err(Error::unavailable)?);
        let text = readme(&self.book, edition, &self.format, self.pages, &self.sheet);
        let listing = listing::of_book(app, caller, &self.book).await?;
        let mut files = vec![spool.add("README.txt", text.into()).await?];
        let Some((cover, front)) = self.cover_and_front(app, caller, &mut spool).await? else {
            return Ok(None);
        };
        files.extend([
            cover,
            front,
            spool.add("kdp-kit.txt", listing.text().into()).await?,
            spool
                .add("kdp-kit.json", serde_json::to_vec_pretty(&listing)?.into())
                .await?,
        ]);
        files.extend(self.thumbnails(app, caller, &mut spool).await?);
        // Opened last, because it takes one of the account's places for transfers, which the archive holds until it was
        // sent.
        let Some((interior, place)) = books::open_pdf(app, caller, &self.book.id, &self.interior).await? else {
            return Ok(None);
        };
        let interior = File {
            name: "interior.pdf".to_owned(),
            content: interior.object.chunks,
        };
        let mut files: Vec<File> = files.into_iter().map(|file| spool.read(file)).collect();
        files.insert(1, interior);
        let held = archive(&folder, files).map(move |chunk| {
            let _ = &place;
            chunk
        });
        Ok(Some(Package {
            file_name: FileName::new(&self.book.title, "coloring-book", &format!("{end}.zip")),
            chunks: held.boxed(),
        }))
    }

    /// Adds the PDF of the cover, and its front as a JPEG. None if the book does not exist any more.
    async fn cover_and_front(
        &self,
        app: &App,
        caller: &Caller,
        spool: &mut Spool,
    ) -> Result<Option<(SpooledFile, SpooledFile)>> {
        let Some(cover) = books::pdf(app, caller, &self.book.id, &self.cover).await? else {
            return Ok(None);
        };
        let front = [excerpt(&self.sheet)];
        let (cover, front) = print::excerpts_of(app, caller.account_id(), cover.object, &front).await?;
        Ok(Some((
            spool.add("cover.pdf", cover).await?,
            spool.add("front.jpg", front).await?,
        )))
    }

    /// Adds the drawings in small, in the order of printing.
    async fn thumbnails(&self, app: &App, caller: &Caller, spool: &mut Spool) -> Result<Vec<SpooledFile>> {
        let pages = self.book.pages.iter().map(|page| (page.id.clone(), page.position));
        let pages: Vec<(PageId, i64)> = pages.collect();
        let each = stream::iter(pages).map(|(id, position)| async move {
            let picture = thumbnail(app, caller, id).await?;
            Ok::<_, Error>(picture.map(|picture| (position, picture)))
        });
        let mut made = pin!(each.buffered(CONCURRENT_THUMBNAILS));
        let mut files = Vec::new();
        while let Some(made) = made.try_next().await? {
            if let Some((position, picture)) = made {
                files.push(spool.add(&format!("pages/page-{position:03}.png"), picture).await?);
            }
        }
        Ok(files)
    }
}

fn sheet(book: &Book, format: &ChosenFormat, edition: Edition, pages: u32) -> Option<CoverSheet> {
    let trim = Size::trimmed(&format.offered.format);
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
        page: 0,
        left: f64::from(x + sheet.bleed) / width,
        top: f64::from(y + sheet.bleed) / height,
        width: f64::from(sheet.front.width) / width,
        height: f64::from(sheet.front.height) / height,
        longest_side: FRONT_PIXELS,
    }
}

/// None if the page was deleted meanwhile.
async fn thumbnail(app: &App, caller: &Caller, id: PageId) -> Result<Option<Bytes>> {
    let Some(picture) = downloads::picture(app, caller, &Target::PageImage(id)).await? else {
        return Ok(None);
    };
    let turn = app.importer.acquire_turn(caller.account_id()).await?;
    let small = app
        .importer
        .thumbnail(turn, picture, THUMBNAIL_PIXELS, MAX_THUMBNAIL_BYTES)
        .await;
    Ok(Some(small.map_err(artwork::from_stored_artwork)?.into()))
}

/// True if both show the same texts and pictures. Pages change without a change of their book's time.
fn shows_the_same(one: &Book, other: &Book) -> bool {
    let pages = |book: &Book| -> Vec<_> {
        let pages = book.pages.iter();
        pages
            .map(|page| {
                let revision = page.image.as_ref().map(|image| image.revision);
                (page.id.clone(), page.title.clone(), revision)
            })
            .collect()
    };
    one.updated_at == other.updated_at && pages(one) == pages(other)
}

/// The files would not belong together.
fn changed_meanwhile() -> Error {
    ErrorKind::PrintingUnavailable {
        retry_after: std::time::Duration::from_secs(1),
    }
    .into()
}
