//! `/library/books/{id}/print_check`: the problems that a printer would find in the files of a book, with links to the
//! pages that have them.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use linepress_preflight::{Finding, PageRange, Report, Severity};
use linepress_printers::{Edition, Part};

use super::book_print::{reason, refused};
use super::form::check_plan;
use super::{print_panel, words};
use linepress_core::books::{self, Book};
use linepress_core::print::PrintOptions;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::ids::BookId;

/// The most ranges of pages that are listed for one finding.
const MAX_LISTED_RANGES: usize = 12;

#[derive(Template)]
#[template(path = "library/print_check.html")]
struct PrintCheckPage {
    frame: Frame,
    id: BookId,
    title: String,
    /// The address of the print panel, with the choices of this check.
    back: String,
    printer: &'static str,
    files: Vec<CheckedFile>,
}

/// The findings in one file.
struct CheckedFile {
    part: Part,
    name: &'static str,
    pages: String,
    findings: Vec<ShownFinding>,
    /// The reason why the file cannot be made.
    refusal: Option<String>,
    /// The address of the preview of the file.
    preview: String,
}

/// A finding, with links to its pages.
struct ShownFinding {
    severity: Severity,
    message: String,
    remedy: String,
    /// The word in front of the numbers, or in their place.
    place: &'static str,
    pages: Vec<NumberedPage>,
    /// True if the finding has more pages than are listed.
    has_more: bool,
}

/// A page of the file, in a list of numbers.
struct NumberedPage {
    /// The text between the number before it and its own.
    separator: &'static str,
    number: u32,
    /// The page of the book that is drawn on it.
    drawing: Option<Drawing>,
    preview: String,
}

/// A page of the book.
struct Drawing {
    url: String,
    title: String,
}

/// Shows the problems that a printer would find in the files of an edition.
pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(options): Query<PrintOptions>,
) -> Reply {
    check_plan(&signed_in)?;
    let caller = signed_in.caller();
    let book = books::get(&app, &caller, &id).await?.ok_or_else(missing)?;
    let of_part = |part: Part| PrintOptions {
        part: Some(part),
        ..options.clone()
    };
    let report = async |part: Part| books::print_check(&app, &caller, &id, &of_part(part)).await;
    let reports = match options.edition {
        Edition::Home => vec![(Part::Book, report(Part::Book).await)],
        Edition::Kdp | Edition::Lulu => {
            let (interior, cover) = tokio::join!(report(Part::Interior), report(Part::Cover));
            vec![(Part::Interior, interior), (Part::Cover, cover)]
        }
    };
    let mut files = Vec::with_capacity(reports.len());
    for (part, report) in reports {
        let preview = preview_address(&id, &of_part(part));
        files.push(match report {
            Err(error) if matches!(error.kind, ErrorKind::FormatMismatch(_)) => {
                CheckedFile::refused(part, &error, preview)
            }
            Err(error) => return refused(&app, &signed_in, &id, error).await,
            Ok(report) => {
                let report = report.ok_or_else(missing)?;
                let names_drawings = part != Part::Cover && report.findings.iter().any(|found| !found.pages.is_empty());
                let drawings = match names_drawings {
                    true => books::printed_drawings(&app, &caller, &id, &of_part(part)).await?,
                    false => None,
                };
                CheckedFile::from_report(report, preview, &book, &drawings.unwrap_or_default())
            }
        });
    }
    let view = PrintCheckPage {
        frame: signed_in.frame(Section::Books),
        printer: options.edition.name(),
        title: book.title,
        back: print_panel::address(&id, options.edition, options.backs),
        id,
        files,
    };
    Ok(page(StatusCode::OK, &view))
}

/// The address of the preview of the same file.
fn preview_address(id: &BookId, options: &PrintOptions) -> String {
    let PrintOptions {
        format,
        edition,
        backs,
        part,
    } = options;
    let format = format.as_ref().map(|format| format!("&format={format}"));
    let part = part.map(|part| format!("&part={part}"));
    let named = [format, part].into_iter().flatten().collect::<String>();
    format!("/library/books/{id}/preview?edition={edition}&backs={backs}{named}")
}

impl CheckedFile {
    /// `drawings` has the index of the page of the book that is drawn on each page of the file.
    fn from_report(report: Report, preview: String, book: &Book, drawings: &[Option<usize>]) -> Self {
        let numbered = |separator: &'static str, number: u32| {
            let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
            let drawn = index.and_then(|index| drawings.get(index).copied().flatten());
            let drawing = drawn.and_then(|index| book.pages.get(index)).map(|page| Drawing {
                url: format!("/library/pages/{}?book={}", page.id, book.id),
                title: page.title.clone(),
            });
            NumberedPage {
                separator,
                number,
                drawing,
                preview: format!("{preview}&page={number}#leaf"),
            }
        };
        let findings = report.findings.into_iter();
        Self {
            findings: findings.map(|finding| ShownFinding::new(finding, &numbered)).collect(),
            part: report.part,
            name: file_name(report.part),
            pages: words::pages(usize::try_from(report.page_count).unwrap_or(usize::MAX)),
            refusal: None,
            preview,
        }
    }

    fn refused(part: Part, error: &Error, preview: String) -> Self {
        Self {
            part,
            name: file_name(part),
            pages: String::new(),
            findings: Vec::new(),
            refusal: Some(reason(&error.kind)),
            preview,
        }
    }
}

impl ShownFinding {
    fn new(finding: Finding, numbered: &impl Fn(&'static str, u32) -> NumberedPage) -> Self {
        let mut pages = Vec::new();
        for &PageRange { first, last } in finding.pages.iter().take(MAX_LISTED_RANGES) {
            let separator = if pages.is_empty() { " " } else { ", " };
            pages.push(numbered(separator, first));
            if last > first {
                pages.push(numbered("-", last));
            }
        }
        Self {
            place: match pages.len() {
                0 => "file",
                1 => "page",
                _ => "pages",
            },
            has_more: finding.pages.len() > MAX_LISTED_RANGES,
            pages,
            severity: finding.severity,
            message: finding.message,
            remedy: finding.remedy,
        }
    }
}

fn file_name(part: Part) -> &'static str {
    match part {
        Part::Book => "The whole book",
        Part::Interior => "Interior",
        Part::Cover => "Cover",
    }
}

fn missing() -> Error {
    Error::not_found("book")
}
