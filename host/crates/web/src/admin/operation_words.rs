//! Operations and their drawings in words.
use linepress_core::operations::{OperationStatus, OperationType};
use linepress_drawings::queue::{DrawingStatus, TargetType};
use linepress_operator::administration::operations::{ManagedDrawing, ManagedOperation, WaitReason, Waiting};

use crate::when::When;

pub(super) fn kind(kind: OperationType) -> &'static str {
    match kind {
        OperationType::CharacterCreate => "New character",
        OperationType::CharacterRegenerate => "Character again",
        OperationType::PageCreate => "New page",
        OperationType::PageRegenerate => "Page again",
        OperationType::PageRefine => "Change of a page",
        OperationType::BookRestyle => "New style of a book",
        OperationType::BookCreate => "New book",
        OperationType::BookAddPage => "New page of a book",
        OperationType::BookRegenerateCover => "Cover again",
    }
}

/// The label of a state, and the class of its badge.
pub(super) fn status(status: OperationStatus) -> (&'static str, &'static str) {
    match status {
        OperationStatus::Queued => ("Queued", "waits"),
        OperationStatus::Running => ("Being drawn", "generating"),
        OperationStatus::Succeeded => ("Done", "ready"),
        OperationStatus::PartiallySucceeded => ("Partly failed", "incomplete"),
        OperationStatus::Failed => ("Failed", "incomplete"),
    }
}

pub(super) fn drawing_status(drawing: &ManagedDrawing) -> (&'static str, &'static str) {
    match drawing.status {
        DrawingStatus::Succeeded => ("Done", "ready"),
        DrawingStatus::Failed => ("Failed", "incomplete"),
        _ if drawing.waiting.is_some() => ("Waits", "waits"),
        DrawingStatus::Queued => ("Queued", "waits"),
        DrawingStatus::Running => ("Being drawn", "generating"),
    }
}

pub(super) fn target(target: TargetType) -> &'static str {
    match target {
        TargetType::Character => "Character",
        TargetType::Page => "Page",
        TargetType::Cover => "Cover",
    }
}

/// The number of drawings that have ended, of all.
pub(super) fn progress(operation: &ManagedOperation) -> String {
    let progress = &operation.progress;
    let done = format!("{} of {}", progress.completed, progress.total);
    match progress.failed {
        0 => done,
        failed => format!("{done}, {failed} failed"),
    }
}

/// The reason why a drawing waits.
pub(super) fn waiting(waiting: &Waiting) -> String {
    let until = waiting.until.map(|until| When::new(until).shown);
    let provider = waiting.provider.as_deref();
    match (waiting.reason, until, provider) {
        (WaitReason::QueuePaused, ..) => "An operator paused the queue.".into(),
        (WaitReason::NextAttempt, Some(until), _) => format!("It is tried again at {until} UTC."),
        (WaitReason::NextAttempt, None, _) => "It waits for its next attempt.".into(),
        (WaitReason::ProvidersPaused, Some(until), _) => {
            format!("Every image provider that can draw it is paused, until {until} UTC at the earliest.")
        }
        (WaitReason::ProvidersPaused, None, _) => "Every image provider that can draw it is paused.".into(),
        (WaitReason::ProvidersSwitchedOff, ..) => {
            "An operator switched off every image provider that can draw it.".into()
        }
        (WaitReason::NoProvider, ..) => "No image provider is loaded that can draw it.".into(),
        (WaitReason::ProviderBusy, _, Some(provider)) => {
            format!("{provider} is busy: it already has its maximum number of calls.")
        }
        (WaitReason::ProviderBusy, _, None) => "The image provider is busy.".into(),
        (WaitReason::WorkerLost, ..) => "Its worker stopped responding. Another worker takes it over.".into(),
        (WaitReason::Turn, _, Some(provider)) => {
            format!("Other drawings have their turn before it. {provider} would draw it.")
        }
        (WaitReason::Turn, ..) => "Other drawings have their turn before it.".into(),
    }
}
