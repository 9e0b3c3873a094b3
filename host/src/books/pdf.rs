//! The print-ready PDF of a book: made once, cached under a key of its content, then only read.
use linepress_model::Aspect;
use linepress_preflight::Report;
use linepress_print::Purpose;
use linepress_printers::{Backs, Edition};

use super::manuscript::manuscript;
use super::store;
use crate::app::App;
use crate::artwork::{Status, transfers};
use crate::caller::Caller;
use crate::error::{Detail, ErrorKind, FormatMismatch, Result};
use crate::file_name::FileName;
use crate::ids::{BookId, OperationId};
use crate::print::{self, OfferedFormat, PrintChoice, PrintOptions};
use crate::storage::StoredObject;

/// A finished PDF.
#[derive(Debug)]
pub(crate) struct Pdf {
    pub object: StoredObject,
    /// What to call the file: the title and the format.
    pub file_name: FileName,
}

/// A PDF of the caller's book.
pub(crate) async fn pdf(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Pdf>> {
    let Some(Printable { request, file_name }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let place = transfers::place(app, &caller.account_id).await?;
    let object = print::pdf_of(app, &request, app.config.response_limit()).await?;
    Ok(Some(Pdf {
        object: transfers::holding(object, place),
        file_name,
    }))
}

/// What a printer would find wrong with that PDF.
pub(crate) async fn print_check(
    app: &App,
    caller: &Caller,
    id: &BookId,
    options: &PrintOptions,
) -> Result<Option<Report>> {
    let Some(Printable { request, .. }) = printable(app, caller, id, options).await? else {
        return Ok(None);
    };
    let place = transfers::place(app, &caller.account_id).await?;
    let report = print::check(app, &request, app.config.response_limit()).await?;
    drop(place);
    Ok(Some(report))
}

/// Every printer and size for the caller's book as it is now, with those that do not work.
pub(crate) async fn print_choices(
    app: &App,
    caller: &Caller,
    id: &BookId,
    backs: Backs,
) -> Result<Option<Vec<PrintChoice>>> {
    let pool = &app.database.read;
    let Some(book) = store::find(pool, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    Ok(Some(print::choices(app, &manuscript(book, pages), backs).await))
}

/// A book that is ready to be printed, and what to call the file.
struct Printable {
    request: print::PrintRequest,
    file_name: FileName,
}

async fn printable(app: &App, caller: &Caller, id: &BookId, options: &PrintOptions) -> Result<Option<Printable>> {
    let pool = &app.database.read;
    let Some(book) = store::find(pool, &caller.account_id, id).await? else {
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
        account: caller.account_id.clone(),
        book: id.clone(),
        manuscript,
        offered,
        purpose,
    };
    Ok(Some(Printable { request, file_name }))
}

/// `-us_letter.pdf` at home, where there is one file, `-us_letter-kdp-cover.pdf` elsewhere.
fn file_name_end(offered: &OfferedFormat, purpose: Purpose) -> String {
    let format = &offered.format.id;
    match purpose {
        Purpose {
            edition: Edition::Home, ..
        } => format!("-{format}.pdf"),
        Purpose { edition, part, .. } => format!("-{format}-{edition}-{part}.pdf"),
    }
}

/// The formats that a PDF may be made in: the one that was asked for, or all of the book's aspect.
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
            field: format!("pages[{index}]"),
            message: format!(
                "{} is {}{}",
                page.id,
                page.status,
                by(page.active_operation_id.as_ref())
            ),
        })
        .collect();
    if book.cover_status == Status::Generating {
        details.push(Detail {
            field: "cover".into(),
            message: format!("is generating{}", by(book.active_operation_id.as_ref())),
        });
    }
    if !details.is_empty() || pages.is_empty() {
        return Err(ErrorKind::BookNotReady(details).into());
    }
    Ok(())
}

/// The operation to wait for.
fn by(operation: Option<&OperationId>) -> String {
    operation.map(|id| format!(", by {id}")).unwrap_or_default()
}
