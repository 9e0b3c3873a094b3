//! Guarded outbound HTTP: files fetched over https from hosts on the public internet only, and requests to services
//! that an operator named.
//!
//! This crate does not depend on its callers or on the kind of file: a caller gets a stream of bytes, limited in size
//! and time, and words the errors for its own clients.

/// The addresses that are on the public internet.
mod addresses;
/// A response body that is being received.
mod body;
/// The HTTP client, independent of its environment.
mod client;
/// One request over a new connection.
mod dialer;
/// Errors of fetching a file.
mod error;
/// One request and its whole response.
mod exchange;
/// Fetching a file: from a URL to a stream of bytes.
mod fetcher;
/// The check of addresses.
mod guard;
/// The problems of a host that its owner can correct.
mod host_problem;
/// The origin of a request.
mod origin;
/// A client for a service that the operator named.
mod service;
/// The requirements on a URL.
mod target;

pub use client::{Roots, read_system_certificates};
pub use dialer::{Connection, DialError, DialSettings, Dialed, Dialer};
pub use error::{Cause, FetchError};
pub use fetcher::{FetchSettings, Fetcher, Limits};
pub use guard::{Exceptions, Held, Reach, Refusal, RefusalCounts, Resolver, held};
pub use host_problem::HostProblem;
pub use origin::{Origin, Scheme, exact_host};
pub use service::{ServiceBody, ServiceClient, ServiceError, ServiceSettings};
pub use target::MAX_URL_BYTES;
