//! The concepts of Linepress: characters, pages, books, the workers that draw them, and printing. A concept decides and
//! calls its own `store`; it knows no interface. What knows neither accounts nor a database is a crate of its own next
//! to this one.

/// Addresses of resources, which interfaces set.
pub mod address;
/// Images: receiving, storing and sending them.
pub mod artwork;
/// Books: an ordered list of pages with a cover.
pub mod books;
/// Cancellation of operations.
pub mod cancellation;
/// Characters, which look the same on every page.
pub mod characters;
/// Closing an account.
pub mod closing;
/// Deletion of books and pages, and their restoration from the bin.
pub mod deletion;
/// Signed links to one file that expire after a short time.
pub mod downloads;
/// An accepted generation: charged, queued and replied to in one transaction.
pub mod generation;
/// The indexing of rows that are not indexed for search yet.
pub mod indexing;
/// The look of drawings: line weight, detail and style.
mod looks;
/// The caller's own account.
pub mod me;
/// The deletion of stored objects to which nothing refers.
pub mod objects;
/// Operations, through which an account follows its drawings.
pub mod operations;
/// Pages: one drawing each.
pub mod pages;
/// The planner of a caller.
pub mod planner;
/// Editions and print formats: PDFs from stored books.
pub mod print;
/// Search in lists.
pub mod search;
/// Series: books whose titles differ only in the number of their volume.
pub mod series;
/// The source picture of a request, from which a page or a character is drawn.
mod sources;
/// The account's statement of credits and what they were spent for.
pub mod statement;
/// Single steps of the server, for tests.
pub mod testing;
/// Variants: several drawings of one target in one order.
pub mod variants;
/// Workers, which claim and run drawing jobs.
pub mod worker;
