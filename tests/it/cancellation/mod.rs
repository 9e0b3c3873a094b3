//! Deleting or archiving a resource while a drawing for it waits or is in progress.
mod books;
mod characters;
mod orders;
mod pages;

use crate::testing;
use linepress_core::operations::{FailureCode, Item, Operation, OperationCredits, OperationStatus};

use crate::test_app::{Actor, TestApp};

/// Fails unless the operation ended without any drawing and was fully refunded.
#[track_caller]
fn check_canceled(operation: &Operation, credits: i64) {
    assert_eq!(operation.status, OperationStatus::Failed, "{operation:?}");
    let refunded = OperationCredits {
        charged: credits,
        refunded: credits,
    };
    assert_eq!(operation.credits, refunded);
    assert_eq!(operation.error.as_ref().unwrap().code, FailureCode::Canceled);
    assert!(is_canceled(&operation.items[0]));
    assert!(operation.finished_at.is_some());
}

fn is_canceled(item: &Item) -> bool {
    item.error
        .as_ref()
        .is_some_and(|error| error.code == FailureCode::Canceled)
}

/// Attempts the next drawing, and deletes `path` before its picture is stored.
pub(crate) async fn delete_while_it_is_drawn(app: &TestApp, actor: &Actor, path: &str) {
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    let deletion = async {
        // Lets the attempt check its target and begin to draw.
        app.until_reads_have_ended().await;
        actor.delete(path).await.expect_no_content();
    };
    testing::attempt_while(&app.server, &claimed, deletion).await;
}
