//! Accounts, and what belongs to an account whatever it makes: its credentials and callers, its credits, its
//! idempotency keys, the apps that it granted access, and its sign-in. A concept decides and calls its own `store`; it
//! knows no interface.

/// Accounts, their plans and their API keys.
pub mod accounts;
/// The account that acts.
pub mod caller;
/// The second check of a caller, within a transaction.
pub mod credentials;
/// The spending of apps and API keys within their limits.
pub mod credit_caps;
/// The append-only ledger, and prices.
pub mod credits;
/// The bin of an account: deleted books and pages.
pub mod deleted;
/// Grants of accounts to apps.
pub mod grants;
/// Idempotency keys and the replies that are saved under them.
pub mod idempotency;
/// The terms of an order: its idempotency key and the agreed price.
pub mod order;
/// Mails that wait to be sent.
pub mod outbox;
/// The end of public previews of characters.
pub mod previews;
/// The rate limits that a request counted toward.
pub mod quotas;
/// The request log of accounts.
pub mod requests;
/// The end of review links.
pub mod review_links;
/// Sign-in: passwords, single-use links, and browser sessions.
pub mod sign_in;
/// Single steps of the server, for tests.
pub mod testing;
/// Rate limits for clients without an account.
pub mod throttle;
/// The addresses to which the events of an account are sent.
pub mod webhooks;
