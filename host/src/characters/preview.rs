//! The public preview: what anyone may see of a character while its owner lets them.
use super::{StoredCharacter, store};
use crate::app::App;
use crate::artwork::{self, Download};
use crate::error::Result;

/// A character as anyone may see it.
#[derive(Debug)]
pub(crate) struct Preview {
    pub name: String,
    /// Whether there is an image to show yet, and which one.
    pub revision: Option<i64>,
    pub width: i64,
    pub height: i64,
}

/// The character behind a preview's address, while it is active and its preview is on.
pub(crate) async fn preview(app: &App, token: &str) -> Result<Option<Preview>> {
    let found = find(app, token).await?;
    Ok(found.map(|row| Preview {
        revision: row.image_key.as_ref().map(|_| row.image.revision),
        width: row.image.width.unwrap_or_default(),
        height: row.image.height.unwrap_or_default(),
        name: row.name,
    }))
}

/// Its reference image.
pub(crate) async fn preview_image(app: &App, token: &str) -> Result<Option<Download>> {
    let Some(row) = find(app, token).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (row.image_key, row.image.media_type) else {
        return Ok(None);
    };
    artwork::download(app, &key, media_type, &row.name).await.map(Some)
}

/// Only what can be a token is looked up: PostgreSQL takes no text with a zero in it.
async fn find(app: &App, token: &str) -> Result<Option<StoredCharacter>> {
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    Ok(store::find_by_preview(&app.database.read, token).await?)
}
