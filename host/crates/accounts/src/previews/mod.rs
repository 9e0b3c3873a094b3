//! The end of public previews of characters, when their account is closed, and when it gets another owner. The crate
//! `linepress-core` makes them.
mod store;

use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Turns off the public previews of an account that is closed or gets another owner, and those of its sandbox.
pub async fn end_all(tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::end_all(tx, account).await?)
}
