//! The plan of an account: what it subscribes to.
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
