//! Review links, with which the owner of a book shows it to people without an account, and their comments. It knows no
//! interface.

/// Comments on a book.
pub mod comments;
/// Review links, as their owner manages them.
pub mod links;
/// The visits of people who have a review link.
pub mod visits;
