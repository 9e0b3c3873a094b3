//! The print panel of a book's page: every printer and size, with links to the files that can be made.
use linepress_printers::{Backs, Edition};

use super::words;
use linepress_core::app::App;
use linepress_core::books;
use linepress_core::caller::Caller;
use linepress_core::print::PrintChoice;
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
}

/// A printer and a size in which the book can be printed.
pub(super) struct Paperback {
    pub printer: &'static str,
    pub size: String,
    pub pages: String,
    pub interior_url: String,
    pub cover_url: String,
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
        let pages = words::pages(choice.page_count.unwrap_or_default());
        let options = format!("format={}&edition={}&backs={backs}", choice.format, choice.edition);
        if choice.edition == Edition::Home {
            self.home.push(HomeFile {
                name: size,
                pages,
                url: format!("/library/books/{id}/pdf?format={}&backs={backs}", choice.format),
            });
            return;
        }
        self.paperbacks.push(Paperback {
            printer,
            size,
            pages,
            interior_url: format!("/library/books/{id}/pdf?{options}&part=interior"),
            cover_url: format!("/library/books/{id}/pdf?{options}&part=cover"),
            cover_refusal: choice.cover_refusal,
            check_url: format!("/library/books/{id}/print_check?{options}"),
        });
    }
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
