//! The concepts of Linepress: accounts, credits, characters, pages, books, plans, the queue and its workers, and every statement
//! of SQL. A concept decides and calls its own `store`; it knows no interface. What knows neither accounts nor a database is a
//! crate of its own next to this one.

/// Accounts, their plans and their API keys.
pub mod accounts;
/// Addresses of resources, which interfaces set.
pub mod address;
/// The functions of operators, and the audit log.
pub mod administration;
/// The parts of the server, which every function receives.
pub mod app;
/// Images: receiving, storing and sending them.
pub mod artwork;
/// Backups of the database and the objects, and their restore.
pub mod backup;
/// Books: an ordered list of pages with a cover.
pub mod books;
/// The account that acts.
pub mod caller;
/// Characters, which look the same on every page.
pub mod characters;
/// Closing an account.
pub mod closing;
/// The append-only ledger, and prices.
pub mod credits;
/// Deletion of a page, which cancels and refunds its drawing.
pub mod deletion;
/// Checks of the server for its operators.
pub mod diagnosis;
/// Signed links to one file that expire after a short time.
pub mod downloads;
/// Plans of books that are edited before they are ordered.
pub mod drafts;
/// An accepted generation: charged, queued and replied to in one transaction.
pub mod generation;
/// Grants of accounts to apps.
pub mod grants;
/// The findings of checks, and figures.
pub mod health;
/// Deletes expired data.
pub mod housekeeping;
/// Idempotency keys and the replies that are saved under them.
pub mod idempotency;
/// Mail: what each mail says, its delivery, and the notices that people can switch off.
pub mod mailing;
/// Maintenance, during which the server is read-only.
pub mod maintenance;
/// The caller's own account.
pub mod me;
/// The metrics of this node.
pub mod monitoring;
/// The deletion of stored objects to which nothing refers.
pub mod objects;
/// Operations, through which an account follows its drawings.
pub mod operations;
/// The terms of an order: its idempotency key and the agreed price.
pub mod order;
/// Mails that wait to be sent.
pub mod outbox;
/// Pages: one drawing each.
pub mod pages;
/// Book plans: from a theme to a request.
pub mod plans;
/// Editions and print formats: PDFs from stored books.
pub mod print;
/// The durable queue of drawing jobs, and its leases.
pub mod queue;
/// The choice of an image provider for each drawing.
pub mod routing;
/// Sign-in: passwords, single-use links, and browser sessions.
pub mod sign_in;
/// The drawings and costs of each image provider.
pub mod spending;
/// Opening the parts of a server.
pub mod startup;
/// The account's statement of credits and what they were spent for.
pub mod statement;
/// Single steps of the server, for tests.
pub mod testing;
/// Rate limits for clients without an account.
pub mod throttle;
/// Workers, which claim and run drawing jobs.
pub mod worker;
