//! The function behind a tool. The schema of a tool's results follows from the type that its function returns.
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rmcp::model::{CallToolResult, JsonObject};
use serde::Serialize;
use utoipa::ToSchema;

use super::call::Call;
use super::reply::{Outcome, Picture, Reply};
use super::schemas;

/// The function behind a tool.
pub(super) trait Handler: Sync {
    /// Carries out a call.
    fn carry_out(&self, call: Call) -> BoxFuture<'static, Outcome<CallToolResult>>;

    /// The schema of the structured results; `None` if results consist of a picture and text.
    fn result_schema(&self) -> Option<JsonObject>;
}

/// A function that returns structured results of the type `T`.
pub(super) struct Returns<T>(pub fn(Call) -> BoxFuture<'static, Outcome<Reply<T>>>);

impl<T: Serialize + ToSchema + 'static> Handler for Returns<T> {
    fn carry_out(&self, call: Call) -> BoxFuture<'static, Outcome<CallToolResult>> {
        let client = call.client();
        let outcome = (self.0)(call);
        async move { outcome.await?.into_result(client) }.boxed()
    }

    fn result_schema(&self) -> Option<JsonObject> {
        Some(schemas::result::<T>())
    }
}

/// A function that shows a picture to the agent. Its tool has no schema of results: many clients pass a structured
/// result to their model in place of everything else, pictures included.
pub(super) struct Shows(pub fn(Call) -> BoxFuture<'static, Outcome<Picture>>);

impl Handler for Shows {
    fn carry_out(&self, call: Call) -> BoxFuture<'static, Outcome<CallToolResult>> {
        let outcome = (self.0)(call);
        async move { Ok(outcome.await?.into_result()) }.boxed()
    }

    fn result_schema(&self) -> Option<JsonObject> {
        None
    }
}
