//! Operations, with the drawings that an agent should know of.
use serde::Serialize;
use utoipa::ToSchema;

use super::Meta;
use linepress_core::operations::{
    Item, Operation, OperationCredits, OperationStatus, OperationType, Progress, ResourceLink, SafeError,
};
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::OperationId;

/// The most failed drawings that one result lists.
const MAX_FAILED_ITEMS: usize = 20;

/// The summary of an operation, for lists.
#[derive(Serialize, ToSchema)]
pub(crate) struct OperationSummary {
    id: OperationId,
    #[serde(rename = "type")]
    kind: OperationType,
    status: OperationStatus,
    progress: Progress,
    credits: OperationCredits,
    resource: ResourceLink,
    error: Option<SafeError>,
    #[schema(value_type = String)]
    created_at: Timestamp,
    #[schema(value_type = Option<String>)]
    started_at: Option<Timestamp>,
    #[schema(value_type = Option<String>)]
    finished_at: Option<Timestamp>,
}

impl From<&Operation> for OperationSummary {
    fn from(operation: &Operation) -> Self {
        // Destructured by name, so that a new field must be shown or left out on purpose.
        let Operation {
            id,
            kind,
            status,
            progress,
            credits,
            resource,
            items: _,
            error,
            url: _,
            created_at,
            started_at,
            finished_at,
        } = operation;
        Self {
            id: id.clone(),
            kind: *kind,
            status: *status,
            progress: *progress,
            credits: *credits,
            resource: ResourceLink::new(resource.kind, &resource.id),
            error: error.clone(),
            created_at: *created_at,
            started_at: *started_at,
            finished_at: *finished_at,
        }
    }
}

/// The result of `list_operations`.
#[derive(Serialize, ToSchema)]
pub(crate) struct OperationsResult {
    pub operations: Vec<OperationSummary>,
    pub meta: Meta,
}

/// An operation with its counts, and with the drawings that failed or have a note from the provider.
#[derive(Serialize, ToSchema)]
pub(crate) struct OperationDetail {
    #[serde(flatten)]
    summary: OperationSummary,
    items: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items_left_out: Option<usize>,
}

impl From<&Operation> for OperationDetail {
    fn from(operation: &Operation) -> Self {
        let items = notable_items(operation);
        let left_out = items.len().saturating_sub(MAX_FAILED_ITEMS);
        Self {
            summary: operation.into(),
            items: items.into_iter().take(MAX_FAILED_ITEMS).cloned().collect(),
            items_left_out: (left_out > 0).then_some(left_out),
        }
    }
}

/// The result of a tool that returns one operation.
#[derive(Serialize, ToSchema)]
pub(crate) struct OperationResult {
    operation: OperationDetail,
}

impl From<&Operation> for OperationResult {
    fn from(operation: &Operation) -> Self {
        Self {
            operation: operation.into(),
        }
    }
}

/// The drawings of an operation that have an error or a note.
pub(crate) fn notable_items(operation: &Operation) -> Vec<&Item> {
    let items = operation.items.iter();
    items
        .filter(|item| item.error.is_some() || item.note.is_some())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::samples;

    #[test]
    fn an_operation_lists_some_of_its_failed_drawings_and_counts_the_others() {
        let detail = json!(OperationDetail::from(&samples::operation(
            OperationStatus::Failed,
            MAX_FAILED_ITEMS as i64 + 3
        )));
        assert_eq!(detail["items"].as_array().unwrap().len(), MAX_FAILED_ITEMS);
        assert_eq!(detail["items_left_out"], 3);
        let summary = json!(OperationSummary::from(&samples::operation(OperationStatus::Running, 1)));
        assert_eq!(summary["resource"], json!({"type": "book", "id": "book_1"}));
        assert!(
            summary.get("items").is_none() && summary.get("url").is_none(),
            "{summary}"
        );
    }
}
