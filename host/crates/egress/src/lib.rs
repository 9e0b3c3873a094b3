//! Guarded outbound HTTP: files fetched over https, from hosts on the public internet and from no others, and requests to
//! services that an operator named.
//!
//! It knows neither who asks nor what the files are: callers get a stream of bytes, limited in size and time, and word
//! the errors for their own clients.

/// Which addresses lie on the public internet.
mod addresses;
/// A response's body on its way.
mod body;
/// The HTTP client, which knows nothing of its surroundings.
mod client;
/// One request over a connection of its own.
mod dialer;
/// Why a file was not fetched.
mod error;
/// One request and its whole response.
mod exchange;
/// From a URL to a stream of bytes.
mod fetcher;
/// Who may be dialled.
mod guard;
/// Where a request goes.
mod origin;
/// What a URL must look like.
mod target;

pub use client::Roots;
pub use dialer::{DialError, DialSettings, Dialed, Dialer, Reach};
pub use error::{Cause, FetchError};
pub use fetcher::{FetchSettings, Fetcher, Limits};
pub use guard::{Exceptions, Held, Refusal, Resolver, exact_host, held};
pub use origin::{Origin, Scheme};
