//! Lists: as many items as fit into one result, and the cursor after the last of them.
use serde::Serialize;
use serde_json::{Value, json};

use super::words;
use linepress_platform::database::{PageOf, PageRequest};

/// The size limit of the items of a list in either half of a result, in bytes. The cursor and the next step need the
/// rest of 12,000 bytes.
const MAX_LIST_BYTES: usize = 11_000;

/// The items of a list that fit into one result.
pub(super) struct List {
    /// The items as summaries.
    pub items: Vec<Value>,
    /// The items as lines of the text.
    pub lines: Vec<String>,
    /// The cursor after the last of these items; `None` if no items follow.
    pub next_cursor: Option<String>,
}

impl List {
    /// Takes items until either half of the result is full, but at least one.
    pub(super) fn new<T: Serialize>(page: &PageOf<T>, request: &PageRequest, short: fn(&Value) -> Value) -> Self {
        let mut list = Self {
            items: Vec::new(),
            lines: Vec::new(),
            next_cursor: page.next_cursor.clone(),
        };
        let (mut item_bytes, mut line_bytes) = (0, 0);
        for item in &page.items {
            let item = short(&json!(item));
            let line = words::list_line(&item);
            item_bytes += item.to_string().len() + 1;
            line_bytes += line.len() + 1;
            if let Some(last) = list.items.last()
                && item_bytes.max(line_bytes) > MAX_LIST_BYTES
            {
                list.next_cursor = Some(request.cursor_after(words::text(last, "id")));
                break;
            }
            list.items.push(item);
            list.lines.push(line);
        }
        list
    }
}
