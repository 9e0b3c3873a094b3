//! The print-ready PDF of a book, which `print` makes once and caches.
use std::ops::RangeInclusive;

use bytes::Bytes;
use linepress_model::{Aspect, PrintFormat};
use linepress_preflight::Report;
use linepress_print::Purpose;
use linepress_printers::{Backs, Edition, Part};

use super::manuscript::manuscript;
use super::store;
use crate::artwork::{Status, transfers};
use crate::print::{self, OfferedFormat, OpenPdf, PrintChoice, PrintOptions};
use linepress_accounts::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::error::{Detail, ErrorKind, FormatMismatch, Result};
use linepress_platform::fair_share::Permit;
use linepress_platform::field::Field;
use linepress_platform::file_name::FileName;
use linepress_platform::ids::{BookId, OperationId};
use linepress_platform::storage::StoredObject;

/// A finished PDF.
#[derive(Debug)]
pub struct Pdf {
    pub object: StoredObject,
    /// The file name: title and format.
    pub file_name: FileName,
}

/// The format in which a book is printed.
#[derive(Debug)]
pub struct ChosenFormat {
    pub offered: OfferedFormat,
    /// The number of pages of the book, blank ones included. None when its layout fails.
    pub page_count: Option<usize>,
}

/// The format in which these options print the caller's book. None if the book does not exist.
pub async fn chosen_format(
    app: &App,
    caller: &Caller,
    id: &BookId,
    options: &PrintOptions,
) -> Result<Option<ChosenFormat>> {
    caller.require_reading()?;
    let Some(Printable { request, .. }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    Ok(Some(ChosenFormat {
        page_count: print::page_count(&request).await,
        offered: request.offered,
    }))
}

/// The pages of a PDF, for a preview.
#[derive(Debug)]
pub struct PrintedPages {
    /// The title of the book.
    pub title: String,
    /// The language of the book, which decides on which side it begins.
    pub language: String,
    pub format: PrintFormat,
    pub part: Part,
    pub page_count: usize,
    /// A text that changes with the contents of the PDF.
    pub version: String,
}

/// The pages of the PDF of the caller's book with these options, which is made first if necessary. None if the book
/// does not exist.
pub async fn printed_pages(
    app: &App,
    caller: &Caller,
    id: &BookId,
    options: &PrintOptions,
) -> Result<Option<PrintedPages>> {
    caller.require_reading()?;
    let Some(Printable { request, .. }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let place = transfers::place(app, caller.account_id()).await?;
    // A book that cannot be printed is refused before a page is shown.
    let OpenPdf { version, .. } = print::pdf_of(app, &request, app.config.response_limit()).await?;
    drop(place);
    let part = request.purpose.part;
    Ok(Some(PrintedPages {
        page_count: page_count(&request).await?,
        version,
        part,
        title: request.manuscript.title,
        language: request.manuscript.language,
        format: request.offered.format,
    }))
}

/// The number of pages that are visible at once when a book is open.
const OPEN_PAGES: usize = 2;

/// One or two neighboring pages of the PDF of the caller's book, by their numbers from 1, side by side as a JPEG, and
/// the version of the PDF. None if the book or a page does not exist.
pub async fn picture_of_pages(
    app: &App,
    caller: &Caller,
    id: &BookId,
    options: &PrintOptions,
    pages: RangeInclusive<usize>,
) -> Result<Option<(Bytes, String)>> {
    caller.require_reading()?;
    let Some(Printable { request, .. }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let (first, last) = pages.into_inner();
    let can_be_open = first <= last && last - first < OPEN_PAGES;
    if !can_be_open || first == 0 || last > page_count(&request).await? {
        return Ok(None);
    }
    let _place = transfers::place(app, caller.account_id()).await?;
    let pictured = print::picture(app, &request, first - 1..=last - 1, app.config.response_limit()).await?;
    Ok(Some(pictured))
}

/// The number of pages of a PDF. Fails if the layout cannot lay out the book.
async fn page_count(request: &print::PrintRequest) -> Result<usize> {
    match request.purpose.part {
        Part::Cover => Ok(1),
        Part::Interior | Part::Book => print::count_pages(request).await,
    }
}

/// Opens a PDF of the caller's book, which is made first if necessary. None if the book does not exist.
pub async fn pdf(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Pdf>> {
    caller.require_reading()?;
    let opened = open_pdf(app, caller, id, options).await?;
    Ok(opened.map(|(pdf, place)| Pdf {
        object: transfers::hold_place(pdf.object, place),
        ..pdf
    }))
}

/// Like [`pdf`], for a reply that does not end with the PDF: the reply holds the account's place for transfers until
/// all of it was sent.
pub async fn open_pdf(
    app: &App,
    caller: &Caller,
    id: &BookId,
    options: &PrintOptions,
) -> Result<Option<(Pdf, Permit)>> {
    caller.require_reading()?;
    let Some(Printable { request, file_name }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let place = transfers::place(app, caller.account_id()).await?;
    let OpenPdf { object, .. } = print::pdf_of(app, &request, app.config.response_limit()).await?;
    Ok(Some((Pdf { object, file_name }, place)))
}

/// The preflight report on a PDF of the caller's book. None if the book does not exist.
pub async fn print_check(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Report>> {
    caller.require_reading()?;
    let Some(Printable { request, .. }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let place = transfers::place(app, caller.account_id()).await?;
    let report = print::check(app, &request, app.config.response_limit()).await?;
    drop(place);
    Ok(Some(report))
}

/// The index of the book's page that is drawn on each page inside it, with these options; None for a page without a
/// drawing. None if the book does not exist.
pub async fn printed_drawings(
    app: &App,
    caller: &Caller,
    id: &BookId,
    options: &PrintOptions,
) -> Result<Option<Vec<Option<usize>>>> {
    caller.require_reading()?;
    match printable(app, caller, id, options).await? {
        Some(Printable { request, .. }) => print::drawings_on_pages(&request).await.map(Some),
        None => Ok(None),
    }
}

/// Every printer and size for the caller's book as it is now, including those that do not work. None if the book does
/// not exist.
pub async fn print_choices(app: &App, caller: &Caller, id: &BookId, backs: Backs) -> Result<Option<Vec<PrintChoice>>> {
    caller.require_reading()?;
    let pool = &app.database.read;
    let Some(book) = store::find(pool, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    Ok(Some(print::choices(app, &manuscript(book, pages), backs).await))
}

/// A book that is ready to be printed, and the name of its file.
struct Printable {
    request: print::PrintRequest,
    file_name: FileName,
}

async fn printable(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Printable>> {
    let pool = &app.database.read;
    let Some(book) = store::find(pool, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let aspect = book.aspect;
    let wanted = options.format.as_deref();
    let candidates = choose(print::formats(app).to_vec(), |offered| &offered.format, aspect, wanted)?;
    let purpose = options.purpose()?;
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    check_ready(book.cover_status, book.active_operation_id.as_ref(), &pages)?;

    let title = book.title.clone();
    let mut manuscript = manuscript(book, pages);
    if purpose.part != Part::Cover {
        // Other parts do not change with it.
        manuscript.isbn.clear();
    }
    let offered = print::default_format(candidates, &manuscript, purpose).await;
    let aspect = aspect.as_str();
    let offered = offered.ok_or(ErrorKind::FormatMismatch(FormatMismatch::NoFormat { aspect }))?;
    let file_name = FileName::new(&title, "coloring-book", &file_name_end(&offered.format.id, purpose));
    let request = print::PrintRequest {
        account: caller.account_id().clone(),
        book: id.clone(),
        manuscript,
        offered,
        purpose,
    };
    Ok(Some(Printable { request, file_name }))
}

/// The end of the file name: `-us_letter.pdf` for the home edition, which is one file, and for example
/// `-us_letter-kdp-cover.pdf` for the others.
fn file_name_end(format: &str, purpose: Purpose) -> String {
    match purpose {
        Purpose {
            edition: Edition::Home, ..
        } => format!("-{format}.pdf"),
        Purpose { edition, part, .. } => format!("-{format}-{edition}-{part}.pdf"),
    }
}

/// The formats to choose from: the requested one, or all formats of the book's aspect. `format` returns the format of
/// an item of `offered`.
fn choose<T>(
    offered: Vec<T>,
    format: impl Fn(&T) -> &PrintFormat,
    aspect: Aspect,
    wanted: Option<&str>,
) -> Result<Vec<T>> {
    let fits = |item: &T| format(item).aspect == aspect;
    let Some(wanted) = wanted else {
        return Ok(offered.into_iter().filter(fits).collect());
    };
    let known = |offered: &[T]| {
        let fitting = offered.iter().filter(|item| fits(item));
        fitting.map(|item| format(item).id.clone()).collect()
    };
    let Some(index) = offered.iter().position(|item| format(item).id == wanted) else {
        return Err(ErrorKind::UnknownPrintFormat {
            known: known(&offered),
            edition: Edition::parse(wanted),
        }
        .into());
    };
    if !fits(&offered[index]) {
        let chosen = format(&offered[index]);
        let mismatch = FormatMismatch::OtherAspect {
            format: chosen.id.clone(),
            format_aspect: chosen.aspect.as_str(),
            book_aspect: aspect.as_str(),
            known: known(&offered),
        };
        return Err(ErrorKind::FormatMismatch(mismatch).into());
    }
    Ok(offered.into_iter().skip(index).take(1).collect())
}

/// Checks that the book has pages, and that no drawing of it is missing. `operation` is the one that draws the cover,
/// if any.
fn check_ready(cover: Status, operation: Option<&OperationId>, pages: &[store::PageRow]) -> Result<()> {
    let mut details: Vec<Detail> = pages
        .iter()
        .enumerate()
        .filter(|(_, page)| page.status != Status::Ready)
        .map(|(index, page)| Detail {
            field: Field::pages().at(index),
            message: format!(
                "{} is {}{}",
                page.id,
                page.status,
                operation_suffix(page.active_operation_id.as_ref())
            ),
        })
        .collect();
    if cover == Status::Generating {
        details.push(Detail {
            field: Field::cover(),
            message: format!("is generating{}", operation_suffix(operation)),
        });
    }
    if !details.is_empty() || pages.is_empty() {
        return Err(ErrorKind::BookNotReady(details).into());
    }
    Ok(())
}

/// Names the operation to wait for, if there is one.
fn operation_suffix(operation: Option<&OperationId>) -> String {
    operation.map(|id| format!(", by {id}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use linepress_printers::Part;

    use super::*;
    use crate::artwork::ImageColumns;
    use linepress_platform::ids::PageId;

    fn format(id: &str, aspect: Aspect) -> PrintFormat {
        PrintFormat {
            id: id.into(),
            aspect,
            ..PrintFormat::default()
        }
    }

    fn chosen(wanted: Option<&str>) -> Result<Vec<String>> {
        let formats = vec![
            format("us_letter", Aspect::Portrait),
            format("square_8_5", Aspect::Square),
            format("a4", Aspect::Portrait),
        ];
        let chosen = choose(formats, |format| format, Aspect::Portrait, wanted)?;
        Ok(chosen.into_iter().map(|format| format.id).collect())
    }

    #[test]
    fn a_book_is_printed_in_the_requested_format_or_in_one_of_its_aspect() {
        assert_eq!(chosen(None).unwrap(), ["us_letter", "a4"]);
        assert_eq!(chosen(Some("a4")).unwrap(), ["a4"]);
    }

    #[test]
    fn a_format_that_is_unknown_or_of_another_aspect_is_rejected_with_those_that_fit() {
        let known = vec!["us_letter".to_owned(), "a4".to_owned()];
        let unknown = |edition| ErrorKind::UnknownPrintFormat {
            known: known.clone(),
            edition,
        };
        let other_aspect = FormatMismatch::OtherAspect {
            format: "square_8_5".into(),
            format_aspect: "square",
            book_aspect: "portrait",
            known: known.clone(),
        };
        for (wanted, kind) in [
            ("a5", unknown(None)),
            ("kdp", unknown(Some(Edition::Kdp))),
            ("square_8_5", ErrorKind::FormatMismatch(other_aspect)),
        ] {
            assert_eq!(chosen(Some(wanted)).unwrap_err().kind, kind, "{wanted}");
        }
    }

    #[test]
    fn the_name_of_a_file_ends_with_its_format_and_for_a_printer_with_edition_and_part() {
        for (edition, part, end) in [
            (Edition::Home, Part::Book, "-a4.pdf"),
            (Edition::Kdp, Part::Interior, "-a4-kdp-interior.pdf"),
            (Edition::Lulu, Part::Cover, "-a4-lulu-cover.pdf"),
        ] {
            let purpose = Purpose {
                edition,
                part,
                ..Purpose::default()
            };
            assert_eq!(file_name_end("a4", purpose), end);
        }
    }

    #[test]
    fn a_book_is_printed_once_all_its_drawings_are_there() {
        let page = |id: &str, status, operation: Option<&str>| store::PageRow {
            book_id: BookId::from_text("book_1"),
            id: PageId::from_text(id),
            title: String::new(),
            caption: String::new(),
            status,
            active_operation_id: operation.map(OperationId::from_text),
            master_key: None,
            image: ImageColumns {
                width: None,
                height: None,
                media_type: None,
                byte_size: None,
                revision: 0,
                alternative_text: None,
            },
        };
        let ready = || page("page_1", Status::Ready, None);
        let operation = OperationId::from_text("op_1");
        for (cover, pages, missing) in [
            (Status::Ready, vec![ready()], None),
            // A book may have no cover.
            (Status::Failed, vec![ready()], None),
            (Status::Ready, Vec::new(), Some("")),
            (Status::Generating, vec![ready()], Some("cover is generating, by op_1")),
            (
                Status::Generating,
                vec![
                    ready(),
                    page("page_2", Status::Failed, None),
                    page("page_3", Status::Generating, Some("op_2")),
                ],
                Some("pages[1] page_2 is failed; pages[2] page_3 is generating, by op_2; cover is generating, by op_1"),
            ),
        ] {
            let checked = check_ready(cover, Some(&operation), &pages);
            let complaint = checked.err().map(|error| {
                let details = error.details();
                let details = details
                    .iter()
                    .map(|detail| format!("{} {}", detail.field, detail.message));
                details.collect::<Vec<_>>().join("; ")
            });
            assert_eq!(complaint.as_deref(), missing);
        }
    }
}
