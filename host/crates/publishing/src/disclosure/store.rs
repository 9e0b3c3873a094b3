//! The SQL of disclosures.
use sqlx::AssertSqlSafe;

use linepress_core::pages::Origin;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, placeholders};
use linepress_platform::ids::AccountId;

/// The origin of the picture that a page or cover shows. The columns of the provider are None for an imported picture,
/// and for a drawing from before they were recorded.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct ShownPicture {
    pub target_id: String,
    #[sqlx(try_from = "String")]
    pub origin: Origin,
    pub provider: Option<String>,
    pub provider_version: Option<String>,
    pub model: Option<String>,
    pub created_at: Timestamp,
}

/// The chosen attempts of these pages and covers. The key of a drawn picture is `drawings/` and the id of its drawing
/// job, which has 31 characters.
pub(super) async fn shown(pool: &Reader, account: &AccountId, targets: &[&str]) -> sqlx::Result<Vec<ShownPicture>> {
    let mut found = Vec::new();
    for some in targets.chunks(500) {
        let statement = format!(
            "SELECT t.target_id, t.origin, d.provider, d.provider_version, d.model, t.created_at FROM attempts t \
             JOIN artworks a ON a.id = t.artwork_id LEFT JOIN drawings d ON d.id = substr(a.image_key, 10, 31) \
             WHERE t.replaced_at IS NULL AND t.account_id = $1 AND t.target_id IN ({})",
            placeholders(2, some.len())
        );
        let mut query = sqlx::query_as(AssertSqlSafe(statement)).bind(account);
        for target in some {
            query = query.bind(*target);
        }
        let rows: Vec<ShownPicture> = query.fetch_all(pool).await?;
        found.extend(rows);
    }
    Ok(found)
}
