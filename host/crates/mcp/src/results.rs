//! Structured results for agents: those of REST without their addresses, which require an API key, and short enough for
//! a conversation. Another tool returns what is left out.
use serde_json::{Map, Value, json};

use super::words;
use linepress_core::books::ChosenFormat;
use linepress_core::generation::Accepted;
use linepress_core::print::PrintFormatResource;

/// The size limit of a result, structure and text together, in bytes. A token has about 3.5 bytes.
pub(super) const MAX_RESULT_BYTES: usize = 11_000;

/// The bytes that are reserved for the pages of a book, whatever the length of its other fields.
const MIN_PAGES_BYTES: usize = 3_000;

/// The most failed drawings that one result lists.
const MAX_FAILED_ITEMS: usize = 20;

/// Copies the listed fields, where they exist.
fn only_fields(value: &Value, fields: &[&str]) -> Map<String, Value> {
    let found = fields.iter().filter_map(|field| Some((*field, value.get(*field)?)));
    found.map(|(field, value)| (field.to_owned(), value.clone())).collect()
}

/// Copies a value without its field `url`.
fn without_url(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("url");
    }
    value
}

pub(super) fn accepted<T>(body: &Value, accepted: &Accepted<T>) -> Value {
    let mut shown = Map::new();
    if let Some(book) = body.get("book") {
        shown.insert("book".into(), book_in_short(book));
    }
    for drawn in ["page", "character"] {
        if let Some(drawn_thing) = body.get(drawn) {
            let fields = ["id", "title", "name", "aspect", "status"];
            shown.insert(drawn.into(), only_fields(drawn_thing, &fields).into());
        }
    }
    shown.insert("operation".into(), operation(&body["operation"]));
    shown.insert("credits_available".into(), accepted.available.into());
    if accepted.replayed {
        shown.insert("replayed".into(), true.into());
    }
    shown.into()
}

/// The summary of a book, without its pages.
pub(super) fn book_in_short(book: &Value) -> Value {
    let fields = [
        "id",
        "title",
        "status",
        "aspect",
        "page_count",
        "active_operation_id",
        "created_at",
    ];
    only_fields(book, &fields).into()
}

/// A changed book: all fields that may have changed, without the pages.
pub(super) fn changed_book(book: &Value) -> Value {
    let mut shown = book.clone();
    shown["cover"] = only_fields(&book["cover"], &["prompt", "status"]).into();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("pages");
    }
    shown
}

/// A book with the pages in `window`.
pub(super) fn book(book: &Value, window: &Window) -> Value {
    let mut shown = book.clone();
    shown["cover"] = only_fields(&book["cover"], &["prompt", "status"]).into();
    shown["pages"] = window.pages.clone().into();
    shown
}

/// Consecutive pages of a book, as many as fit into one result.
pub(super) struct Window {
    pub pages: Vec<Value>,
    /// The position of the first page after the window; `None` if the window includes the last page.
    pub next: Option<usize>,
}

impl Window {
    /// Starts at the page at position `first`, counted from 1. `pages` are all pages of the book, in the form to show.
    pub(super) fn starting_at(book: &Value, pages: Vec<Value>, first: usize) -> Self {
        let mut head = book.clone();
        head["pages"] = json!([]);
        let head = head.to_string().len() + words::book_head(book).len();
        let mut room = MAX_RESULT_BYTES.saturating_sub(head).max(MIN_PAGES_BYTES);
        let mut shown = Vec::new();
        for (position, page) in (1..).zip(pages).skip(first.saturating_sub(1)) {
            let bytes = page.to_string().len() + words::page_line(&page).len() + 2;
            if bytes > room && !shown.is_empty() {
                return Self {
                    pages: shown,
                    next: Some(position),
                };
            }
            room = room.saturating_sub(bytes);
            shown.push(page);
        }
        Self {
            pages: shown,
            next: None,
        }
    }
}

/// The summary of a page in a book. `operation` is the operation that draws only this page, if any.
pub(super) fn page_of_book(page: &Value, operation: Option<&str>) -> Value {
    let mut shown = only_fields(page, &["id", "title", "position", "status"]);
    if let Some(operation) = operation {
        shown.insert("active_operation_id".into(), operation.into());
    }
    shown.into()
}

/// Adds the page's texts and faults to its summary.
pub(super) fn full_page_of_book(in_book: Value, page: &Value) -> Value {
    let mut shown = in_book;
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(only_fields(page, &["prompt", "caption", "characters", "error"]));
        fields.insert("faults".into(), faults(page).into());
    }
    shown
}

/// A page outside of a book.
pub(super) fn page(page: &Value) -> Value {
    let mut shown = page.clone();
    shown["image"] = without_url(&page["image"]);
    shown["faults"] = faults(page).into();
    shown
}

/// The summary of a page, for lists.
pub(super) fn page_in_short(page: &Value) -> Value {
    let fields = [
        "id",
        "title",
        "caption",
        "aspect",
        "origin",
        "status",
        "book_ids",
        "active_operation_id",
    ];
    let mut shown = only_fields(page, &fields);
    shown.insert("faults".into(), faults(page).into());
    shown.into()
}

/// The codes of the faults that make a page hard to color.
fn faults(page: &Value) -> Vec<Value> {
    let faults = page["image"]["quality"]["faults"].as_array();
    let codes = faults.into_iter().flatten().map(|fault| fault["code"].clone());
    codes.collect()
}

pub(super) fn character(character: &Value) -> Value {
    let mut shown = character.clone();
    shown["reference_image"] = without_url(&character["reference_image"]);
    shown
}

/// The summary of a character, for lists.
pub(super) fn character_in_short(character: &Value) -> Value {
    let fields = ["id", "name", "style", "status", "active_operation_id"];
    only_fields(character, &fields).into()
}

/// An operation with its counts, and with the drawings that failed or have a note from the provider.
pub(super) fn operation(operation: &Value) -> Value {
    let mut shown = operation_in_short(operation);
    let items = words::notable_items(operation);
    if items.len() > MAX_FAILED_ITEMS {
        shown["items_left_out"] = (items.len() - MAX_FAILED_ITEMS).into();
    }
    let items: Vec<Value> = items.into_iter().take(MAX_FAILED_ITEMS).cloned().collect();
    shown["items"] = items.into();
    shown
}

/// The summary of an operation, for lists.
pub(super) fn operation_in_short(operation: &Value) -> Value {
    let mut shown = without_url(operation);
    shown["resource"] = without_url(&operation["resource"]);
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("items");
    }
    shown
}

/// A book plan: the arguments of create_book. The page concepts are left out, because the arguments contain them.
pub(super) fn plan(plan: &Value) -> Value {
    let mut shown = plan.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("page_concepts");
    }
    shown
}

/// The format of a PDF, with the number of pages of the book where it is known.
pub(super) fn print_format(chosen: &ChosenFormat) -> Value {
    let format = json!(PrintFormatResource::new(&chosen.offered));
    let mut shown = only_fields(&format, &["id", "name", "trim"]);
    shown.insert("page_count".into(), json!(chosen.page_count));
    shown.into()
}
