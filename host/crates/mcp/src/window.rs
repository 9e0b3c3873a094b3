//! The pages of a book that fit into one result.
use serde::Serialize;

use super::results::MAX_RESULT_BYTES;
use super::results::books::{BookHead, PageInBook};
use super::words::books::{book_head, page_line};
use linepress_core::books::Book;
use linepress_platform::error::Result;

/// The bytes that are reserved for the pages of a book, whatever the length of its other fields.
const MIN_PAGES_BYTES: usize = 3_000;

/// Consecutive pages of a book, as many as fit into one result.
pub(super) struct Window {
    pub pages: Vec<PageInBook>,
    /// The position of the first page after the window; `None` if the window includes the last page.
    pub next: Option<usize>,
}

impl Window {
    /// Starts at the page at position `first`, counted from 1. `pages` are all pages of the book, in the form to show.
    pub(super) fn starting_at(book: &Book, head: &BookHead, pages: Vec<PageInBook>, first: usize) -> Result<Self> {
        let head = length(head)? + book_head(book).len();
        let mut room = MAX_RESULT_BYTES.saturating_sub(head).max(MIN_PAGES_BYTES);
        let mut shown = Vec::new();
        for (position, page) in (1..).zip(pages).skip(first.saturating_sub(1)) {
            let bytes = length(&page)? + page_line(&page).len() + 2;
            if bytes > room && !shown.is_empty() {
                return Ok(Self {
                    pages: shown,
                    next: Some(position),
                });
            }
            room = room.saturating_sub(bytes);
            shown.push(page);
        }
        Ok(Self {
            pages: shown,
            next: None,
        })
    }
}

/// The length of a value in JSON.
fn length(value: &impl Serialize) -> Result<usize> {
    Ok(serde_json::to_string(value)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use linepress_core::artwork::Status;
    use linepress_core::books::BookStatus;

    #[test]
    fn the_windows_of_a_long_book_follow_each_other_and_fit() {
        let book = samples::book(BookStatus::Generating, &[Status::Generating; 300]);
        let head = BookHead::from(&book);
        let mut positions = Vec::new();
        let mut first = Some(1);
        while let Some(start) = first {
            let pages = book.pages.iter().map(|page| PageInBook::new(page, None));
            let window = Window::starting_at(&book, &head, pages.collect(), start).unwrap();
            let bytes: usize = window
                .pages
                .iter()
                .map(|page| length(page).unwrap() + page_line(page).len())
                .sum();
            assert!(bytes < MAX_RESULT_BYTES && !window.pages.is_empty(), "{bytes}");
            positions.extend(window.pages.iter().map(|page| page.position));
            first = window.next;
        }
        assert_eq!(positions, (1..=300).collect::<Vec<i64>>());
    }

    #[test]
    fn a_window_has_at_least_one_page_and_none_beyond_the_end() {
        let mut book = samples::book(BookStatus::Ready, &[Status::Ready; 2]);
        book.pages[0].title = "x".repeat(2 * MAX_RESULT_BYTES);
        let head = BookHead::from(&book);
        let window = |first| {
            let pages = book.pages.iter().map(|page| PageInBook::new(page, None));
            Window::starting_at(&book, &head, pages.collect(), first).unwrap()
        };
        assert_eq!((window(1).pages.len(), window(1).next), (1, Some(2)));
        assert_eq!((window(3).pages.len(), window(3).next), (0, None));
    }
}
