//! Mail: a message with text and HTML, and the SMTP client that hands it to the operator's mail server.
//!
//! The crate knows neither accounts nor the reasons for which mail is sent. It opens its connections with
//! `linepress-egress`, so that the networks that the operator denies are closed to it, too.

mod client;
mod connection;
mod error;
mod message;
mod sender;

pub use client::{Login, Security, SmtpClient, SmtpSettings};
pub use error::SendError;
pub use message::Message;
pub use sender::Sender;
