//! Attacks on whoever is signed in, and what a thief of the database finds.
mod ended;
mod forgery;
mod owner;
mod provider;
mod secrets;
