//! Mail: a message with text and HTML, and the SMTP client that hands it to the operator's mail server.
//!
//! The crate knows neither accounts nor the reasons for which mail is sent. It opens its connections with
//! `linepress-egress`, so that the networks that the operator denies are closed to it, too.

/// The SMTP client.
mod client;
/// The stream between the client and the mail server.
mod connection;
/// The reasons why a message could not be sent.
mod error;
/// Messages.
mod message;
/// The sender of all messages.
mod sender;

pub use client::{Login, Security, SmtpClient, SmtpSettings};
pub use error::SendError;
pub use message::Message;
pub use sender::Sender;
