//! The place of a page in a book, which a person reviews page by page. The pages that are marked to be drawn again are
//! part of the address, so that marking needs neither a script nor a row in the database.
use serde::Deserialize;

use super::redraw::these;
use linepress_accounts::credits::pricing;
use linepress_core::books::Book;
use linepress_platform::ids::{BookId, PageId};

/// The parameters of a page's address, and of those of its forms, that say from where the user came.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct PlaceQuery {
    /// The book from which the user came.
    pub book: Option<BookId>,
    /// The ids of the pages of that book that are marked, separated by commas.
    pub marked: Option<String>,
}

impl PlaceQuery {
    /// The query of an address with these parameters; empty without a book.
    pub(super) fn query(&self) -> String {
        let Some(book) = self.book.as_ref().filter(|book| !book.names_nothing()) else {
            return String::new();
        };
        query(book, &self.marked())
    }

    fn marked(&self) -> Vec<PageId> {
        let named = self.marked.as_deref().unwrap_or_default().split(',');
        let ids = named.map(PageId::from_client);
        ids.filter(|id| !id.names_nothing()).collect()
    }
}

fn query(book: &BookId, marked: &[PageId]) -> String {
    if marked.is_empty() {
        return format!("?book={book}");
    }
    let marked: Vec<&str> = marked.iter().map(PageId::as_str).collect();
    format!("?book={book}&marked={}", marked.join(","))
}

/// The pages of the book that satisfy the condition, in their order.
pub(super) fn pages_of(book: &Book, condition: impl Fn(&PageId) -> bool) -> Vec<PageId> {
    let ids = book.pages.iter().map(|page| page.id.clone());
    ids.filter(|id| condition(id)).collect()
}

/// A book that contains the page.
pub(super) struct BookLink {
    pub id: BookId,
    pub title: String,
}

/// The place of the page in a book, with its neighbors.
pub(super) struct Place {
    pub book: BookLink,
    pub number: usize,
    pub count: usize,
    /// The addresses of the neighbors.
    pub previous: Option<String>,
    pub next: Option<String>,
    /// The address of the page after its mark was set or removed.
    pub toggle: String,
    pub is_marked: bool,
    /// The pages of the book that are marked to be drawn again, in its order.
    pub marked: Vec<PageId>,
    /// The same in words, such as "these 3 marked pages", and the price of drawing them.
    pub marked_words: String,
    pub price: String,
    pub credits: i64,
}

impl Place {
    pub(super) fn find(book: &Book, page: &PageId, from: &PlaceQuery) -> Option<Self> {
        let index = book.pages.iter().position(|other| other.id == *page)?;
        let named = from.marked();
        let marked = pages_of(book, |id| named.contains(id));
        let toggled = pages_of(book, |id| named.contains(id) != (id == page));
        let here = query(&book.id, &marked);
        let at = |index: usize| {
            let page = book.pages.get(index)?;
            Some(format!("/library/pages/{}{here}", page.id))
        };
        let credits = pricing::pictures(marked.len());
        Some(Self {
            book: BookLink {
                id: book.id.clone(),
                title: book.title.clone(),
            },
            number: index + 1,
            count: book.pages.len(),
            previous: index.checked_sub(1).and_then(at),
            next: at(index + 1),
            toggle: format!("/library/pages/{page}{}", query(&book.id, &toggled)),
            is_marked: marked.contains(page),
            marked_words: these(marked.len(), "marked page"),
            price: pricing::credits(credits),
            credits,
            marked,
        })
    }
}
