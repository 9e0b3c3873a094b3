//! The print panel of a book's page: every printer and size, with links to the files that can be made.
use linepress_printers::{Backs, Edition, INCH, Paper, spine_width};

use super::words;
use linepress_accounts::caller::Caller;
use linepress_core::books;
use linepress_core::print::PrintChoice;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;

/// The part of a book's page with its files for printing.
pub(super) struct PrintPanel {
    pub home: Vec<HomeFile>,
    pub paperbacks: Vec<Paperback>,
    pub refused: Vec<Refused>,
    pub backs: Vec<BacksChoice>,
    /// True if the user has just chosen the backs.
    pub is_open: bool,
}

/// A file with the whole book.
pub(super) struct HomeFile {
    pub name: String,
    pub pages: String,
    pub url: String,
    /// The address at which the browser shows the file.
    pub shown_url: String,
    pub preview_url: String,
}

/// A printer and a size in which the book can be printed.
pub(super) struct Paperback {
    pub printer: &'static str,
    pub size: String,
    pub pages: String,
    /// The width of the spine in inches.
    pub spine: Option<String>,
    pub interior_url: String,
    pub preview_url: String,
    pub cover_url: String,
    pub package_url: String,
    pub cover_refusal: Option<&'static str>,
    pub check_url: String,
}

/// A printer and a size in which the book cannot be printed.
pub(super) struct Refused {
    pub printer: &'static str,
    pub size: String,
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
    pub(super) async fn for_book(
        app: &App,
        caller: &Caller,
        id: &BookId,
        chosen: Option<Backs>,
    ) -> Result<Option<Self>> {
        let backs = chosen.unwrap_or_default();
        let Some(choices) = books::print_choices(app, caller, id, backs).await? else {
            return Ok(None);
        };
        let mut panel = Self {
            home: Vec::new(),
            paperbacks: Vec::new(),
            refused: Vec::new(),
            backs: Backs::ALL.iter().map(|other| backs_choice(id, *other, backs)).collect(),
            is_open: chosen.is_some(),
        };
        for choice in choices {
            panel.add(id, backs, choice);
        }
        Ok(Some(panel))
    }

    fn add(&mut self, id: &BookId, backs: Backs, choice: PrintChoice) {
        let printer = match choice.edition {
            Edition::Home => "At home",
            edition => edition.name(),
        };
        let size = choice.format_name;
        if let Some(reason) = choice.refusal {
            self.refused.push(Refused { printer, size, reason });
            return;
        }
        let count = choice.page_count.unwrap_or_default();
        let pages = words::pages(count);
        let options = format!("format={}&edition={}&backs={backs}", choice.format, choice.edition);
        if choice.edition == Edition::Home {
            let url = format!("/library/books/{id}/pdf?format={}&backs={backs}", choice.format);
            self.home.push(HomeFile {
                name: size,
                pages,
                shown_url: format!("{url}&show=yes"),
                preview_url: format!("/library/books/{id}/preview?{options}"),
                url,
            });
            return;
        }
        self.paperbacks.push(Paperback {
            printer,
            size,
            pages,
            spine: spine(choice.edition, count),
            package_url: format!("/library/books/{id}/package?{options}"),
            preview_url: format!("/library/books/{id}/preview?{options}"),
            interior_url: format!("/library/books/{id}/pdf?{options}&part=interior"),
            cover_url: format!("/library/books/{id}/pdf?{options}&part=cover"),
            cover_refusal: choice.cover_refusal,
            check_url: format!("/library/books/{id}/print_check?{options}"),
        });
    }
}

/// The width of the spine on white paper, as printers state it.
fn spine(edition: Edition, pages: usize) -> Option<String> {
    let width = spine_width(edition, Paper::White, u32::try_from(pages).ok()?)?;
    Some(format!("{:.3}", f64::from(width) / f64::from(INCH)))
}

fn backs_choice(id: &BookId, backs: Backs, chosen: Backs) -> BacksChoice {
    BacksChoice {
        label: match backs {
            Backs::Blank => "Blank, for markers",
            Backs::Printed => "The next drawing, for fewer sheets",
        },
        url: format!("/library/books/{id}?backs={backs}#print"),
        is_chosen: backs == chosen,
    }
}
