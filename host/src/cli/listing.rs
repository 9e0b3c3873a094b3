//! Lists of the core, which the command line reads page by page.
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Reads up to `limit` items of a list, newest first. `prefix` is the prefix of their ids.
pub(super) async fn read<T>(
    app: &App,
    prefix: &'static str,
    limit: usize,
    list: impl AsyncFn(&PageRequest) -> Result<PageOf<T>>,
) -> Result<Vec<T>> {
    // The cursors never leave this process, so they need no account.
    let scope = app.cursors.scope(&AccountId::from_text("command line"), prefix);
    let page_length = PageRequest::MAX_LIMIT.to_string();
    let mut items = Vec::new();
    let mut after = None;
    loop {
        let request = PageRequest::parse(Some(&page_length), after.as_deref(), scope.clone())?;
        let page = list(&request).await?;
        items.extend(page.items);
        after = page.next_cursor;
        if after.is_none() || items.len() >= limit {
            items.truncate(limit);
            return Ok(items);
        }
    }
}
