//! The handover of an account to the verified owner of its address.
use super::end_all;
use crate::accounts;
use crate::grants;
use crate::previews;
use crate::review_links;
use crate::webhooks;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Locks the account's row for its owner, who was verified by a provider, or to whom the operator gave a password or a
/// link. If the address was not verified before, another person may have signed up with it, so every existing way to
/// sign in ends, and so do the webhooks, which would receive the owner's events, and the public previews and review
/// links, which would show the owner's characters and books; returns the hashes of the sign-in links among them. A
/// closed or suspended account gets nothing: the caller must refuse it and roll back.
pub(super) async fn lock_for_owner(app: &App, tx: &mut Tx, account: &AccountId) -> Result<Vec<String>> {
    if accounts::is_unverified(tx, account).await? {
        // These rows are locked before the account's row.
        end_access_of_others(app, tx, account).await?;
    }
    accounts::lock(app, tx, account).await?;
    if let Some(sandbox) = accounts::sandbox_of(tx, account).await? {
        // A request with a test key locks the sandbox only.
        accounts::lock(app, tx, &sandbox).await?;
    }
    if accounts::is_locked_out(tx, account).await? {
        return Ok(Vec::new());
    }
    // Nothing ends if another request verified the owner in the meantime: its sessions are the owner's.
    if !accounts::is_unverified(tx, account).await? {
        return Ok(Vec::new());
    }
    // Ends what was made before the lock was taken. Later requests of the former owner find that their credential has
    // ended.
    end_access_of_others(app, tx, account).await?;
    accounts::mark_verified(app, tx, account).await?;
    end_all(tx, account).await
}

/// Ends what other people and programs can reach of the account. Characters are locked before webhooks, as by a worker
/// that completes the drawing of a character.
async fn end_access_of_others(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    previews::end_all(tx, account).await?;
    webhooks::delete_all(tx, account).await?;
    review_links::delete_all(tx, account).await?;
    grants::revoke_all(app, tx, account).await?;
    Ok(())
}
