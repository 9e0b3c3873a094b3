//! All tools, with one file per concept. The files only translate.
mod account;
mod attempts;
mod book_pages;
mod books;
mod characters;
mod deleted;
mod images;
mod operations;
mod pages;

use super::tool::ToolSpec;

/// All tools, in the order in which an agent usually needs them.
pub(super) fn all() -> impl Iterator<Item = &'static ToolSpec> {
    [
        account::TOOLS,
        books::TOOLS,
        book_pages::TOOLS,
        operations::TOOLS,
        characters::TOOLS,
        pages::TOOLS,
        images::TOOLS,
        attempts::TOOLS,
        deleted::TOOLS,
    ]
    .into_iter()
    .flatten()
}
