//! API keys of any account.
use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use linepress_accounts::accounts::{self, Account, ApiKey, KeyRotation, NewApiKey, SecretKey};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::KeyId;

/// Creates a key for the account. Only the result contains the secret, which is not stored.
pub async fn create(app: &App, actor: &Actor, account: &Account, new: &NewApiKey) -> Result<(ApiKey, SecretKey)> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let (key, secret) = accounts::create_key(app, &mut tx, &account.id, new).await?;
    let change = Change::CreateKey {
        account_id: &account.id,
        terms: new,
    };
    finish(app, tx, actor, Target::ApiKey(&key.id), change).await?;
    Ok((key, secret))
}

/// Replaces the secret of a key, whose old secret remains valid for the overlap. `None` if there is no such key.
pub async fn rotate(
    app: &App,
    actor: &Actor,
    key: &KeyId,
    rotation: KeyRotation,
) -> Result<Option<(ApiKey, SecretKey)>> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let Some((rotated, secret)) = accounts::rotate_key(app, &mut tx, key, rotation).await? else {
        return Ok(None);
    };
    let change = Change::RotateKey {
        previous_secret_expires_at: rotated.previous_secret_expires_at,
    };
    finish(app, tx, actor, Target::ApiKey(key), change).await?;
    Ok(Some((rotated, secret)))
}

/// Revokes the key at once; returns false when there is no such key.
pub async fn revoke(app: &App, actor: &Actor, key: &KeyId) -> Result<bool> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    if !accounts::revoke_key(app, &mut tx, key).await? {
        return Ok(false);
    }
    finish(app, tx, actor, Target::ApiKey(key), Change::RevokeKey).await?;
    Ok(true)
}
