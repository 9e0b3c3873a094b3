//! The SQL of the end of public previews.
use linepress_platform::database::Tx;
use linepress_platform::ids::AccountId;

pub(super) async fn end_all(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE characters SET preview_token = NULL WHERE preview_token IS NOT NULL \
           AND account_id IN (SELECT id FROM accounts WHERE id = $1 OR sandbox_of = $1)",
    )
    .bind(account)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
