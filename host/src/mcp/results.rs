//! Results as an agent is shown them: those of REST without the addresses, which open with an API key alone, and no longer
//! than a conversation can bear. What is left out another tool shows.
use serde_json::{Map, Value, json};

use super::words;
use crate::generation::Accepted;

/// Bytes that structure and text of a result should have together. A token is about three and a half of them.
pub(super) const MAX_RESULT_BYTES: usize = 11_000;

/// Bytes that the pages of a book may have in a result whatever else there is to say of the book.
const MIN_PAGES_BYTES: usize = 3_000;

/// Failed drawings that one result names.
const MAX_FAILED_ITEMS: usize = 20;

/// The fields of this name, where they are.
fn only(of: &Value, fields: &[&str]) -> Map<String, Value> {
    let found = fields.iter().filter_map(|field| Some((*field, of.get(*field)?)));
    found.map(|(field, value)| (field.to_owned(), value.clone())).collect()
}

/// The same without the field `url`.
fn without_url(of: &Value) -> Value {
    let mut of = of.clone();
    if let Some(fields) = of.as_object_mut() {
        fields.remove("url");
    }
    of
}

pub(super) fn accepted(body: &Value, accepted: &Accepted) -> Value {
    let mut shown = Map::new();
    if let Some(book) = body.get("book") {
        shown.insert("book".into(), book_in_short(book));
    }
    for drawn in ["page", "character"] {
        if let Some(drawn_thing) = body.get(drawn) {
            let fields = ["id", "title", "name", "aspect", "status"];
            shown.insert(drawn.into(), only(drawn_thing, &fields).into());
        }
    }
    shown.insert("operation".into(), operation(&body["operation"]));
    shown.insert("credits_available".into(), accepted.available.into());
    if accepted.replayed {
        shown.insert("replayed".into(), true.into());
    }
    shown.into()
}

/// A book without its pages.
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
    only(book, &fields).into()
}

/// A book that was changed: all that may have changed but its pages.
pub(super) fn changed_book(book: &Value) -> Value {
    let mut shown = book.clone();
    shown["cover"] = only(&book["cover"], &["prompt", "status"]).into();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("pages");
    }
    shown
}

/// A book with the pages of `window`.
pub(super) fn book(book: &Value, window: &Window) -> Value {
    let mut shown = book.clone();
    shown["cover"] = only(&book["cover"], &["prompt", "status"]).into();
    shown["pages"] = window.pages.clone().into();
    shown
}

/// Consecutive pages of a book, as many as one result should hold.
pub(super) struct Window {
    pub pages: Vec<Value>,
    /// The position of the first page that comes after them.
    pub next: Option<usize>,
}

impl Window {
    /// From the page at `first`, counted from 1. `pages` are those of the book, each as it is to be shown.
    pub(super) fn of(book: &Value, pages: Vec<Value>, first: usize) -> Self {
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

/// A page of a book in short. `operation` draws it at this moment, and is not the book's own.
pub(super) fn page_of_book(page: &Value, operation: Option<&str>) -> Value {
    let mut shown = only(page, &["id", "title", "position", "status"]);
    if let Some(operation) = operation {
        shown.insert("active_operation_id".into(), operation.into());
    }
    shown.into()
}

/// The same with all that there is to read of it.
pub(super) fn full_page_of_book(in_book: Value, page: &Value) -> Value {
    let mut shown = in_book;
    if let Some(fields) = shown.as_object_mut() {
        fields.extend(only(page, &["prompt", "caption", "characters", "error"]));
        fields.insert("faults".into(), faults(page).into());
    }
    shown
}

/// A page by itself.
pub(super) fn page(page: &Value) -> Value {
    let mut shown = page.clone();
    shown["image"] = without_url(&page["image"]);
    shown["faults"] = faults(page).into();
    shown
}

/// A page of a list.
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
    let mut shown = only(page, &fields);
    shown.insert("faults".into(), faults(page).into());
    shown.into()
}

/// What makes a page hard to color, by code.
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

/// A character of a list.
pub(super) fn character_in_short(character: &Value) -> Value {
    let fields = ["id", "name", "style", "status", "active_operation_id"];
    only(character, &fields).into()
}

/// An operation with its counts, and those of its drawings that failed or of which the provider says something.
pub(super) fn operation(operation: &Value) -> Value {
    let mut shown = operation_in_short(operation);
    let items = told_items(operation);
    if items.len() > MAX_FAILED_ITEMS {
        shown["items_left_out"] = (items.len() - MAX_FAILED_ITEMS).into();
    }
    let items: Vec<Value> = items.into_iter().take(MAX_FAILED_ITEMS).cloned().collect();
    shown["items"] = items.into();
    shown
}

/// The drawings of an operation of which there is something to say.
pub(super) fn told_items(operation: &Value) -> Vec<&Value> {
    let items = operation["items"].as_array().into_iter().flatten();
    items
        .filter(|item| !item["error"].is_null() || !item["note"].is_null())
        .collect()
}

/// An operation of a list.
pub(super) fn operation_in_short(operation: &Value) -> Value {
    let mut shown = without_url(operation);
    shown["resource"] = without_url(&operation["resource"]);
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("items");
    }
    shown
}

/// A plan: what create_book takes, once. The concepts of its pages are in it.
pub(super) fn plan(plan: &Value) -> Value {
    let mut shown = plan.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("page_concepts");
    }
    shown
}

/// The items of a list, each in short.
pub(super) fn many(body: &Value, name: &str, short: fn(&Value) -> Value) -> Value {
    let items = body[name].as_array().into_iter().flatten();
    let items: Vec<Value> = items.map(short).collect();
    json!({name: items, "meta": body["meta"]})
}
