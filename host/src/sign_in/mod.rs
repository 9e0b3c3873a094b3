//! How people sign in: passwords, and the sessions of their browsers.
mod password;
mod secret;
mod session;
mod store;

pub use password::{Passwords, set_password};
pub use secret::Secret;
pub use session::{LONGEST as LONGEST_SESSION, NewSession, account_of, end, forget_expired, with_password};
