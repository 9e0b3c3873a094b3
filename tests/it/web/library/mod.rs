//! `/library`: the books, pages and characters of whoever is signed in.
mod book;
mod characters;
mod events;
mod forms;
mod pages;
mod plan;
mod stale;
mod strangers;
