//! The texts of results: a description of each resource, and the next step. The text alone is enough for an agent to
//! act on.
use linepress_preflight::{PageRange, page_words};
use serde_json::Value;

use linepress_core::artwork;
use linepress_core::generation::Accepted;

/// The most failed drawings or pages that one text lists.
const MAX_NAMED: usize = 20;

/// The most pages of a book that a note about their order lists.
const MAX_ORDERED: usize = 10;

pub(super) use linepress_core::credits::pricing::credits;

/// A number with its unit, in the singular or the plural.
pub(super) fn counted(number: i64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}

/// The tool that lists the resources that an error message calls `what`.
pub(super) fn listing_tool(what: &str) -> Option<&'static str> {
    match what {
        "book" => Some("list_books"),
        "page" => Some("list_pages"),
        "character" => Some("list_characters"),
        "operation" => Some("list_operations"),
        "page in this book" => Some("get_book"),
        _ => None,
    }
}

pub(super) fn accepted<T>(body: &Value, accepted: &Accepted<T>) -> String {
    let operation = &body["operation"];
    let targets = ["page", "book", "character"];
    let target = targets.into_iter().find(|name| body[name].is_object());
    let target = target.map(|name| format!("{name} {}", line(&body[name])));
    let cost = if accepted.replayed {
        "This order was accepted before; nothing more was spent".to_owned()
    } else {
        format!("Accepted for {}", credits(accepted.consumed))
    };
    let book = match (&body["page"], &body["book"]) {
        (Value::Object(_), Value::Object(_)) => format!(" in book {}", line(&body["book"])),
        _ => String::new(),
    };
    format!(
        "{cost}; the account has {} now. Operation {} draws {}{book}.",
        credits(accepted.available),
        text(operation, "id"),
        target.unwrap_or_default(),
    )
}

pub(super) fn after_order(body: &Value) -> String {
    format!("wait_for_operation {}.", text(&body["operation"], "id"))
}

pub(super) fn account(account: &Value, grant: Option<&Value>) -> String {
    let capabilities = &account["capabilities"];
    let mut lines = vec![format!(
        "{} on the {} plan has {}. Print formats: {}.",
        text(account, "email"),
        text(&account["plan"], "name"),
        credits(account["credits"]["available"].as_i64().unwrap_or_default()),
        list(&capabilities["print_formats"]),
    )];
    if let Some(grant) = grant {
        let scopes = list(&grant["scopes"]);
        lines.push(match grant["credits_left"].as_i64() {
            _ if grant["may_spend"] == false => format!(
                "This app may spend no credits, because the user did not grant that. Its granted scopes: {scopes}."
            ),
            Some(left) => format!(
                "This app may spend {} more of the {} that the user allowed. Its granted scopes: {scopes}.",
                credits(left),
                grant["credit_cap"]
            ),
            None => format!("This app may spend all credits of the account. Its granted scopes: {scopes}."),
        });
    }
    for (capability, what) in [("generate", "Drawing"), ("plan", "Planning"), ("pdf", "Printing")] {
        if capabilities[capability] == false {
            lines.push(format!("{what} is not available on this server at the moment."));
        }
    }
    let limits = account["limits"].as_object().into_iter().flatten();
    let limits: Vec<String> = limits
        .map(|(name, limit)| match limit["used"].as_i64() {
            Some(used) => format!("{name} {used} of {}", limit["limit"]),
            None => format!("{name} {}", limit["limit"]),
        })
        .collect();
    lines.push(format!("Limits: {}.", limits.join(", ")));
    lines.join("\n")
}

pub(super) fn print_formats(body: &Value) -> String {
    let formats = body["print_formats"].as_array().into_iter().flatten();
    let lines: Vec<String> = formats
        .map(|format| {
            let trim = &format["trim"];
            format!(
                "{}: {}, for {} books, {} x {} mm ({} x {} inches), {} mm bleed; {}",
                text(format, "id"),
                text(format, "name"),
                text(format, "aspect"),
                trim["width_mm"],
                trim["height_mm"],
                trim["width_in"],
                trim["height_in"],
                format["bleed_mm"],
                printers(&format["printers"]),
            )
        })
        .collect();
    if lines.is_empty() {
        return "This server has no print formats.".into();
    }
    lines.join("\n")
}

/// The printing services that offer a format, with their limits.
fn printers(printers: &Value) -> String {
    let printers = printers.as_array().into_iter().flatten();
    let named: Vec<String> = printers
        .map(|printer| {
            let (least, most) = (&printer["min_pages"], &printer["max_pages"]);
            format!("{} ({least} to {most} pages)", text(printer, "edition"))
        })
        .collect();
    if named.is_empty() {
        return "at home only".into();
    }
    format!("at home, {}", named.join(", "))
}

/// The format of a PDF, as a sentence.
pub(super) fn print_format(format: &Value) -> String {
    let trim = &format["trim"];
    let pages = format["page_count"].as_i64();
    let pages = pages.map(|pages| format!(", for a book of {} with blank ones", counted(pages, "page")));
    format!(
        "Format: {} ({}), {} x {} inches{}.",
        text(format, "id"),
        text(format, "name"),
        trim["width_in"],
        trim["height_in"],
        pages.unwrap_or_default(),
    )
}

/// The order of a book's pages, of which only the first are named.
pub(super) fn page_order(book: &Value) -> String {
    let pages = book["pages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let first = pages.iter().take(MAX_ORDERED);
    let mut named: Vec<String> = first
        .map(|page| format!("{}. {} {}", page["position"], text(page, "id"), page["title"]))
        .collect();
    if pages.len() > MAX_ORDERED {
        named.push(format!("and {} more", pages.len() - MAX_ORDERED));
    }
    format!("The order is now: {}.", named.join(", "))
}

/// A book plan, with the arguments that turn it into a book.
pub(super) fn plan(plan: &Value) -> String {
    let pages = plan["credit_estimate"]["pages"].as_i64().unwrap_or_default();
    let mut lines = vec![format!(
        "A plan of {} for \"{}\", which costs {}.",
        counted(pages, "page"),
        text(&plan["generation_request"]["book"], "title"),
        credits(plan["credit_estimate"]["credits"].as_i64().unwrap_or_default()),
    )];
    for warning in plan["warnings"].as_array().into_iter().flatten() {
        let page = warning["page_number"].as_u64();
        let page = page.map(|page| format!(" of page {page}")).unwrap_or_default();
        lines.push(format!("Warning{page}: {}", text(warning, "message")));
    }
    lines.push(format!(
        "Arguments of create_book: {}",
        plan["generation_request"]["book"]
    ));
    lines.join("\n")
}

/// The description of a book without its pages.
pub(super) fn book_head(book: &Value) -> String {
    let mut head = format!(
        "{}: {}, {}, for the audience {}, language {}.",
        line(book),
        counted(book["page_count"].as_i64().unwrap_or_default(), "page"),
        text(book, "aspect"),
        text(book, "audience"),
        text(book, "language"),
    );
    for field in ["subtitle", "author", "description"] {
        if !text(book, field).is_empty() {
            head.push_str(&format!(" {field}: {}.", book[field]));
        }
    }
    let cover = &book["cover"];
    head.push_str(&format!(" Cover: {}, {}.", text(cover, "status"), cover["prompt"]));
    let characters: Vec<String> = book["characters"].as_array().into_iter().flatten().map(line).collect();
    if !characters.is_empty() {
        head.push_str(&format!(" Characters: {}.", characters.join(", ")));
    }
    head.push_str(&format!(" Print formats: {}.", list(&book["print_formats"])));
    head
}

/// The description of a book with these pages of it.
pub(super) fn book(book: &Value, pages: &[Value]) -> String {
    let mut lines = vec![book_head(book)];
    lines.extend(pages.iter().map(page_line));
    lines.join("\n")
}

/// The line for a page in a book, with the fields that are shown of it.
pub(super) fn page_line(page: &Value) -> String {
    let mut words = format!("{}. {}", page["position"], line(page));
    if let Some(operation) = page["active_operation_id"].as_str() {
        words.push_str(&format!(", drawn by {operation}"));
    }
    words.push_str(&page_details(page));
    words
}

/// The caption, prompt and faults, where they are part of the result.
fn page_details(page: &Value) -> String {
    let mut words = String::new();
    for field in ["caption", "prompt"] {
        if let Some(text) = page[field].as_str().filter(|text| !text.is_empty()) {
            words.push_str(&format!("; {field} {text:?}"));
        }
    }
    let faults: Vec<String> = page["faults"].as_array().into_iter().flatten().map(fault).collect();
    if !faults.is_empty() {
        words.push_str(&format!("; hard to color: {}", faults.join(", ")));
    }
    if let Some(message) = page["error"]["message"].as_str() {
        words.push_str(&format!("; {message}"));
    }
    words
}

/// The code of a fault with its explanation.
fn fault(code: &Value) -> String {
    let name = code.as_str().unwrap_or_default();
    match serde_json::from_value(code.clone()) {
        Ok(fault) => format!("{name} ({})", artwork::explain_fault(fault).trim_end_matches('.')),
        Err(_) => name.to_owned(),
    }
}

/// The next step after a book. `operations` are those that are drawing a part of the book; `next` is the position of
/// the first page that the result left out, if it left out any.
pub(super) fn after_book(book: &Value, operations: &[&str], next: Option<usize>) -> String {
    let id = text(book, "id");
    let more = match next {
        Some(position) => format!("get_book {id} with from_page: {position} for the pages after these. "),
        None => String::new(),
    };
    let now = match text(book, "status") {
        "ready" => format!(
            "get_book_pdf {id} in one of {}; look_at_page shows you a page.",
            list(&book["print_formats"])
        ),
        "generating" => match operations.split_first() {
            Some((first, rest)) => {
                let rest: String = rest.iter().take(MAX_NAMED).map(|id| format!(", then {id}")).collect();
                format!("wait_for_operation {first}{rest}.")
            }
            None => format!("get_book {id} again: its last drawing ended just now."),
        },
        _ => after_incomplete(book),
    };
    format!("{more}{now}")
}

fn after_incomplete(book: &Value) -> String {
    let pages = book["pages"].as_array().into_iter().flatten();
    let failed: Vec<&str> = pages
        .filter(|page| page["status"] == "failed")
        .map(|page| text(page, "id"))
        .collect();
    if failed.is_empty() {
        return format!(
            "generate_book_page or attach_book_page: {} has no pages.",
            text(book, "id")
        );
    }
    let named = &failed[..failed.len().min(MAX_NAMED)];
    format!(
        "regenerate_page, replace_page_image or detach_book_page for each page that could not be drawn: {}.",
        named.join(", ")
    )
}

/// The description of a page outside of a book.
pub(super) fn page(page: &Value) -> String {
    let books = list(&page["book_ids"]);
    let books = match books.as_str() {
        "" => "in no book".to_owned(),
        books => format!("in {books}"),
    };
    let mut words = format!("{}, {}, {books}", line(page), text(page, "aspect"));
    words.push_str(&page_details(page));
    let characters: Vec<String> = page["characters"].as_array().into_iter().flatten().map(line).collect();
    if !characters.is_empty() {
        words.push_str(&format!("; with {}", characters.join(", ")));
    }
    words.push('.');
    words
}

pub(super) fn after_page(page: &Value) -> String {
    let id = text(page, "id");
    match text(page, "status") {
        "ready" if page["book_ids"].as_array().is_some_and(Vec::is_empty) => {
            format!("look_at_page {id} shows it to you; attach_book_page adds it to a book.")
        }
        "ready" => format!("look_at_page {id} shows it to you; get_book returns its book."),
        "generating" => format!("wait_for_operation {}.", text(page, "active_operation_id")),
        _ => format!("call regenerate_page or replace_page_image with {id}: it could not be drawn."),
    }
}

pub(super) fn character(character: &Value) -> String {
    let mut words = line(character);
    for field in ["description", "style"] {
        if !text(character, field).is_empty() {
            words.push_str(&format!("; {field} {}", character[field]));
        }
    }
    if let Some(url) = character["public_preview_url"].as_str() {
        words.push_str(&format!("; public preview at {url}"));
    }
    words.push('.');
    words
}

pub(super) fn after_character(character: &Value) -> String {
    let id = text(character, "id");
    match text(character, "status") {
        "ready" => format!("name {id} in character_ids of a book or a page; look_at_character shows it to you."),
        "generating" => format!("wait_for_operation {}.", text(character, "active_operation_id")),
        _ => format!("regenerate_character {id}: it could not be drawn."),
    }
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

/// One line of a list: the name of an item, and the fields by which an agent chooses one.
pub(super) fn list_line(thing: &Value) -> String {
    let mut words = line(thing);
    if let Some(pages) = thing["page_count"].as_i64() {
        words.push_str(&format!(", {}", counted(pages, "page")));
    }
    if let Some(aspect) = thing["aspect"].as_str() {
        words.push_str(&format!(", {aspect}"));
    }
    if let Some(operation) = thing["active_operation_id"].as_str() {
        words.push_str(&format!(", drawn by {operation}"));
    }
    if let (Some(kind), Some(id)) = (thing["resource"]["type"].as_str(), thing["resource"]["id"].as_str()) {
        let progress = &thing["progress"];
        words.push_str(&format!(
            ", {kind} {id}, {} of {} drawn, {} failed",
            progress["completed"], progress["total"], progress["failed"]
        ));
    }
    words.push_str(&page_details(thing));
    words
}

/// The drawings of an operation that have an error or a note.
pub(super) fn notable_items(operation: &Value) -> Vec<&Value> {
    let items = operation["items"].as_array().into_iter().flatten();
    items
        .filter(|item| !item["error"].is_null() || !item["note"].is_null())
        .collect()
}

pub(super) fn operation(operation: &Value) -> String {
    let progress = &operation["progress"];
    let mut summary = format!(
        "{} ({}) is {}: {} of {} drawn, {} failed; {} charged, {} refunded.",
        text(operation, "id"),
        text(operation, "type"),
        text(operation, "status"),
        progress["completed"],
        progress["total"],
        progress["failed"],
        credits(operation["credits"]["charged"].as_i64().unwrap_or_default()),
        operation["credits"]["refunded"],
    );
    let items = notable_items(operation);
    for item in items.iter().take(MAX_NAMED) {
        let of = format!("{} {} {}", text(item, "type"), text(item, "id"), item["title"]);
        for words in [item["error"]["message"].as_str(), item["note"].as_str()] {
            summary.extend(words.map(|words| format!("\n{of}: {words}")));
        }
    }
    if items.len() > MAX_NAMED {
        summary.push_str(&format!("\nAnd {} more.", items.len() - MAX_NAMED));
    }
    summary
}

/// The next step after an operation; `exists` is false if its resource was deleted.
pub(super) fn after_operation(operation: &Value, exists: bool) -> String {
    let resource = &operation["resource"];
    let (kind, id) = (text(resource, "type"), text(resource, "id"));
    match text(operation, "status") {
        "queued" | "running" => format!("wait_for_operation {} again.", text(operation, "id")),
        _ if exists => format!("get_{kind} {id}."),
        _ if kind == "character" => format!("list_characters: {id} was archived."),
        _ => format!("list_{kind}s: {id} was deleted."),
    }
}

pub(super) fn download(body: &Value) -> String {
    format!(
        "{} of {} bytes, until {}: {}",
        text(body, "media_type"),
        body["byte_size"],
        text(body, "expires_at"),
        text(body, "url"),
    )
}

/// The findings of a print check.
pub(super) fn print_check(check: &Value) -> String {
    let findings = check["findings"].as_array().into_iter().flatten();
    let mut lines: Vec<String> = findings
        .map(|finding| {
            let pages: Vec<PageRange> = serde_json::from_value(finding["pages"].clone()).unwrap_or_default();
            let pages = page_words(&pages);
            let (message, remedy) = (text(finding, "message"), text(finding, "remedy"));
            format!("{} ({pages}): {message}; {remedy}.", text(finding, "severity"))
        })
        .collect();
    if lines.is_empty() {
        let pages = check["page_count"].as_i64().unwrap_or_default();
        lines.push(format!(
            "The check found nothing wrong in the PDF of {}.",
            counted(pages, "page")
        ));
    }
    lines.join("\n")
}

/// A resource by its id, name and status.
fn line(thing: &Value) -> String {
    let name = ["title", "name", "type"]
        .into_iter()
        .find_map(|field| thing[field].as_str());
    let status = thing["status"].as_str().map(|status| format!(", {status}"));
    let name = name.unwrap_or_default();
    format!("{} {name:?}{}", text(thing, "id"), status.unwrap_or_default())
}

pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn list(value: &Value) -> String {
    let items: Vec<&str> = value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    items.join(", ")
}
