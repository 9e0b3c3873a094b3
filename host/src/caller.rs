//! Who acts: the account in whose name a function works. Each interface makes one of whom it has authenticated.
use linepress_model::text_enum;

use crate::ids::AccountId;

text_enum! {
    /// What an account may do.
    #[derive(clap::ValueEnum)]
    #[schema(as = PlanName)]
    pub enum Plan {
        Free = "free",
        /// May use the interfaces.
        Business = "business",
    }
}

/// Who acts.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account_id: AccountId,
    pub email: String,
    pub plan: Plan,
}
