//! Reasons why a call failed. Each world defines its own error type with the same cases; the helpers in this crate
//! share this one.

use crate::image::DrawError;
use crate::planner::PlanError;
use crate::reviewer::ReviewError;
use crate::v1::image::DrawError as DrawErrorV1;
use crate::v1::reviewer::ReviewError as ReviewErrorV1;

/// A failed call, classified by what the server should do. The texts are only written to the operator's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The request violates the content policy of the API. Not retried.
    Refused(String),
    /// The customer's request can never succeed unless it is changed. Not retried.
    Invalid(String),
    /// Too many requests. Retried after this many seconds, if the number is known.
    RateLimited(Option<u32>),
    /// No request can succeed at present: the API is down, its key is rejected or a setting is wrong.
    Unavailable(String),
    /// Any other failure. Retried.
    Other(String),
}

impl Failure {
    /// Returns true if repeating the request within this call may succeed.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::RateLimited(_) | Self::Unavailable(_))
    }
}

/// Implements the conversion of a [`Failure`] to the error type of a world.
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
into_error!(DrawErrorV1);
into_error!(PlanError);

/// Implements the same for reviewers. A reviewer declines with a verdict, so its errors have no cases for that.
macro_rules! into_review_error {
    ($error:ident) => {
        impl From<Failure> for $error {
            fn from(failure: Failure) -> Self {
                match failure {
                    Failure::RateLimited(seconds) => Self::RateLimited(seconds),
                    Failure::Unavailable(reason) => Self::Unavailable(reason),
                    Failure::Refused(reason) | Failure::Invalid(reason) | Failure::Other(reason) => Self::Other(reason),
                }
            }
        }
    };
}

into_review_error!(ReviewError);
into_review_error!(ReviewErrorV1);
