//! The second factor of an account: after the password, signing in needs a code of an authenticator app, or a recovery
//! code.
//!
//! It protects the password only. Sign-in with an OpenID Connect provider is as safe as the provider makes it, and API
//! keys and apps have credentials of their own.
mod app_secret;
mod check;
mod enrolment;
mod pending;
mod recovery_code;
mod store;

pub use app_secret::CODE_DIGITS;
pub use check::MAX_CODE_CHARS;
pub use enrolment::{Confirmation, Enrolment, Status, begin_enrolment, confirm, status, turn_off};
pub(super) use pending::begin_or_await_code;
pub use pending::forget_expired;
pub use pending::{Completion, PENDING_LIFETIME, PasswordSignIn, PendingSignIn, complete_sign_in, is_pending};
pub use recovery_code::{RECOVERY_CODES, RecoveryCode};

use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Removes the account's second factor with its recovery codes, and ends the sign-ins that await a code. The caller has
/// locked the account's row.
pub async fn remove(tx: &mut Tx, account: &AccountId) -> Result<()> {
    end_pending(tx, account).await?;
    store::delete_recovery_codes(tx, account).await?;
    Ok(store::delete(tx, account).await?)
}

/// Ends the account's sign-ins that await a code. The caller has locked the account's row.
pub(super) async fn end_pending(tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::delete_pending_of(tx, account).await?)
}
