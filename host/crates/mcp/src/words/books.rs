//! Books and their pages.
use linepress_core::artwork::Status;
use linepress_core::books::{Book, BookStatus};
use linepress_platform::ids::{OperationId, PageId};

use super::{MAX_NAMED, character_names, counted, joined, named_with_status, pages, quoted};
use crate::results::books::PageInBook;

/// The most pages of a book that a note about their order lists.
const MAX_ORDERED: usize = 10;

/// A book by its id, title and status.
pub(super) fn line(book: &Book) -> String {
    named_with_status(&book.id, &book.title, book.status)
}

/// The line for a book in a list.
pub(crate) fn list_line(book: &Book) -> String {
    let pages = counted(book.page_count, "page");
    let mut words = format!("{}, {pages}, {}", line(book), book.aspect);
    if let Some(operation) = &book.active_operation_id {
        words.push_str(&format!(", drawn by {operation}"));
    }
    words
}

/// The description of a book without its pages.
pub(crate) fn book_head(book: &Book) -> String {
    let mut head = format!(
        "{}: {}, {}, for the audience {}, language {}.",
        line(book),
        counted(book.page_count, "page"),
        book.aspect,
        book.audience,
        book.language,
    );
    for (name, text) in [
        ("subtitle", &book.subtitle),
        ("author", &book.author),
        ("description", &book.description),
        ("ISBN", &book.isbn),
    ] {
        if !text.is_empty() {
            head.push_str(&format!(" {name}: {}.", quoted(text)));
        }
    }
    let cover = &book.cover;
    let style = if cover.style.is_color() { " in color" } else { "" };
    head.push_str(&format!(" Cover{style}: {}, {}.", cover.status, quoted(&cover.prompt)));
    if !book.characters.is_empty() {
        head.push_str(&format!(" Characters: {}.", character_names(&book.characters)));
    }
    head.push_str(&format!(" Print formats: {}.", joined(&book.print_formats)));
    head
}

/// The description of a book with these pages of it.
pub(crate) fn book(book: &Book, pages: &[PageInBook]) -> String {
    let mut lines = vec![book_head(book)];
    lines.extend(pages.iter().map(page_line));
    lines.join("\n")
}

/// The line for a page in a book, with the fields that are shown of it.
pub(crate) fn page_line(page: &PageInBook) -> String {
    let line = named_with_status(&page.id, &page.title, page.status);
    let mut words = format!("{}. {line}", page.position);
    if let Some(operation) = &page.active_operation_id {
        words.push_str(&format!(", drawn by {operation}"));
    }
    if let Some(texts) = &page.texts {
        let error = texts.error.as_ref();
        words.push_str(&pages::details(&texts.caption, &texts.prompt, &texts.faults, error));
    }
    words
}

/// The order of a book's pages, of which only the first are named.
pub(crate) fn page_order(book: &Book) -> String {
    let first = book.pages.iter().take(MAX_ORDERED);
    let mut named: Vec<String> = first
        .map(|page| format!("{}. {} {}", page.position, page.id, quoted(&page.title)))
        .collect();
    if book.pages.len() > MAX_ORDERED {
        named.push(format!("and {} more", book.pages.len() - MAX_ORDERED));
    }
    format!("The order is now: {}.", named.join(", "))
}

/// The next step after a book. `operations` are those that are drawing a part of the book; `next` is the position of
/// the first page that the result left out, if it left out any.
pub(crate) fn after_book(book: &Book, operations: &[&OperationId], next: Option<usize>) -> String {
    let id = &book.id;
    let more = match next {
        Some(position) => format!("get_book {id} with from_page: {position} for the pages after these. "),
        None => String::new(),
    };
    let now = match book.status {
        BookStatus::Ready => format!(
            "get_book_pdf {id} in one of {}; look_at_page shows you a page.",
            joined(&book.print_formats)
        ),
        BookStatus::Generating => match operations.split_first() {
            Some((first, rest)) => {
                let rest: String = rest.iter().take(MAX_NAMED).map(|id| format!(", then {id}")).collect();
                format!("wait_for_operation {first}{rest}.")
            }
            None => format!("get_book {id} again: its last drawing ended just now."),
        },
        BookStatus::Incomplete => after_incomplete(book),
    };
    format!("{more}{now}")
}

fn after_incomplete(book: &Book) -> String {
    let failed = book.pages.iter().filter(|page| page.status == Status::Failed);
    let failed: Vec<&PageId> = failed.map(|page| &page.id).take(MAX_NAMED).collect();
    if failed.is_empty() {
        return format!("generate_book_page or attach_book_page: {} has no pages.", book.id);
    }
    format!(
        "regenerate_page, replace_page_image or detach_book_page for each page that could not be drawn: {}.",
        joined(failed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::books::PageInBook;
    use crate::samples;
    use linepress_core::artwork::Fault;

    #[test]
    fn a_book_is_described_with_the_texts_that_it_has() {
        let book = samples::book(BookStatus::Ready, &[Status::Ready]);
        assert_eq!(
            book_head(&book),
            "book_1 \"Woods\", ready: 1 page, portrait, for the audience child, language en. author: \"Ada\". \
             Cover: ready, \"Trees\". Print formats: us_letter, a4."
        );
        assert_eq!(list_line(&book), "book_1 \"Woods\", ready, 1 page, portrait");
    }

    #[test]
    fn the_line_of_a_page_has_its_texts_only_in_full() {
        let book = samples::book(BookStatus::Incomplete, &[Status::Failed]);
        let operation = OperationId::from_text("op_1");
        let brief = || PageInBook::new(&book.pages[0], Some(&operation));
        let line = "1. page_1 \"Page \\\"1\\\"\", failed, drawn by op_1";
        assert_eq!(page_line(&brief()), line);
        let mut page = samples::page(Status::Failed);
        page.image = Some(samples::image(&[Fault::TooFine]));
        page.error = Some(samples::failure());
        assert_eq!(
            page_line(&brief().with_texts(&page)),
            format!(
                "{line}; caption \"Ring\"; prompt \"A fox on a bicycle\"; \
                 hard to color: too_fine (Many regions are too small to color); Not drawn."
            )
        );
    }

    #[test]
    fn the_next_step_after_a_book_depends_on_its_status() {
        let after = |status, pages: &[Status], operations: &[&OperationId]| {
            after_book(&samples::book(status, pages), operations, None)
        };
        assert_eq!(
            after(BookStatus::Ready, &[Status::Ready], &[]),
            "get_book_pdf book_1 in one of us_letter, a4; look_at_page shows you a page."
        );
        let [first, second] = ["op_1", "op_2"].map(OperationId::from_text);
        assert_eq!(
            after(BookStatus::Generating, &[], &[&first, &second]),
            "wait_for_operation op_1, then op_2."
        );
        assert_eq!(
            after(BookStatus::Incomplete, &[], &[]),
            "generate_book_page or attach_book_page: book_1 has no pages."
        );
        assert_eq!(
            after(BookStatus::Incomplete, &[Status::Ready, Status::Failed], &[]),
            "regenerate_page, replace_page_image or detach_book_page for each page that could not be drawn: page_2."
        );
        let cut = after_book(&samples::book(BookStatus::Generating, &[]), &[&first], Some(8));
        assert_eq!(
            cut,
            "get_book book_1 with from_page: 8 for the pages after these. wait_for_operation op_1."
        );
    }

    #[test]
    fn an_order_of_pages_names_the_first_ten() {
        let short = samples::book(BookStatus::Ready, &[Status::Ready; 2]);
        assert_eq!(
            page_order(&short),
            r#"The order is now: 1. page_1 "Page \"1\"", 2. page_2 "Page \"2\""."#
        );
        let long = page_order(&samples::book(BookStatus::Ready, &[Status::Ready; 12]));
        assert!(
            long.contains("10. page_10") && long.ends_with(", and 2 more."),
            "{long}"
        );
    }
}
