//! The unforgeable part of a link: its target, authenticated with a MAC.
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::{LINK_LIFETIME, Target};
use crate::app::App;
use crate::caller::Caller;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AccountId, GrantId};

/// The contents of a link, with short field names because people and agents copy links by hand.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sealed {
    #[serde(rename = "a")]
    pub account: AccountId,
    /// The grant under which the agent acted. The link ends with the grant.
    #[serde(rename = "g")]
    pub grant: GrantId,
    #[serde(rename = "t")]
    pub target: Target,
    /// The expiry in microseconds since the Unix epoch.
    #[serde(rename = "e")]
    expires_at: i64,
}

/// Length of the MAC: 128 bits, half of a SHA-256.
const TAG_BYTES: usize = 16;

fn mac(app: &App) -> Hmac<Sha256> {
    let key = app.root_secret.key_for("downloads");
    Hmac::new_from_slice(&key).expect("HMAC takes a key of any length")
}

pub(super) fn seal(app: &App, caller: &Caller, target: Target, expires_at: Timestamp) -> Result<String> {
    let Some(grant) = caller.grant() else {
        return Err(Error::internal("a link to a file was asked for without a grant"));
    };
    let sealed = Sealed {
        account: caller.account_id().clone(),
        grant: grant.id.clone(),
        target,
        expires_at: expires_at.microseconds(),
    };
    let mut bytes = serde_json::to_vec(&sealed)?;
    let tag = mac(app).chain_update(&bytes).finalize().into_bytes();
    bytes.extend(&tag[..TAG_BYTES]);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Maximum difference between the clocks of two nodes.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(60);

/// The contents of a token. None when its MAC is wrong, when it has expired, or when it lasts longer than any link that
/// this server makes.
pub(super) fn open(app: &App, token: &str) -> Option<Sealed> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (json, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
    mac(app).chain_update(json).verify_truncated_left(tag).ok()?;
    let sealed: Sealed = serde_json::from_slice(json).ok()?;
    let now = app.clock.now();
    let latest = now.plus(LINK_LIFETIME + MAX_CLOCK_DIFFERENCE).microseconds();
    (now.microseconds()..latest)
        .contains(&sealed.expires_at.saturating_sub(1))
        .then_some(sealed)
}
