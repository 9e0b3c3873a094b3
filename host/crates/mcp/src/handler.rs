//! The function behind a tool. The schema of a tool's results follows from the type that its function returns.
use futures::FutureExt as _;
use futures::future::BoxFuture;
use rmcp::model::{CallToolResult, JsonObject};
use serde::Serialize;
use utoipa::ToSchema;

use super::call::Call;
use super::reply::{AcceptedOrder, Outcome, Picture, Reply};
use super::schemas;

/// The result of a call, and the order that it placed, if it placed one.
pub(super) struct Completed {
    pub result: CallToolResult,
    pub order: Option<AcceptedOrder>,
}

/// The function behind a tool.
pub(super) trait Handler: Sync {
    /// Carries out a call.
    fn carry_out(&self, call: Call) -> BoxFuture<'static, Outcome<Completed>>;

    /// The schema of the structured results; `None` if results consist of a picture and text.
    fn result_schema(&self) -> Option<JsonObject>;
}

/// A function that returns structured results of the type `T`.
pub(super) struct Returns<T>(pub fn(Call) -> BoxFuture<'static, Outcome<Reply<T>>>);

impl<T: Serialize + ToSchema + 'static> Handler for Returns<T> {
    fn carry_out(&self, call: Call) -> BoxFuture<'static, Outcome<Completed>> {
        let client = call.client();
        let outcome = (self.0)(call);
        async move {
            let reply = outcome.await?;
            let order = reply.order();
            let result = reply.into_result(client)?;
            Ok(Completed { result, order })
        }
        .boxed()
    }

    fn result_schema(&self) -> Option<JsonObject> {
        Some(schemas::result::<T>())
    }
}

/// A function that shows a picture to the agent. Its tool has no schema of results: many clients pass a structured
/// result to their model in place of everything else, pictures included.
pub(super) struct Shows(pub fn(Call) -> BoxFuture<'static, Outcome<Picture>>);

impl Handler for Shows {
    fn carry_out(&self, call: Call) -> BoxFuture<'static, Outcome<Completed>> {
        let outcome = (self.0)(call);
        async move {
            let result = outcome.await?.into_result();
            Ok(Completed { result, order: None })
        }
        .boxed()
    }

    fn result_schema(&self) -> Option<JsonObject> {
        None
    }
}
