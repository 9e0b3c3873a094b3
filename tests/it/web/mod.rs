//! Pages for people: one file per address.
mod preview_token;
