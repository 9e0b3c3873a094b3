//! The second factor, attacks on sessions, and the secrets that a stolen database would reveal.
mod ended;
mod forgery;
mod owner;
mod provider;
mod second_factor;
mod secrets;
mod verification;
