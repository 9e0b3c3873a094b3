//! The plan of an account, to which it subscribes, and its role.
use linepress_model::text_enum;

text_enum! {
    /// The subscription of an account, which decides what the account may do.
    #[derive(clap::ValueEnum)]
    #[schema(as = PlanName)]
    pub enum Plan {
        /// May sign in, but not plan, draw, or use the REST and MCP interfaces.
        Free = "free",
        /// May use the REST and MCP interfaces.
        Business = "business",
    }
}

text_enum! {
    /// The role of an account, which decides whether it may administer the server.
    #[derive(clap::ValueEnum)]
    pub enum Role {
        /// Owns books, pages and credits.
        Customer = "customer",
        /// May administer the server in addition.
        Operator = "operator",
    }
}
