//! The owner of an address comes to an account that somebody made with it.
use super::end_all;
use crate::accounts;
use crate::app::App;
use crate::database::Tx;
use crate::error::Result;
use crate::grants;
use crate::ids::AccountId;

/// Locks the account's row for its owner: whom a provider knows by the address, or to whom the operator gave a password or a
/// link. Somebody else may have signed up with the address, and waited. Then all that opens the account to anybody ends;
/// returns the hashes of the links among it.
pub(super) async fn lock_for_owner(app: &App, tx: &mut Tx, account: &AccountId) -> Result<Vec<String>> {
    if accounts::is_unverified(tx, account).await? {
        // Before the account's row is locked: grants are locked first.
        grants::revoke_all(app, tx, account).await?;
    }
    accounts::lock(app, tx, account).await?;
    // Not if the owner came another way at the same moment: what there is now is theirs.
    if !accounts::is_unverified(tx, account).await? {
        return Ok(Vec::new());
    }
    // What was granted meanwhile: from now on only the owner grants anything.
    grants::revoke_all(app, tx, account).await?;
    accounts::verify(app, tx, account).await?;
    end_all(tx, account).await
}
