//! Sign-in: passwords and the second factor, single-use links, an OpenID Connect provider, and browser sessions.
mod links;
mod owner;
mod password;
pub mod provider;
pub mod second_factor;
mod session;
mod sign_up;
mod store;
mod verification;

pub use links::create_first_account;
pub use links::{
    FirstAccount, LINK_LIFETIME, PasswordLink, account_of_password_reset, offer_first_account, opens_first_account,
    request_password_link, reset_password,
};
pub use links::{add_password_link, forget_expired_links, offer_password_reset};
pub use password::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordOwner, change_password, has_password};
pub use password::{PasswordHash, is_password_set, set_password};
pub use session::forget_expired;
pub use session::{CurrentSession, MAX_SESSION_LIFETIME, NewSession, end, find_session, with_password};
pub use sign_up::sign_up;
pub use verification::add_link as add_verification_link;
pub use verification::{awaits_verification, request_link as request_verification, verify_address};

use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Ends every way to sign in to the account; returns the hashes of its links. The caller has locked the account's row.
pub async fn end_all(tx: &mut Tx, account: &AccountId) -> Result<Vec<String>> {
    store::end_sessions(tx, account).await?;
    store::delete_password(tx, account).await?;
    store::delete_identities(tx, account).await?;
    second_factor::remove(tx, account).await?;
    Ok(store::end_links(tx, account).await?)
}
