//! Links that switch a notice off without a sign-in. A link contains the account and the notice, authenticated with a
//! MAC, and has no expiry, because mails are kept for years.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::notices::{self, Notice};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Length of the MAC: 128 bits, half of a SHA-256.
const TAG_BYTES: usize = 16;

fn mac(app: &App) -> Hmac<Sha256> {
    let key = app.root_secret.key_for("unsubscribe");
    Hmac::new_from_slice(&key).expect("HMAC takes a key of any length")
}

/// The token of the link in a notice to this account.
pub(super) fn token(app: &App, account: &AccountId, notice: Notice) -> String {
    let mut bytes = format!("{notice} {account}").into_bytes();
    let tag = mac(app).chain_update(&bytes).finalize().into_bytes();
    bytes.extend(&tag[..TAG_BYTES]);
    URL_SAFE_NO_PAD.encode(bytes)
}

fn open(app: &App, token: &str) -> Option<(AccountId, Notice)> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (text, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
    mac(app).chain_update(text).verify_truncated_left(tag).ok()?;
    let (notice, account) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    Some((AccountId::from_text(account), Notice::parse(notice)?))
}

/// The notice that the link switches off. None when the link is invalid.
pub fn notice_of_link(app: &App, token: &str) -> Option<Notice> {
    open(app, token).map(|(_, notice)| notice)
}

/// Switches off the notice of a link. Returns false when the link is invalid.
pub async fn unsubscribe(app: &App, token: &str) -> Result<bool> {
    let Some((account, notice)) = open(app, token) else {
        return Ok(false);
    };
    let mut tx = app.database.begin().await?;
    notices::switch_off(app, &mut tx, &account, notice).await?;
    tx.commit().await?;
    Ok(true)
}
