//! The short texts beside results: what a thing is, where it stands, what to do next. An agent that reads nothing else can
//! go on with them.
use linepress_preflight::{PageRange, page_words};
use serde_json::Value;

use crate::generation::Accepted;

pub(super) fn accepted(body: &Value, accepted: &Accepted) -> String {
    let operation = &body["operation"];
    let target = ["book", "page", "character"]
        .into_iter()
        .find(|name| body[name].is_object());
    let target = target
        .map(|name| format!("{name} {}", text(&body[name], "id")))
        .unwrap_or_default();
    let cost = if accepted.replayed {
        "This order was accepted before; nothing more was spent".to_owned()
    } else {
        format!("Accepted for {} credits", accepted.consumed)
    };
    format!(
        "{cost}; {} are left. {} draws {target}. Next: wait_for_operation.",
        accepted.available,
        text(operation, "id"),
    )
}

pub(super) fn account(body: &Value) -> String {
    let account = &body["account"];
    let formats = list(&account["capabilities"]["print_formats"]);
    format!(
        "{} on the {} plan has {} credits. Print formats: {formats}.",
        text(account, "email"),
        text(&account["plan"], "name"),
        account["credits"]["available"],
    )
}

pub(super) fn plan(body: &Value) -> String {
    let plan = &body["book_plan"];
    let mut lines = vec![format!(
        "A plan of {} pages for \"{}\", {} credits as it stands. Show it to your person, change what they like, then call create_book with the fields of generation_request.book.",
        plan["credit_estimate"]["pages"],
        text(&plan["generation_request"]["book"], "title"),
        plan["credit_estimate"]["credits"],
    )];
    let concepts = plan["page_concepts"].as_array().into_iter().flatten();
    for (number, concept) in (1..).zip(concepts) {
        lines.push(format!(
            "{number}. {}: {}",
            text(concept, "title"),
            text(concept, "prompt")
        ));
    }
    lines.join("\n")
}

pub(super) fn book(body: &Value) -> String {
    let book = &body["book"];
    let mut lines = vec![line(book)];
    let pages = book["pages"].as_array().into_iter().flatten();
    lines.extend(pages.map(|page| format!("{}. {}", page["position"], line(page))));
    lines.push(match text(book, "status") {
        "ready" => format!("Next: get_book_pdf in one of {}.", list(&book["print_formats"])),
        "generating" => format!("Next: wait_for_operation {}.", operation_of(book)),
        _ => "A page failed or there is none: regenerate_page, replace_page_image or detach_book_page it.".into(),
    });
    lines.join("\n")
}

pub(super) fn page(body: &Value) -> String {
    thing(&body["page"], "get_page_image shows it")
}

pub(super) fn character(body: &Value) -> String {
    thing(
        &body["character"],
        "get_character_image shows it; name it in character_ids",
    )
}

fn thing(thing: &Value, ready: &str) -> String {
    let next = match text(thing, "status") {
        "ready" => format!("{ready}."),
        "generating" => format!("Next: wait_for_operation {}.", operation_of(thing)),
        _ => "It could not be drawn: regenerate it.".into(),
    };
    format!("{} {next}", line(thing))
}

/// A list under `name`.
pub(super) fn many(body: &Value, name: &str) -> String {
    let items: Vec<String> = body[name].as_array().into_iter().flatten().map(line).collect();
    if items.is_empty() {
        return format!("No {}.", name.replace('_', " "));
    }
    let more = match body["meta"]["next_cursor"].as_str() {
        Some(cursor) => format!("\nMore: the same again with after: {cursor}"),
        None => String::new(),
    };
    format!("{}{more}", items.join("\n"))
}

pub(super) fn operation(body: &Value) -> String {
    let operation = &body["operation"];
    let progress = &operation["progress"];
    let mut summary = format!(
        "{} is {}: {} of {} drawn, {} failed, {} credits charged, {} refunded.",
        text(operation, "id"),
        text(operation, "status"),
        progress["completed"],
        progress["total"],
        progress["failed"],
        operation["credits"]["charged"],
        operation["credits"]["refunded"],
    );
    for item in operation["items"].as_array().into_iter().flatten() {
        if let Some(message) = item["error"]["message"].as_str() {
            summary.push_str(&format!("\n{} {}: {message}", text(item, "type"), text(item, "id")));
        }
    }
    let resource = &operation["resource"];
    summary.push_str(&match text(operation, "status") {
        "queued" | "running" => "\nNext: wait_for_operation again.".to_owned(),
        _ => format!("\nNext: get_{0} {1}.", text(resource, "type"), text(resource, "id")),
    });
    summary
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

/// What a printer would find.
pub(super) fn print_check(body: &Value) -> String {
    let check = &body["print_check"];
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
        lines.push(format!("Nothing is wrong with its {} pages.", check["page_count"]));
    }
    lines.join("\n")
}

/// One line for one thing of a list.
fn line(thing: &Value) -> String {
    let name = ["title", "name", "type"]
        .into_iter()
        .find_map(|field| thing[field].as_str());
    let status = thing["status"].as_str().map(|status| format!(", {status}"));
    let name = name.unwrap_or_default();
    format!("{} \"{name}\"{}", text(thing, "id"), status.unwrap_or_default())
}

fn operation_of(thing: &Value) -> &str {
    text(thing, "active_operation_id")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
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
