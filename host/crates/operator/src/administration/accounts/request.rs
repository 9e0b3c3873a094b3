//! Requests to create and change accounts.
use std::collections::BTreeMap;

use garde::Validate;
use serde::{Deserialize, Serialize};

use linepress_accounts::accounts::{LimitName, OwnLimits, Plan, Role};
use linepress_accounts::credits::MAX_GRANT_CREDITS;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::text::Reason;
use linepress_platform::validation;

/// A new account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAccount {
    /// The address of the account's owner.
    #[garde(skip)]
    #[schema(format = "email", example = "ada@example.com")]
    pub email: String,
    /// The account's plan.
    #[garde(skip)]
    pub plan: Plan,
    /// The account's role; `customer` if omitted.
    #[serde(default = "customer")]
    #[garde(skip)]
    pub role: Role,
    /// The credits that the account starts with; 0 if omitted.
    #[serde(default)]
    #[garde(range(min = 0, max = MAX_GRANT_CREDITS))]
    #[schema(minimum = 0, maximum = 1_000_000_000)]
    pub credits: i64,
}

fn customer() -> Role {
    Role::Customer
}

/// A change of an account. Omitted fields keep their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountChange {
    /// The new plan. A closed account is open again.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub plan: Option<Plan>,
    /// The new role.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub role: Option<Role>,
    /// The limits to change.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub limits: Option<LimitChanges>,
    /// True to change an account whose address was never verified: anyone may have signed up with it.
    #[serde(default)]
    #[garde(skip)]
    pub accept_unverified: bool,
}

/// Limits of an account by name, each with a new number, or with null to return to that of the server's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct LimitChanges(pub BTreeMap<LimitName, Option<i64>>);

impl LimitChanges {
    /// Changes the limits of an account; returns false if they remain as they were.
    pub(super) fn apply(&self, limits: &mut OwnLimits) -> Result<bool> {
        let before = limits.clone();
        for (name, limit) in &self.0 {
            if let Some(problem) = limit.and_then(|limit| name.problem(limit)) {
                return Err(Error::invalid_field(
                    Field::named("limits").then(Field::named(name.as_str())),
                    problem,
                ));
            }
            limits.set(*name, *limit);
        }
        Ok(*limits != before)
    }
}

/// Credits that are added to an account or withdrawn from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreditChange {
    /// The number of credits to add; negative to withdraw them, at most the balance.
    #[garde(range(min = -MAX_GRANT_CREDITS, max = MAX_GRANT_CREDITS))]
    #[schema(minimum = -1_000_000_000, maximum = 1_000_000_000)]
    pub amount: i64,
    /// The reason, which is recorded in the ledger and in the audit log.
    #[garde(dive)]
    pub reason: Reason,
    /// True to add credits to an account whose address was never verified: anyone may have signed up with it.
    #[serde(default)]
    #[garde(skip)]
    pub accept_unverified: bool,
}

/// The balance of an account after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreditBalance {
    /// The balance in credits.
    #[schema(minimum = 0)]
    pub credits: i64,
}
