//! Deleted books and pages.
use linepress_core::deletion::DeletedItem;

use super::quoted;

/// The line for a deleted book or page in a list.
pub(crate) fn list_line(item: &DeletedItem) -> String {
    let (id, title, expires_at) = (&item.id, quoted(&item.title), item.expires_at);
    format!("{id}, {title}, deleted {}, for good {expires_at}", item.deleted_at)
}
