//! The texts of results: a description of each resource, and the next step. The text alone is enough for an agent to
//! act on.
pub(super) mod account;
pub(super) mod attempts;
pub(super) mod books;
pub(super) mod characters;
pub(super) mod deleted;
pub(super) mod links;
pub(super) mod operations;
pub(super) mod orders;
pub(super) mod pages;
pub(super) mod plans;
pub(super) mod print;

use std::fmt::Display;

use serde_json::Value;

use linepress_core::characters::CharacterLink;

pub(super) use linepress_accounts::credits::pricing::credits;
pub(super) use linepress_model::counted;

/// The most failed drawings or pages that one text lists.
const MAX_NAMED: usize = 20;

/// The tool that lists the resources that an error message calls `what`.
pub(super) fn listing_tool(what: &str) -> Option<&'static str> {
    match what {
        "book" => Some("list_books"),
        "page" => Some("list_pages"),
        "character" => Some("list_characters"),
        "operation" => Some("list_operations"),
        "deleted book or page" => Some("list_bin"),
        "page in this book" => Some("get_book"),
        "attempt of this page" | "attempt of this cover" | "attempt of this character" => Some("list_attempts"),
        _ => None,
    }
}

/// A text in quotation marks, as in JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The text of a list of resources that are called `name`.
pub(super) fn list_text(lines: &[String], name: &str) -> String {
    if lines.is_empty() {
        return format!("No {name}.");
    }
    lines.join("\n")
}

/// The next step after a list: `then`, or the rest of the list if there is more.
pub(super) fn after_list(next_cursor: Option<&str>, then: &str) -> String {
    match next_cursor {
        Some(cursor) => format!("call it again with after: {cursor} for more; or {then}"),
        None => then.to_owned(),
    }
}

/// A resource by its id and name.
fn named(id: impl Display, name: &str) -> String {
    format!("{id} {}", quoted(name))
}

/// A resource by its id, name and status.
fn named_with_status(id: impl Display, name: &str, status: impl Display) -> String {
    format!("{}, {status}", named(id, name))
}

fn character_names(characters: &[CharacterLink]) -> String {
    joined(characters.iter().map(|character| named(&character.id, &character.name)))
}

fn joined<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_ended_leads_to_the_next_step_and_another_one_to_its_rest() {
        assert_eq!(list_text(&[], "books"), "No books.");
        assert_eq!(after_list(None, "get_book."), "get_book.");
        let more = after_list(Some("abc"), "get_book.");
        assert_eq!(more, "call it again with after: abc for more; or get_book.");
    }
}
