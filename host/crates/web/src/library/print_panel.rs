//! The print panel of a book's page: where the book can be printed, and the sizes there, with links to the files that
//! can be made.
use linepress_printers::{Backs, Edition, INCH, Paper, Size, cover_sheet, fewest_pages_for_spine_text};

use super::words;
use linepress_accounts::caller::Caller;
use linepress_core::artwork::Status;
use linepress_core::books::{self, Book, BookStatus};
use linepress_core::print::PrintChoice;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;

/// The part of a book's page with its files for printing.
pub(super) struct PrintPanel {
    /// Everything in the recommended size of each printer, as one file. Empty if no printing service prints the book:
    /// the only file is then the one for a printer at home, which the panel shows anyway.
    pub downloads: Vec<WholeDownload>,
    pub printers: Vec<Printer>,
}

/// Everything that a printer needs, as one file.
pub(super) struct WholeDownload {
    pub words: &'static str,
    pub url: String,
    /// True for the printer whose sizes the panel shows.
    pub is_primary: bool,
}

/// The part of the panel that the user has chosen, which the address of the page names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PrintView {
    pub edition: Option<Edition>,
    pub backs: Option<Backs>,
}

impl PrintView {
    /// The choices of an address. Unknown words are ignored.
    pub(super) fn from_address(edition: Option<&str>, backs: Option<&str>) -> Self {
        Self {
            edition: edition.and_then(Edition::parse),
            backs: backs.and_then(Backs::parse),
        }
    }

    /// The query of the page's address; empty if nothing was chosen.
    pub(super) fn query(self) -> String {
        match (self.edition, self.backs) {
            (None, None) => String::new(),
            (edition, backs) => query(edition.unwrap_or_default(), backs.unwrap_or_default()),
        }
    }
}

/// The query of the address of a book's page with these choices in its print panel.
fn query(edition: Edition, backs: Backs) -> String {
    format!("?edition={edition}&backs={backs}")
}

/// The address of the print panel of a book with these choices.
pub(super) fn address(id: &BookId, edition: Edition, backs: Backs) -> String {
    format!("/library/books/{id}{}#print-{edition}", query(edition, backs))
}

/// A place where the book can be printed.
pub(super) struct Printer {
    pub edition: Edition,
    pub heading: &'static str,
    pub is_open: bool,
    pub backs: Vec<BacksChoice>,
    /// The recommended size, and at home the others of its layout.
    pub sizes: Vec<PrintSize>,
    pub others: Vec<PrintSize>,
    pub refused: Vec<RefusedSize>,
}

/// A size in which the book can be printed, and its files.
pub(super) struct PrintSize {
    pub name: String,
    pub is_recommended: bool,
    /// Its width and height.
    pub measures: String,
    /// The look of the layout, by which sizes of the same width and height differ.
    pub layout: String,
    pub pages: String,
    /// The width of the spine, and the reason for which it has no text. `None` at home.
    pub spine: Option<String>,
    pub files: Files,
    pub preview_url: String,
}

/// The files of a size.
pub(super) enum Files {
    Whole(WholeBook),
    Service(ServiceFiles),
}

/// The addresses of the file with the whole book, for a printer at home.
pub(super) struct WholeBook {
    pub url: String,
    /// The address at which the browser shows the file.
    pub shown_url: String,
}

/// The addresses of the files for a printing service.
pub(super) struct ServiceFiles {
    pub printer: &'static str,
    pub interior_url: String,
    pub cover_url: String,
    pub package_url: String,
    pub cover_refusal: Option<&'static str>,
    pub check_url: String,
}

/// A size in which the book cannot be printed.
pub(super) struct RefusedSize {
    pub name: String,
    pub reason: String,
}

/// An option for the backs of the drawings.
pub(super) struct BacksChoice {
    pub label: &'static str,
    pub url: String,
    pub is_chosen: bool,
}

impl PrintPanel {
    /// Builds the panel of a ready book. The backs are blank if the user has not chosen. `None` if the book does not
    /// exist.
    pub(super) async fn for_book(app: &App, caller: &Caller, id: &BookId, chosen: PrintView) -> Result<Option<Self>> {
        let backs = chosen.backs.unwrap_or_default();
        let Some(choices) = books::print_choices(app, caller, id, backs).await? else {
            return Ok(None);
        };
        let open = chosen.edition.unwrap_or_default();
        let of = |edition: Edition| -> Vec<&PrintChoice> {
            choices.iter().filter(|choice| choice.edition == edition).collect()
        };
        let printer = |edition: &Edition| Printer::new(id, *edition, backs, of(*edition), *edition == open);
        let whole = Edition::ALL.iter().filter_map(|edition| recommended(&of(*edition)));
        let whole: Vec<&PrintChoice> = whole.filter(|choice| choice.cover_refusal.is_none()).collect();
        let is_any_service = whole.iter().any(|choice| choice.edition != Edition::Home);
        let download = |choice: &PrintChoice| WholeDownload::new(id, choice, backs, choice.edition == open);
        Ok(Some(Self {
            downloads: match is_any_service {
                true => whole.into_iter().map(download).collect(),
                false => Vec::new(),
            },
            printers: Edition::ALL.iter().map(printer).collect(),
        }))
    }
}

impl WholeDownload {
    fn new(id: &BookId, choice: &PrintChoice, backs: Backs, is_primary: bool) -> Self {
        Self {
            words: match choice.edition {
                Edition::Home => "To print at home (PDF)",
                Edition::Kdp => "For Amazon KDP (ZIP)",
                Edition::Lulu => "For Lulu (ZIP)",
            },
            url: whole_address(id, choice, backs),
            is_primary,
        }
    }
}

/// The address of everything that a printer needs: the whole book for a printer at home, and an archive of all files
/// for a printing service.
pub(super) fn whole_address(id: &BookId, choice: &PrintChoice, backs: Backs) -> String {
    let format = &choice.format;
    match choice.edition {
        Edition::Home => format!("/library/books/{id}/pdf?format={format}&backs={backs}"),
        edition @ (Edition::Kdp | Edition::Lulu) => {
            format!("/library/books/{id}/package?format={format}&edition={edition}&backs={backs}")
        }
    }
}

/// Returns true if the files of the book can be made: neither a page nor the cover is being drawn.
pub(super) fn can_be_printed(book: &Book) -> bool {
    book.status == BookStatus::Ready && book.cover.status != Status::Generating
}

impl Printer {
    fn new(id: &BookId, edition: Edition, backs: Backs, choices: Vec<&PrintChoice>, is_open: bool) -> Self {
        let recommended = recommended(&choices);
        let mut printer = Self {
            edition,
            heading: match edition {
                Edition::Home => "Print it at home",
                Edition::Kdp => "Have it printed by Amazon KDP",
                Edition::Lulu => "Have it printed by Lulu",
            },
            is_open,
            backs: Backs::ALL
                .iter()
                .map(|other| backs_choice(id, edition, *other, backs))
                .collect(),
            sizes: Vec::new(),
            others: Vec::new(),
            refused: Vec::new(),
        };
        for choice in choices {
            if let Some(reason) = &choice.refusal {
                printer.refused.push(RefusedSize {
                    name: choice.format_name.clone(),
                    reason: reason.clone(),
                });
                continue;
            }
            let is_recommended = recommended.is_some_and(|best| best.format == choice.format);
            let is_alike = recommended.is_some_and(|best| best.layout == choice.layout);
            let size = PrintSize::new(id, backs, choice, is_recommended);
            if is_recommended {
                printer.sizes.insert(0, size);
            } else if edition == Edition::Home && is_alike {
                printer.sizes.push(size);
            } else {
                printer.others.push(size);
            }
        }
        printer
    }
}

/// The first size in which the printer prints the book with its cover, like the files of a request that names none.
pub(super) fn recommended<'a>(choices: &[&'a PrintChoice]) -> Option<&'a PrintChoice> {
    let printed = || choices.iter().copied().filter(|choice| choice.refusal.is_none());
    printed()
        .find(|choice| choice.cover_refusal.is_none())
        .or_else(|| printed().next())
}

impl PrintSize {
    fn new(id: &BookId, backs: Backs, choice: &PrintChoice, is_recommended: bool) -> Self {
        let count = choice.page_count.unwrap_or_default();
        let options = format!("format={}&edition={}&backs={backs}", choice.format, choice.edition);
        let files = match choice.edition {
            Edition::Home => {
                let url = whole_address(id, choice, backs);
                Files::Whole(WholeBook {
                    shown_url: format!("{url}&show=yes"),
                    url,
                })
            }
            edition => Files::Service(ServiceFiles {
                printer: edition.name(),
                interior_url: format!("/library/books/{id}/pdf?{options}&part=interior"),
                cover_url: format!("/library/books/{id}/pdf?{options}&part=cover"),
                package_url: whole_address(id, choice, backs),
                cover_refusal: choice.cover_refusal,
                check_url: format!("/library/books/{id}/print_check?{options}"),
            }),
        };
        Self {
            name: choice.format_name.clone(),
            is_recommended,
            measures: measures(choice.size),
            layout: words::layout(&choice.layout, &choice.layout_name),
            pages: words::pages(count),
            spine: spine(choice.edition, choice.size, count),
            files,
            preview_url: format!("/library/books/{id}/preview?{options}"),
        }
    }
}

/// The width and the height in inches and in millimeters.
fn measures(size: Size) -> String {
    let inches = |micrometers: u32| (f64::from(micrometers) / f64::from(INCH) * 100.0).round() / 100.0;
    let millimeters = |micrometers: u32| (f64::from(micrometers) / 1000.0).round();
    format!(
        "{} x {} in, {} x {} mm",
        inches(size.width),
        inches(size.height),
        millimeters(size.width),
        millimeters(size.height)
    )
}

/// The width of the spine on white paper, as printers state it, and the reason why it has or may have no text.
fn spine(edition: Edition, trim: Size, pages: usize) -> Option<String> {
    let pages = u32::try_from(pages).ok()?;
    let sheet = cover_sheet(edition, trim, pages, Paper::White)?;
    let width = f64::from(sheet.spine.width) / f64::from(INCH);
    Some(match fewest_pages_for_spine_text(edition) {
        Some(fewest) if pages < fewest => format!("{width:.3} in (no text below {fewest} pages)"),
        _ if sheet.is_spine_thin() => format!("{width:.3} in (with text if the title fits)"),
        _ => format!("{width:.3} in"),
    })
}

fn backs_choice(id: &BookId, edition: Edition, backs: Backs, chosen: Backs) -> BacksChoice {
    BacksChoice {
        label: match backs {
            Backs::Blank => "On one side only (blank backs)",
            Backs::Printed => "On every page",
        },
        url: address(id, edition, backs),
        is_chosen: backs == chosen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(format: &str, refusal: Option<&str>, cover_refusal: Option<&'static str>) -> PrintChoice {
        PrintChoice {
            edition: Edition::Kdp,
            format: format.into(),
            format_name: format.into(),
            size: Size {
                width: 215_900,
                height: 279_400,
            },
            layout: "linepress.classic".into(),
            layout_name: "Classic".into(),
            page_count: Some(24),
            refusal: refusal.map(String::from),
            cover_refusal,
        }
    }

    #[test]
    fn the_recommended_size_is_the_first_that_is_printed_with_a_cover() {
        let refused = choice("a", Some("it is too thin"), None);
        let coverless = choice("b", None, Some("The cover is not drawn."));
        let complete = choice("c", None, None);
        for (choices, expected) in [
            (vec![&refused, &coverless, &complete], Some("c")),
            (vec![&refused, &coverless], Some("b")),
            (vec![&refused], None),
        ] {
            assert_eq!(recommended(&choices).map(|best| best.format.as_str()), expected);
        }
    }

    #[test]
    fn a_spine_that_is_thin_says_whether_it_has_text() {
        let trim = Size {
            width: 215_900,
            height: 279_400,
        };
        assert_eq!(spine(Edition::Home, trim, 24), None);
        for (edition, pages, expected) in [
            (Edition::Kdp, 24, "0.054 in (no text below 79 pages)"),
            (Edition::Kdp, 80, "0.180 in (with text if the title fits)"),
            (Edition::Kdp, 120, "0.270 in"),
            (Edition::Lulu, 100, "0.285 in (with text if the title fits)"),
        ] {
            assert_eq!(spine(edition, trim, pages).as_deref(), Some(expected), "{pages} pages");
        }
    }

    #[test]
    fn a_size_is_stated_in_inches_and_in_millimeters() {
        for (width, height, expected) in [
            (215_900, 279_400, "8.5 x 11 in, 216 x 279 mm"),
            (210_000, 297_000, "8.27 x 11.69 in, 210 x 297 mm"),
        ] {
            assert_eq!(measures(Size { width, height }), expected);
        }
    }
}
