//! Pages, outside of books and in lists.
use linepress_core::artwork::{Fault, Status, explain_fault};
use linepress_core::operations::SafeError;
use linepress_core::pages::{Page, PageRefinement, PageRegeneration};

use super::{character_names, joined, named_with_status, quoted};
use crate::results::pages::faults;

/// The description of a page outside of a book.
pub(crate) fn page(page: &Page) -> String {
    let books = match &page.book_ids[..] {
        [] => "in no book".to_owned(),
        books => format!("in {}", joined(books)),
    };
    let mut words = format!("{}, {}, {books}", line(page), page.aspect);
    words.push_str(&details(
        &page.caption,
        &page.prompt,
        &faults(page),
        page.error.as_ref(),
    ));
    if let Some(text) = &page.alternative_text {
        words.push_str(&format!("; alternative text {}", quoted(text)));
    }
    if !page.characters.is_empty() {
        words.push_str(&format!("; with {}", character_names(&page.characters)));
    }
    words.push('.');
    words
}

/// A page by its id, title and status.
pub(super) fn line(page: &Page) -> String {
    let locked = if page.locked { ", locked" } else { "" };
    format!("{}{locked}", named_with_status(&page.id, &page.title, page.status))
}

/// The line for a page in a list.
pub(crate) fn list_line(page: &Page) -> String {
    let mut words = format!("{}, {}", line(page), page.aspect);
    if let Some(operation) = &page.active_operation_id {
        words.push_str(&format!(", drawn by {operation}"));
    }
    words.push_str(&details(&page.caption, "", &faults(page), None));
    words
}

/// The texts, faults and error of a page, of which those that are empty are left out.
pub(super) fn details(caption: &str, prompt: &str, faults: &[Fault], error: Option<&SafeError>) -> String {
    let mut words = String::new();
    for (name, text) in [("caption", caption), ("prompt", prompt)] {
        if !text.is_empty() {
            words.push_str(&format!("; {name} {}", quoted(text)));
        }
    }
    if !faults.is_empty() {
        let faults = faults.iter().copied().map(fault);
        words.push_str(&format!("; hard to color: {}", joined(faults)));
    }
    if let Some(error) = error {
        words.push_str(&format!("; {}", error.message));
    }
    words
}

/// The code of a fault with its explanation.
fn fault(fault: Fault) -> String {
    format!("{fault} ({})", explain_fault(fault).trim_end_matches('.'))
}

pub(crate) fn after_page(page: &Page) -> String {
    let id = &page.id;
    match (page.status, &page.active_operation_id) {
        (Status::Ready, _) if page.book_ids.is_empty() => {
            format!("look_at_page {id} shows it to you; attach_book_page adds it to a book.")
        }
        (Status::Ready, _) => format!("look_at_page {id} shows it to you; get_book returns its book."),
        (Status::Generating, Some(operation)) => format!("wait_for_operation {operation}."),
        (Status::Generating, None) => format!("call get_page with {id} again; its drawing has just ended."),
        (Status::Failed, _) => {
            format!("{id} could not be drawn; call regenerate_page or replace_page_image with it.")
        }
    }
}

/// A note about the texts that come with a new picture of a page, which the reply does not show yet, and about those
/// that stay although they may not fit the new picture. `None` if neither needs a note.
pub(crate) fn texts_note(page: &Page, change: &PageRegeneration) -> Option<String> {
    let new = new_texts_note(change.title.as_deref(), change.caption.as_deref());
    let notes = [new, unchanged_texts_note(page, change)];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// A note about the texts that come with a refined picture. `None` if none is new.
pub(crate) fn refined_texts_note(wish: &PageRefinement) -> Option<String> {
    new_texts_note(wish.title.as_deref(), wish.caption.as_deref())
}

/// A note about the new title and caption. `None` if neither is new.
fn new_texts_note(title: Option<&str>, caption: Option<&str>) -> Option<String> {
    let title = title.map(|title| format!("the title {}", quoted(title)));
    let caption = caption.map(|caption| match caption {
        "" => "no caption".to_owned(),
        caption => format!("the caption {}", quoted(caption)),
    });
    let texts: Vec<String> = [title, caption].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| format!("The new picture comes with {}.", texts.join(" and ")))
}

/// A note about the unchanged title and caption. `None` if the prompt is unchanged or both are new.
fn unchanged_texts_note(page: &Page, change: &PageRegeneration) -> Option<String> {
    if change.prompt.is_none() || (change.title.is_some() && change.caption.is_some()) {
        return None;
    }
    let mut unchanged = Vec::new();
    if change.title.is_none() {
        unchanged.push(format!("the title {}", quoted(&page.title)));
    }
    if change.caption.is_none() {
        unchanged.push(format!("the caption {}", quoted(&page.caption)));
    }
    let unchanged = unchanged.join(" and ");
    Some(format!(
        "Unchanged: {unchanged}. If the new picture does not fit, change it with update_page."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use linepress_platform::ids::{BookId, OperationId};

    #[test]
    fn a_page_is_described_with_its_books_texts_and_faults() {
        let mut page = samples::page(Status::Ready);
        assert_eq!(
            super::page(&page),
            "page_1 \"A fox\", ready, portrait, in no book; caption \"Ring\"; prompt \"A fox on a bicycle\"."
        );
        page.book_ids = ["book_1", "book_2"].map(BookId::from_text).into();
        page.caption.clear();
        page.image = Some(samples::image(&[Fault::Blank]));
        let blank = "hard to color: blank (Next to nothing is drawn on the page)";
        assert_eq!(
            super::page(&page),
            format!("page_1 \"A fox\", ready, portrait, in book_1, book_2; prompt \"A fox on a bicycle\"; {blank}.")
        );
        assert_eq!(list_line(&page), format!("page_1 \"A fox\", ready, portrait; {blank}"));
        page.alternative_text = Some("A fox".into());
        assert!(super::page(&page).ends_with("; alternative text \"A fox\"."));
        page.locked = true;
        assert_eq!(
            list_line(&page),
            format!("page_1 \"A fox\", ready, locked, portrait; {blank}")
        );
    }

    #[test]
    fn the_next_step_after_a_page_depends_on_its_status() {
        let mut page = samples::page(Status::Generating);
        page.active_operation_id = Some(OperationId::from_text("op_1"));
        assert_eq!(after_page(&page), "wait_for_operation op_1.");
        page.status = Status::Ready;
        assert!(after_page(&page).contains("attach_book_page"));
        page.book_ids = vec![BookId::from_text("book_1")];
        assert!(after_page(&page).contains("get_book"));
        page.status = Status::Failed;
        assert!(after_page(&page).contains("regenerate_page"));
    }

    #[test]
    fn a_note_lists_the_new_texts_and_those_that_stay() {
        let page = samples::page(Status::Ready);
        let note = |prompt: Option<&str>, title: Option<&str>, caption: Option<&str>| {
            let change = PageRegeneration {
                prompt: prompt.map(Into::into),
                title: title.map(Into::into),
                caption: caption.map(Into::into),
                ..PageRegeneration::default()
            };
            texts_note(&page, &change)
        };
        assert_eq!(note(None, None, None), None);
        assert_eq!(
            note(Some("A hare"), Some("A hare"), Some("")).unwrap(),
            "The new picture comes with the title \"A hare\" and no caption."
        );
        assert_eq!(
            note(Some("A hare"), Some("A hare"), None).unwrap(),
            "The new picture comes with the title \"A hare\". Unchanged: the caption \"Ring\". If the new picture does \
             not fit, change it with update_page."
        );
    }
}
