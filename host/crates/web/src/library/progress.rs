//! The progress of an operation, for a page that follows it.
use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::operations;
use linepress_core::queue::TargetType;
use linepress_platform::error::Result;
use linepress_platform::ids::OperationId;

/// An operation in progress.
pub(super) struct Following {
    pub id: OperationId,
    pub ended: i64,
    pub failed: i64,
    pub total: i64,
    /// True if one of the drawings is a cover.
    pub has_cover: bool,
}

impl Following {
    pub(super) async fn find(app: &App, caller: &Caller, id: Option<&OperationId>) -> Result<Option<Self>> {
        let Some(id) = id else { return Ok(None) };
        let operation = operations::get(app, caller, id).await?;
        let under_way = operation.filter(|operation| !operation.status.is_terminal());
        Ok(under_way.map(|operation| Self {
            has_cover: operation.items.iter().any(|item| item.kind == TargetType::Cover),
            id: operation.id,
            ended: operation.progress.completed + operation.progress.failed,
            failed: operation.progress.failed,
            total: operation.progress.total,
        }))
    }
}
