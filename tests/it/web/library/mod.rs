//! `/library`: the books, pages and characters of the signed-in user.
mod bin;
mod book;
mod characters;
mod events;
mod forms;
mod live;
mod notes;
mod pages;
mod photographs;
mod plan;
mod preview;
mod print;
mod redraw;
mod refine;
mod review;
mod search;
mod stale;
pub(super) mod strangers;
