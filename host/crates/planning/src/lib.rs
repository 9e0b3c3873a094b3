//! Book plans and drafts: from a theme to the request that creates a book. It knows no interface.

/// Book plans that are edited before they are ordered.
pub mod drafts;
/// Book plans: from a theme to a request.
pub mod plans;
/// Single steps of housekeeping, for tests.
pub mod testing;
