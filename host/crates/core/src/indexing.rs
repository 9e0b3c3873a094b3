//! The indexing for search of rows that an earlier version of the server inserted.
use linepress_platform::app::App;
use linepress_platform::error::Result;

use crate::{books, characters, pages};

/// Indexes all books, pages and characters that are not indexed yet; returns their number.
pub async fn fill(app: &App) -> Result<u64> {
    let mut filled = 0;
    loop {
        let some = books::SEARCH_INDEX.update_some(app).await?
            + pages::SEARCH_INDEX.update_some(app).await?
            + characters::SEARCH_INDEX.update_some(app).await?;
        if some == 0 {
            return Ok(filled);
        }
        filled += some;
    }
}
