//! Why a call failed. Every world has these cases in an error of its own; helpers need one that they share.

use crate::http;
use crate::image::DrawError;
use crate::planner::PlanError;

/// What the server should do about a failure. The texts reach only the operator's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The content policy of the API; never tried again.
    Refused(String),
    /// The customer's request can never succeed as it stands; never tried again.
    Invalid(String),
    /// Try again after this many seconds, if it is known.
    RateLimited(Option<u32>),
    /// Nobody's request would succeed now: the API is down, its key is refused, a setting is wrong.
    Unavailable(String),
    /// Anything else; tried again.
    Other(String),
}

impl Failure {
    /// Whether asking the same once more may help within this call.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::RateLimited(_) | Self::Unavailable(_))
    }
}

impl From<http::Error> for Failure {
    fn from(error: http::Error) -> Self {
        match error {
            http::Error::TooLarge { .. } | http::Error::Json { .. } => Self::Other(error.to_string()),
            _ => Self::Unavailable(error.to_string()),
        }
    }
}

/// The same cases in the error of a world.
macro_rules! into_error {
    ($error:ident) => {
        impl From<Failure> for $error {
            fn from(failure: Failure) -> Self {
                match failure {
                    Failure::Refused(reason) => Self::Refused(reason),
                    Failure::Invalid(reason) => Self::Invalid(reason),
                    Failure::RateLimited(seconds) => Self::RateLimited(seconds),
                    Failure::Unavailable(reason) => Self::Unavailable(reason),
                    Failure::Other(reason) => Self::Other(reason),
                }
            }
        }
    };
}

into_error!(DrawError);
into_error!(PlanError);
