//! Operations.
use linepress_core::operations::{Operation, OperationStatus, ResourceType};
use linepress_drawings::queue::TargetType;

use super::{MAX_NAMED, credits, named_with_status, quoted};
use crate::results::operations::notable_items;

/// The line for an operation in a list.
pub(crate) fn list_line(operation: &Operation) -> String {
    let resource = &operation.resource;
    let mut words = format!(
        "{}, {} {}, {}",
        named_with_status(&operation.id, operation.kind.as_str(), operation.status),
        resource.kind,
        resource.id,
        counts(operation),
    );
    if let Some(error) = &operation.error {
        words.push_str(&format!("; {}", error.message));
    }
    words
}

/// The progress of an operation for people who wait for it, and the reason why it failed.
pub(crate) fn progress(operation: &Operation) -> String {
    match &operation.error {
        Some(error) => format!("{}. {}", counts(operation), error.message),
        None => format!("{}.", counts(operation)),
    }
}

/// The numbers of drawings that have ended, as a phrase.
fn counts(operation: &Operation) -> String {
    let progress = &operation.progress;
    format!(
        "{} of {} drawn, {} failed",
        progress.completed, progress.total, progress.failed
    )
}

pub(crate) fn operation(operation: &Operation) -> String {
    let mut summary = format!(
        "{} ({}) is {}: {}; {} charged, {} refunded.",
        operation.id,
        operation.kind,
        operation.status,
        counts(operation),
        credits(operation.credits.charged),
        operation.credits.refunded,
    );
    let items = notable_items(operation);
    for item in items.iter().take(MAX_NAMED) {
        let of = format!("{} {} {}", item.kind, item.id, quoted(&item.title));
        let error = item.error.as_ref().map(|error| error.message.as_ref());
        for words in [error, item.note.as_deref()].into_iter().flatten() {
            summary.push_str(&format!("\n{of}: {words}"));
        }
    }
    if items.len() > MAX_NAMED {
        summary.push_str(&format!("\nAnd {} more.", items.len() - MAX_NAMED));
    }
    summary
}

/// The next step after an operation; `exists` is false if its resource was deleted.
pub(crate) fn after_operation(operation: &Operation, exists: bool) -> String {
    let (kind, id) = (operation.resource.kind, &operation.resource.id);
    match (operation.status, kind) {
        (OperationStatus::Queued | OperationStatus::Running, _) => {
            format!("wait_for_operation {} again.", operation.id)
        }
        _ if exists => match drawn_in_variants(operation) {
            Some(drawn) => {
                format!("list_attempts with {drawn}, then choose_attempt for another variant than the first.")
            }
            None => format!("get_{kind} {id}."),
        },
        (_, ResourceType::Character) => format!("list_characters: {id} was archived."),
        (_, ResourceType::Page | ResourceType::Book) => format!("list_{kind}s: {id} was deleted."),
    }
}

/// The page, cover or character of which the operation drew several variants, as an argument of list_attempts.
fn drawn_in_variants(operation: &Operation) -> Option<String> {
    let [first, second, ..] = &*operation.items else {
        return None;
    };
    let argument = match first.kind {
        TargetType::Page => "page_id",
        TargetType::Cover => "book_id",
        TargetType::Character => "character_id",
    };
    (first.kind == second.kind && first.id == second.id).then(|| format!("{argument}: {}", first.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn an_operation_names_some_of_its_failed_drawings_and_counts_the_others() {
        let failed = operation(&samples::operation(OperationStatus::PartiallySucceeded, 21));
        let lines: Vec<&str> = failed.lines().collect();
        assert_eq!(
            lines[0],
            "op_1 (book.create) is partially_succeeded: 2 of 23 drawn, 21 failed; 22 credits charged, 21 refunded."
        );
        assert_eq!(lines[1], "page page_1 \"A fox\": Not drawn.");
        assert_eq!((lines.len(), lines[21]), (22, "And 1 more."));
    }

    #[test]
    fn the_line_of_an_operation_has_its_progress_and_error() {
        let mut failed = samples::operation(OperationStatus::Failed, 1);
        failed.error = Some(samples::failure());
        assert_eq!(
            list_line(&failed),
            "op_1 \"book.create\", failed, book book_1, 2 of 3 drawn, 1 failed; Not drawn."
        );
        assert_eq!(progress(&failed), "2 of 3 drawn, 1 failed. Not drawn.");
        let running = samples::operation(OperationStatus::Running, 0);
        assert_eq!(progress(&running), "2 of 2 drawn, 0 failed.");
    }

    #[test]
    fn the_next_step_after_an_operation_leads_to_what_still_exists() {
        let mut operation = samples::operation(OperationStatus::Running, 0);
        assert_eq!(after_operation(&operation, true), "wait_for_operation op_1 again.");
        operation.status = OperationStatus::Succeeded;
        assert_eq!(after_operation(&operation, true), "get_book book_1.");
        assert_eq!(after_operation(&operation, false), "list_books: book_1 was deleted.");
        operation.resource.kind = ResourceType::Character;
        assert_eq!(
            after_operation(&operation, false),
            "list_characters: book_1 was archived."
        );
    }

    #[test]
    fn the_next_step_after_variants_is_to_choose_one() {
        let mut operation = samples::operation(OperationStatus::PartiallySucceeded, 2);
        assert_eq!(after_operation(&operation, true), "get_book book_1.");
        for (kind, argument) in [
            (TargetType::Page, "page_id"),
            (TargetType::Cover, "book_id"),
            (TargetType::Character, "character_id"),
        ] {
            for item in &mut operation.items {
                (item.kind, item.id) = (kind, "id_1".into());
            }
            assert_eq!(
                after_operation(&operation, true),
                format!("list_attempts with {argument}: id_1, then choose_attempt for another variant than the first.")
            );
        }
    }
}
