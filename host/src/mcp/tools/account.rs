//! Who calls, and what this server prints.
use futures::FutureExt as _;
use serde_json::json;

use crate::accounts;
use crate::mcp::reply::{Outcome, Reply};
use crate::mcp::tool::{Call, Effect, Shape, ToolSpec};
use crate::mcp::words;
use crate::print::{self, PrintFormatResource};

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "get_account",
        title: "Account",
        description: "Credits, plan, limits and their use. Look here before you order.",
        effect: Effect::Reads,
        envelope: "",
        input: &[],
        output: &[("account", Shape::One("Account"))],
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "list_print_formats",
        title: "Print formats",
        description: "The sizes in which books can be printed, each for one aspect.",
        effect: Effect::Reads,
        envelope: "",
        input: &[],
        output: &[("print_formats", Shape::Many("PrintFormat"))],
        call: |call| print_formats(call).boxed(),
    },
];

async fn get(call: Call) -> Outcome<Reply> {
    call.arguments.end()?;
    let account = accounts::me(&call.app, &call.caller).await?;
    let body = json!({"account": account});
    let text = words::account(&body);
    Ok(Reply::new(body, text))
}

async fn print_formats(call: Call) -> Outcome<Reply> {
    call.arguments.end()?;
    let formats = print::formats(&call.app);
    let formats: Vec<_> = formats.iter().map(PrintFormatResource::new).collect();
    let body = json!({"print_formats": formats, "meta": {"next_cursor": null}});
    let text = words::many(&body, "print_formats");
    Ok(Reply::new(body, text))
}
