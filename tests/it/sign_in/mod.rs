//! Attacks on whoever is signed in, and what a thief of the database finds.
mod forgery;
mod provider;
mod secrets;
