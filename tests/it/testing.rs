//! Single steps of the server, from all crates that offer them to tests.
pub(crate) use linepress_accounts::testing::*;
pub(crate) use linepress_core::testing::*;
pub(crate) use linepress_operator::testing::*;
pub(crate) use linepress_planning::testing::*;
