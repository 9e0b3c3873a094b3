//! The print-ready PDF of a book, which `print` makes once and caches.
use linepress_model::Aspect;
use linepress_preflight::Report;
use linepress_print::Purpose;
use linepress_printers::{Backs, Edition};

use super::manuscript::manuscript;
use super::store;
use crate::app::App;
use crate::artwork::{Status, transfers};
use crate::caller::Caller;
use crate::print::{self, OfferedFormat, PrintChoice, PrintOptions};
use linepress_platform::error::{Detail, ErrorKind, FormatMismatch, Result};
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

/// Opens a PDF of the caller's book, which is made first if necessary. None if the book does not exist.
pub async fn pdf(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Pdf>> {
    caller.require_reading()?;
    let Some(Printable { request, file_name }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let place = transfers::place(app, caller.account_id()).await?;
    let object = print::pdf_of(app, &request, app.config.response_limit()).await?;
    Ok(Some(Pdf {
        object: transfers::hold_place(object, place),
        file_name,
    }))
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
    let candidates = choose(print::formats(app), aspect, options.format.as_deref())?;
    let purpose = options.purpose()?;
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    check_ready(&book, &pages)?;

    let title = book.title.clone();
    let manuscript = manuscript(book, pages);
    let offered = print::default_format(candidates, &manuscript, purpose).await;
    let aspect = aspect.as_str();
    let offered = offered.ok_or(ErrorKind::FormatMismatch(FormatMismatch::NoFormat { aspect }))?;
    let file_name = FileName::new(&title, "coloring-book", &file_name_end(&offered, purpose));
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
fn file_name_end(offered: &OfferedFormat, purpose: Purpose) -> String {
    let format = &offered.format.id;
    match purpose {
        Purpose {
            edition: Edition::Home, ..
        } => format!("-{format}.pdf"),
        Purpose { edition, part, .. } => format!("-{format}-{edition}-{part}.pdf"),
    }
}

/// The formats to choose from: the requested one, or all formats of the book's aspect.
fn choose(formats: Vec<OfferedFormat>, aspect: Aspect, wanted: Option<&str>) -> Result<Vec<OfferedFormat>> {
    let known = || {
        let matching = formats.iter().filter(|offered| offered.format.aspect == aspect);
        matching.map(|offered| offered.format.id.clone()).collect()
    };
    let Some(wanted) = wanted else {
        return Ok(formats
            .into_iter()
            .filter(|offered| offered.format.aspect == aspect)
            .collect());
    };
    let Some(offered) = formats.iter().find(|offered| offered.format.id == wanted) else {
        return Err(ErrorKind::UnknownPrintFormat {
            known: known(),
            edition: Edition::parse(wanted),
        }
        .into());
    };
    if offered.format.aspect != aspect {
        let mismatch = FormatMismatch::OtherAspect {
            format: offered.format.id.clone(),
            format_aspect: offered.format.aspect.as_str(),
            book_aspect: aspect.as_str(),
            known: known(),
        };
        return Err(ErrorKind::FormatMismatch(mismatch).into());
    }
    Ok(vec![offered.clone()])
}

fn check_ready(book: &store::BookRow, pages: &[store::PageRow]) -> Result<()> {
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
    if book.cover_status == Status::Generating {
        details.push(Detail {
            field: Field::cover(),
            message: format!("is generating{}", operation_suffix(book.active_operation_id.as_ref())),
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
