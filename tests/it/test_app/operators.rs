//! Operators of a server, and what they see of all accounts.
use linepress_accounts::accounts::{Plan, Role};
use linepress_operator::administration as functions;
use linepress_operator::administration::accounts::{self as administration, AccountChange, ManagedAccount};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::ids::AccountId;

use super::{Actor, TestApp};

/// The address of the operator's account.
pub(crate) const OPERATOR: &str = "operator@example.com";

impl TestApp {
    /// Creates an operator's account and returns a client with an API key of it.
    pub(crate) async fn operator(&self) -> Actor {
        let operator = self.account_named(OPERATOR, Plan::Business, 0).await;
        self.make_operator(OPERATOR).await;
        operator
    }

    /// Gives the account with this address the role of an operator, as the command line does.
    pub(crate) async fn make_operator(&self, email: &str) {
        let account = self.account_of(email).await;
        let change = AccountChange {
            role: Some(Role::Operator),
            ..AccountChange::default()
        };
        let command_line = functions::Actor::command_line();
        administration::change(&self.server, &command_line, &account.id, &change)
            .await
            .unwrap();
    }
}

/// Returns up to a hundred accounts of the server, newest first.
pub(crate) async fn all_accounts(server: &App) -> Vec<ManagedAccount> {
    let scope = server.cursors.scope(&AccountId::from_text("acct_1"), AccountId::PREFIX);
    let request = PageRequest::parse(Some("100"), None, scope).unwrap();
    let listed = administration::list(server, &functions::Actor::command_line(), "", &request).await;
    listed.unwrap().items
}
