//! Load, link, limit and call sandboxed components.
