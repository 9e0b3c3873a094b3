//! The unforgeable part of a link to a file, which an app passes on to its user: the link's target, authenticated with
//! a MAC.
//!
//! Links are not stored. The account, and the grant or the API key that a link was made under, are checked on each use.
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::accounts;
use crate::caller::Caller;
use crate::credentials;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AccountId, GrantId, KeyId};

/// The time for which a link works.
pub const LINK_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Maximum difference between the clocks of two nodes.
const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(60);

/// Length of the MAC: 128 bits, half of a SHA-256.
const TAG_BYTES: usize = 16;

/// The contents of a link, with short field names because people and agents copy links by hand.
#[derive(Debug, Serialize, Deserialize)]
struct Sealed<T> {
    #[serde(rename = "a")]
    account: AccountId,
    /// The grant or the API key under which the agent acted. The link ends with it.
    #[serde(flatten)]
    under: Under,
    #[serde(rename = "t")]
    target: T,
    /// The expiry in microseconds since the Unix epoch.
    #[serde(rename = "e")]
    expires_at: i64,
}

/// What a link ends with.
#[derive(Debug, Serialize, Deserialize)]
enum Under {
    #[serde(rename = "g")]
    Grant(GrantId),
    #[serde(rename = "k")]
    Key(KeyId),
}

impl Under {
    fn from_caller(caller: &Caller) -> Result<Self> {
        let grant = caller.grant().map(|grant| Self::Grant(grant.id.clone()));
        let under = grant.or_else(|| caller.key_id().cloned().map(Self::Key));
        under.ok_or_else(|| Error::internal("a link to a file was asked for without a grant or an API key"))
    }

    async fn is_active(&self, app: &App, account: &AccountId) -> Result<bool> {
        match self {
            Self::Grant(grant) => credentials::is_grant_active(app, account, grant).await,
            Self::Key(key) => accounts::keys::is_active(app, account, key).await,
        }
    }
}

fn mac(app: &App) -> Hmac<Sha256> {
    let key = app.root_secret.key_for("downloads");
    Hmac::new_from_slice(&key).expect("HMAC takes a key of any length")
}

/// Makes the token of a link to a target of the caller, who must act under a grant or with an API key; returns it with
/// its expiry.
pub fn seal_link(app: &App, caller: &Caller, target: impl Serialize) -> Result<(String, Timestamp)> {
    caller.require_reading()?;
    let under = Under::from_caller(caller)?;
    let expires_at = app.clock.now().plus(LINK_LIFETIME);
    let sealed = Sealed {
        account: caller.account_id().clone(),
        under,
        target,
        expires_at: expires_at.microseconds(),
    };
    let mut bytes = serde_json::to_vec(&sealed)?;
    let tag = mac(app).chain_update(&bytes).finalize().into_bytes();
    bytes.extend(&tag[..TAG_BYTES]);
    Ok((URL_SAFE_NO_PAD.encode(bytes), expires_at))
}

/// The caller that opens the link of this token, and the link's target; `None` when the token was not made by this
/// installation or has expired, when its grant or key has ended, or when the account is closed or suspended. An error
/// when the account no longer has the plan.
pub async fn caller_of_link<T: DeserializeOwned>(app: &App, token: &str) -> Result<Option<(Caller, T)>> {
    let Some(sealed) = unseal::<T>(app, token) else {
        return Ok(None);
    };
    if !sealed.under.is_active(app, &sealed.account).await? {
        return Ok(None);
    }
    let Some(account) = accounts::find_by_id(app, &sealed.account).await? else {
        return Ok(None);
    };
    if accounts::was_locked_out(app, &account.id).await? {
        return Ok(None);
    }
    let caller = Caller::from_link(account.into());
    caller.require_plan()?;
    Ok(Some((caller, sealed.target)))
}

/// The contents of a token. None when its MAC is wrong, when it has expired, or when it lasts longer than any link that
/// this server makes.
fn unseal<T: DeserializeOwned>(app: &App, token: &str) -> Option<Sealed<T>> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    let (json, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
    mac(app).chain_update(json).verify_truncated_left(tag).ok()?;
    let sealed: Sealed<T> = serde_json::from_slice(json).ok()?;
    let now = app.clock.now();
    let latest = now.plus(LINK_LIFETIME + MAX_CLOCK_DIFFERENCE).microseconds();
    (now.microseconds()..latest)
        .contains(&sealed.expires_at.saturating_sub(1))
        .then_some(sealed)
}
