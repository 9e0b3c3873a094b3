//! The check of a code, and the limit of attempts.
use std::time::Duration;

use super::app_secret::AppSecret;
use super::{recovery_code, store};
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::AccountId;
use linepress_platform::secrets;

/// Maximum length of a typed code: a recovery code with spaces around it.
pub const MAX_CODE_CHARS: usize = 40;

/// Attempts to enter a code for one account, from all addresses. Only a person who knows the password, or has a
/// session, makes one, so a stranger who guesses cannot lock out the owner.
const BY_ACCOUNT: Rate = Rate::new(10, Duration::from_secs(600));
/// The limit of a day. Three codes of a million are right at a time, so an attacker who knows the password succeeds on
/// one day in 3,000.
const BY_ACCOUNT_AND_DAY: Rate = Rate::new(100, Duration::from_secs(24 * 3600));
const TRIES: &str = "codes for this account";
const TRIES_OF_DAY: &str = "codes for this account in a day";

/// Takes one of the account's attempts to enter a code. They are counted separately from passwords, because the right
/// password resets the attempts of passwords.
pub(super) async fn take_try(app: &App, account: &AccountId) -> Result<()> {
    throttle::take(app, TRIES, account.as_str(), BY_ACCOUNT).await?;
    throttle::take(app, TRIES_OF_DAY, account.as_str(), BY_ACCOUNT_AND_DAY).await
}

/// Resets the limit of ten minutes after a right code was entered. The limit of a day remains: otherwise each sign-in
/// of the owner would give an attacker who knows the password another hundred attempts.
pub(super) async fn forget_tries(app: &App, account: &AccountId) -> Result<()> {
    throttle::clear(app, TRIES, account.as_str()).await
}

/// Uses up a code of the account's app, or one of its recovery codes; returns false when the code is wrong or was used
/// before, or when the account has no second factor. The caller has locked the account's row.
pub(super) async fn accept(app: &App, tx: &mut Tx, account: &AccountId, typed: &str) -> Result<bool> {
    let Some(encrypted) = store::find_confirmed(tx, account).await? else {
        return Ok(false);
    };
    let secret = decrypt(app, tx, account, &encrypted).await?;
    match secret.time_step_of(&without_spaces(typed), app.clock.now()) {
        Some(time_step) => Ok(store::use_time_step(tx, account, time_step).await?),
        None => Ok(store::use_recovery_code(tx, account, &recovery_code::hash_of(account, typed)).await?),
    }
}

/// The typed code without the spaces with which apps group its digits.
pub(super) fn without_spaces(typed: &str) -> String {
    typed.chars().filter(|letter| !letter.is_whitespace()).collect()
}

pub(super) async fn decrypt(app: &App, tx: &mut Tx, account: &AccountId, encrypted: &str) -> Result<AppSecret> {
    let key = secrets::encryption_key(tx, &app.random).await?;
    let secret = key.decrypt(account.as_str(), encrypted);
    let secret = secret.and_then(|secret| AppSecret::from_bytes(&secret));
    secret.ok_or_else(|| Error::internal(format!("the second factor of {account} cannot be decrypted")))
}
