//! Who acts: the account in whose name a function works.
use crate::accounts::Plan;
use crate::ids::AccountId;

/// Who acts, and through which door they came.
#[derive(Clone, Debug)]
pub struct Caller {
    pub account_id: AccountId,
    pub email: String,
    pub plan: Plan,
    /// The balance when the caller was recognised.
    pub credits: i64,
    pub door: Door,
}

/// The way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// An API key over REST.
    Rest,
}
