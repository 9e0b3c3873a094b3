//! The operation of a server: opening its parts, the functions of operators, backups, mail, checks, metrics and
//! housekeeping. A concept decides and calls its own `store`; it knows no interface.

/// The functions of operators, and the audit log.
pub mod administration;
/// Backups of the database and the objects, and their restore.
pub mod backup;
/// The tasks that deliver mails and events until the server stops.
mod delivery_tasks;
/// Checks of the server for its operators.
pub mod diagnosis;
/// Deletes expired data.
pub mod housekeeping;
/// The record of the plugins that the server has loaded.
pub mod loaded_plugins;
/// The tasks that write logs in batches.
mod log_task;
/// Mail: what each mail says, its delivery, and the notices that people can switch off.
pub mod mailing;
/// The metrics of this node.
pub mod monitoring;
/// The task that writes the calls of plugins to the log.
pub mod plugin_call_log;
/// The task that goes back to earlier versions of plugins.
pub mod plugin_rollback;
/// The store for the values of plugins.
pub mod plugin_store;
/// The move of all objects to another store.
pub mod relocation;
/// The task that writes the request log of accounts.
pub mod request_log;
/// Opening the parts of a server.
pub mod startup;
/// Single steps of the server, for tests.
pub mod testing;
/// The delivery of events to the webhooks of accounts.
pub mod webhook_delivery;
