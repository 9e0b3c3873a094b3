//! The public preview of a character, which anyone with its URL may see while its owner enables it.
use super::{StoredCharacter, store};
use crate::artwork::{self, Download};
use linepress_platform::app::App;
use linepress_platform::error::Result;

/// A character as its public preview shows it.
#[derive(Debug)]
pub struct Preview {
    pub name: String,
    /// The revision of the image, None while there is none.
    pub revision: Option<i64>,
    pub width: i64,
    pub height: i64,
}

/// The character of a preview's token. None unless it is active and its preview is enabled.
pub async fn preview(app: &App, token: &str) -> Result<Option<Preview>> {
    let found = find(app, token).await?;
    Ok(found.map(|row| Preview {
        revision: row.image_key.as_ref().map(|_| row.image.revision),
        width: row.image.width.unwrap_or_default(),
        height: row.image.height.unwrap_or_default(),
        name: row.name,
    }))
}

/// The reference image of a preview's character. None without an image, or unless the preview is enabled.
pub async fn preview_image(app: &App, token: &str) -> Result<Option<Download>> {
    let Some(row) = find(app, token).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (row.image_key, row.image.media_type) else {
        return Ok(None);
    };
    artwork::download(app, &key, media_type, &row.name).await.map(Some)
}

/// Finds the character of a preview's token. Only alphanumeric tokens are looked up, because PostgreSQL rejects text
/// with a zero byte.
async fn find(app: &App, token: &str) -> Result<Option<StoredCharacter>> {
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(None);
    }
    Ok(store::find_by_preview(&app.database.read, token).await?)
}
