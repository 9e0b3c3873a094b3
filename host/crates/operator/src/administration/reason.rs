//! The reason that an operator gives for a change.
use garde::Validate;
use serde::Deserialize;

use linepress_platform::text::Reason;

/// The reason for a change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenReason {
    /// The reason, which is recorded in the audit log.
    #[garde(dive)]
    pub reason: Reason,
}
