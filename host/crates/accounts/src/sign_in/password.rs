//! Passwords of accounts: their rules, and how they are set and changed.
use super::links::refuse_locked_out;
use super::owner::lock_for_owner;
use super::session::{begin, forget_tries, is_fresh, take_own_try};
use super::{NewSession, second_factor, store};
use crate::accounts;
use crate::caller::Caller;
use crate::credentials;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::AccountId;

/// Minimum length of a password.
pub const MIN_PASSWORD_CHARS: usize = 10;
/// Maximum length of a password. Hashing takes the same time for every length; the limit bounds the size of requests.
pub const MAX_PASSWORD_CHARS: usize = 200;

/// Rejects a password that is too short, too long or easy to guess.
pub(super) fn check(email: &str, password: &str) -> Result<()> {
    let wrong = |message: String| Err(Error::invalid_field(Field::password(), message));
    let length = password.chars().count();
    if !(MIN_PASSWORD_CHARS..=MAX_PASSWORD_CHARS).contains(&length) {
        return wrong(format!(
            "must be {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters; a few words in a row are easy to remember"
        ));
    }
    if password.contains(char::is_control) {
        return wrong("must not contain control characters".into());
    }
    let lower = password.trim().to_lowercase();
    let local = email.split('@').next().unwrap_or_default();
    if lower == email || (local.len() >= 4 && lower.replace(local, "").chars().count() < MIN_PASSWORD_CHARS / 2) {
        return wrong("must be more than your e-mail address".into());
    }
    let mut letters: Vec<char> = lower.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    if letters.len() < 5
        || COMMON.iter().any(|common| {
            lower.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '!') == *common
                || lower == *common
        })
    {
        return wrong("is easy to guess; choose another".into());
    }
    Ok(())
}

/// Common passwords that are long enough to pass the length check, possibly with digits added.
const COMMON: [&str; 16] = [
    "1234567890",
    "0123456789",
    "0987654321",
    "1q2w3e4r5t",
    "password",
    "passwort",
    "qwertyuiop",
    "qwertzuiop",
    "linepress",
    "iloveyou",
    "letmein",
    "welcome",
    "administrator",
    "coloringbook",
    "trustno",
    "changeme",
];

/// The hash of a password that was accepted.
pub struct PasswordHash(String);

impl PasswordHash {
    /// Hashes the password, which takes long; an error when it is too short, too long or easy to guess.
    pub async fn of(app: &App, email: &str, password: &str) -> Result<Self> {
        check(email, password)?;
        Ok(Self(app.passwords.hash(&app.random, password).await?))
    }
}

/// Sets or replaces the account's password on the operator's behalf, and ends its sessions. If the address was never
/// verified, every other way to sign in ends, too.
pub async fn set_password(app: &App, tx: &mut Tx, account: &AccountId, hash: &PasswordHash) -> Result<()> {
    lock_for_owner(app, tx, account).await?;
    refuse_locked_out(tx, account).await?;
    replace(app, tx, account, &hash.0).await
}

/// Returns true when the account has a password.
pub async fn has_password(app: &App, caller: &Caller) -> Result<bool> {
    caller.require_owner()?;
    let mut tx = app.database.begin_read().await?;
    Ok(store::password_hash(&mut tx, caller.account_id()).await?.is_some())
}

/// Returns true when the account has a password, for a mail that no caller asks for.
pub async fn is_password_set(app: &App, account: &AccountId) -> Result<bool> {
    let mut tx = app.database.begin_read().await?;
    Ok(store::password_hash(&mut tx, account).await?.is_some())
}

/// The person who changes a password: the caller, the token of the session, and the address that the request comes
/// from.
#[derive(Clone, Copy, Debug)]
pub struct PasswordOwner<'a> {
    pub caller: &'a Caller,
    pub session: &'a str,
    pub client: &'a str,
}

/// Changes the caller's password, ends all sessions, and begins a new one; `None` when `current` is wrong. Setting a
/// first password requires a session that has just begun instead, because a stolen session would otherwise give
/// permanent access.
pub async fn change_password(
    app: &App,
    owner: PasswordOwner<'_>,
    current: &str,
    new: &str,
) -> Result<Option<NewSession>> {
    let PasswordOwner {
        caller,
        session,
        client,
    } = owner;
    caller.require_owner()?;
    check(caller.email(), new)?;
    let known = if has_password(app, caller).await? {
        let Some(right) = verify_own(app, caller, current, client).await? else {
            return Ok(None);
        };
        Some(right.hash)
    } else if is_fresh(app, session).await? {
        None
    } else {
        return Err(Error::invalid_field(
            Field::password(),
            "can be set only within 10 minutes of signing in: sign out, sign in again, and set it then",
        ));
    };
    let hash = app.passwords.hash(&app.random, new).await?;
    let mut tx = app.database.begin().await?;
    accounts::lock(app, &mut tx, caller.account_id()).await?;
    credentials::check_still_valid(app, &mut tx, caller).await?;
    // The password was changed or deleted while it was being compared.
    if store::password_hash(&mut tx, caller.account_id()).await? != known {
        return Ok(None);
    }
    // A closed account has no password, and so looks like one that never had one.
    if accounts::is_locked_out(&mut tx, caller.account_id()).await? {
        return Ok(None);
    }
    replace(app, &mut tx, caller.account_id(), &hash).await?;
    let Some(account) = accounts::find_in(&mut tx, caller.account_id()).await? else {
        return Ok(None);
    };
    let session = begin(app, &mut tx, account).await?;
    tx.commit().await?;
    Ok(Some(session))
}

/// A password that was entered correctly.
pub(super) struct RightPassword {
    hash: String,
}

impl RightPassword {
    /// Returns false when the password was changed or deleted while it was being compared. The caller has locked the
    /// account's row.
    pub(super) async fn is_current(&self, tx: &mut Tx, account: &AccountId) -> Result<bool> {
        Ok(store::password_hash(tx, account).await?.as_ref() == Some(&self.hash))
    }
}

/// Compares a password that the owner entered in a session; `None` when it is wrong, or when the account has none.
pub(super) async fn verify_own(
    app: &App,
    caller: &Caller,
    password: &str,
    client: &str,
) -> Result<Option<RightPassword>> {
    let Some(known) = store::find_password(&app.database.read, caller.email()).await? else {
        return Ok(None);
    };
    take_own_try(app, caller.email(), client).await?;
    if !app.passwords.verify(password, Some(&known.hash)).await? {
        return Ok(None);
    }
    forget_tries(app, caller.email(), client).await?;
    Ok(Some(RightPassword { hash: known.hash }))
}

/// Sets the password, and ends all sessions, pending sign-ins and password links. The caller has locked the account's
/// row.
pub(super) async fn replace(app: &App, tx: &mut Tx, account: &AccountId, hash: &str) -> Result<()> {
    store::set_password(tx, account, hash, app.clock.now()).await?;
    store::end_sessions(tx, account).await?;
    second_factor::end_pending(tx, account).await?;
    store::end_links(tx, account).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_is_easy_to_guess_is_rejected() {
        for password in [
            "short",
            "",
            "aaaaaaaaaaaa",
            "121212121212",
            "ada.lovelace",
            "ada.lovelace@example.com",
            "password123",
            "1234567890",
            "ada.lovelace1",
            "tab\tin the middle of it",
        ] {
            assert!(check("ada.lovelace@example.com", password).is_err(), "{password}");
        }
        for password in [
            "correct horse",
            "päßwörtér ÿ",
            "ada.lovelace and her engine",
            "zwölf Boxkämpfer",
        ] {
            assert!(check("ada.lovelace@example.com", password).is_ok(), "{password}");
        }
        assert!(check("a@b.c", &"abcde ".repeat(40)).is_err());
    }
}
