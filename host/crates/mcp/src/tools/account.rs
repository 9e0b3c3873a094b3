//! Tools for the account and the server's print formats.
use futures::FutureExt as _;
use serde_json::{Value, json};

use crate::reply::{Outcome, Reply};
use crate::tool::{Call, Effect, Kind, ToolSpec};
use crate::words;
use linepress_core::grants;
use linepress_core::me;
use linepress_core::print::{self, OfferedFormat, PrintFormatResource, printers_of};
use linepress_platform::error::Result;

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "get_account",
        title: "Account",
        description: "Credits, plan, limits and their use, and how much this app may still spend. Call it before you order.",
        effect: Effect::Reads,
        input: &[],
        output: &[("account", Kind::Object)],
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "list_print_formats",
        title: "Print formats",
        description: "The sizes of printed books, each for one aspect, with the printers (KDP, Lulu) that take it and their page limits.",
        effect: Effect::Reads,
        input: &[],
        output: &[("print_formats", Kind::List), ("meta", Kind::Object)],
        call: |call| print_formats(call).boxed(),
    },
];

async fn get(call: Call) -> Outcome<Reply> {
    call.arguments.end()?;
    let account = json!(me::me(&call.app, &call.caller).await?);
    let grant = grant(&call).await?;
    let text = words::account(&account, grant.as_ref());
    let mut body = json!({"account": account});
    if let Some(grant) = grant {
        body["grant"] = grant;
    }
    Ok(Reply::new(body, text, "plan_book with a theme, or list_books."))
}

/// The grant of the calling app; `None` for a caller without a grant.
async fn grant(call: &Call) -> Result<Option<Value>> {
    let Some(grant) = call.caller.grant() else {
        return Ok(None);
    };
    let connected = grants::calling_app(&call.app, &call.caller).await?;
    Ok(connected.map(|connected| {
        let may_spend = grant.scopes.includes(Effect::Spends.scopes());
        let left = connected.credit_cap.map(|cap| (cap - connected.credits_spent).max(0));
        let left = if may_spend { left } else { Some(0) };
        json!({
            "scopes": grant.scopes,
            "may_spend": may_spend,
            "credit_cap": connected.credit_cap,
            "credits_spent": connected.credits_spent,
            "credits_left": left,
        })
    }))
}

async fn print_formats(call: Call) -> Outcome<Reply> {
    call.arguments.end()?;
    let formats: Vec<Value> = print::formats(&call.app).iter().map(print_format).collect();
    let body = json!({"print_formats": formats, "meta": {"next_cursor": null}});
    let text = words::print_formats(&body);
    let next = "plan_book or create_book with the aspect of a format; then get_book_pdf with its id as format.";
    Ok(Reply::new(body, text, next))
}

/// A format, with the printing services that offer it.
fn print_format(offered: &OfferedFormat) -> Value {
    let mut format = json!(PrintFormatResource::new(offered));
    format["printers"] = json!(printers_of(offered));
    format
}
