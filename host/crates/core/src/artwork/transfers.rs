//! Transfers of files to and from clients: streamed, with a limit of concurrent transfers per account.
use std::time::Duration;

use futures::StreamExt as _;

use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::fair_share::Permit;
use linepress_platform::ids::AccountId;
use linepress_platform::storage::StoredObject;

/// Maximum time that a transfer waits for another one of the same account to end.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Waits for one of the account's places for transfers.
///
/// The permit is held until the file was sent or received, or the client has disconnected.
pub async fn place(app: &App, account: &AccountId) -> Result<Permit, Error> {
    app.transfers.within(account, MAX_WAIT).await.map_err(|_| {
        ErrorKind::RateLimited {
            what: "images, PDFs and files of this account are being sent or received at a time",
            retry_after: MAX_WAIT,
        }
        .into()
    })
}

/// The same object, which holds the place until it was sent or its client has disconnected.
pub(crate) fn hold_place(object: StoredObject, place: Permit) -> StoredObject {
    object.with_chunks(|chunks| {
        let held = chunks.map(move |chunk| {
            let _ = &place;
            chunk
        });
        held.boxed()
    })
}
