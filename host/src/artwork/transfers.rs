//! Files on their way to clients and from them: streamed, and not too many of one account at a time.
use std::time::Duration;

use futures::StreamExt as _;

use crate::app::App;
use crate::error::{Error, ErrorKind};
use crate::fair_share::Permit;
use crate::ids::AccountId;
use crate::storage::StoredObject;

/// How long a transfer waits until another one of the account has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits for a place among the account's transfers.
///
/// It is held until the file was sent, its client is gone, or the file has arrived.
pub async fn place(app: &App, account: &AccountId) -> Result<Permit, Error> {
    app.transfers.within(account, PATIENCE).await.map_err(|_| {
        ErrorKind::RateLimited {
            what: "images, PDFs and files of this account are being sent or received at a time",
            retry_after: PATIENCE,
        }
        .into()
    })
}

/// The same object, which keeps the place until it was sent or its client is gone.
pub fn holding(object: StoredObject, place: Permit) -> StoredObject {
    object.with_chunks(|chunks| {
        let held = chunks.map(move |chunk| {
            let _ = &place;
            chunk
        });
        held.boxed()
    })
}
