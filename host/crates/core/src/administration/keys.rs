//! API keys of any account.
use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use crate::accounts::{self, Account, ApiKey, SecretKey};
use crate::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::KeyId;

/// Creates a key for the account. Only the result contains the secret, which is not stored.
pub async fn create(app: &App, actor: &Actor, account: &Account, name: &str) -> Result<(ApiKey, SecretKey)> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let (key, secret) = accounts::create_key(app, &mut tx, &account.id, name).await?;
    let change = Change::CreateKey {
        account_id: &account.id,
        name,
    };
    finish(app, tx, actor, Target::ApiKey(&key.id), change).await?;
    Ok((key, secret))
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
