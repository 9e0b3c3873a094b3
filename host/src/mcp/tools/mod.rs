//! Every tool: one file per concept, each of which only translates.
mod account;
mod book_pages;
mod books;
mod characters;
mod images;
mod operations;
mod pages;

use super::tool::ToolSpec;

/// In the order in which an agent meets them.
pub(super) fn all() -> impl Iterator<Item = &'static ToolSpec> {
    [
        account::TOOLS,
        books::TOOLS,
        book_pages::TOOLS,
        operations::TOOLS,
        characters::TOOLS,
        pages::TOOLS,
        images::TOOLS,
    ]
    .into_iter()
    .flatten()
}
