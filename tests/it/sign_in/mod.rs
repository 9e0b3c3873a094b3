//! Attacks on sessions, and the secrets that a stolen database would reveal.
mod ended;
mod forgery;
mod owner;
mod provider;
mod secrets;
