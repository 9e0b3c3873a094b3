//! Structured results for agents: those of REST without the addresses of REST, which require an API key, and short
//! enough for a conversation. Another tool returns what is left out. The schema of a tool's results is derived from
//! their type.
pub(super) mod account;
pub(super) mod attempts;
pub(super) mod books;
pub(super) mod characters;
pub(super) mod deleted;
pub(super) mod links;
pub(super) mod operations;
pub(super) mod orders;
pub(super) mod pages;
pub(super) mod plans;
pub(super) mod print;

use serde::Serialize;
use utoipa::ToSchema;

/// The size limit of a result, structure and text together, in bytes. A token has about 3.5 bytes.
pub(super) const MAX_RESULT_BYTES: usize = 11_000;

/// The position of a list's part in the list.
#[derive(Serialize, ToSchema)]
pub(super) struct Meta {
    /// The cursor after the last item; null at the end of the list.
    pub next_cursor: Option<String>,
}
