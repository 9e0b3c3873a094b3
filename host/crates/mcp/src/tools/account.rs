//! Tools for the account and the server's print formats.
use futures::FutureExt as _;

use crate::call::Call;
use crate::handler::Returns;
use crate::reply::{Outcome, Reply};
use crate::results::Meta;
use crate::results::account::{AccountResult, GrantUse};
use crate::results::print::PrintFormatsResult;
use crate::tool::{Effect, ToolSpec};
use crate::words;
use linepress_accounts::accounts;
use linepress_core::me;
use linepress_core::print;
use linepress_platform::error::Result;

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "get_account",
        title: "Account",
        description: "Credits, plan, limits and their use, and how much this app may still spend.",
        effect: Effect::Reads,
        input: &[],
        handler: &Returns(|call| get(call).boxed()),
    },
    ToolSpec {
        name: "list_print_formats",
        title: "Print formats",
        description: "The sizes of printed books, each for one aspect, with the printers (KDP, Lulu) that take it and their page limits.",
        effect: Effect::Reads,
        input: &[],
        handler: &Returns(|call| print_formats(call).boxed()),
    },
];

async fn get(call: Call) -> Outcome<Reply<AccountResult>> {
    call.arguments.end()?;
    let account = me::me(&call.app, &call.caller).await?;
    let grant = grant(&call).await?;
    let text = words::account::account(&account, grant.as_ref());
    let next = "plan_book with a theme, or list_books.";
    Ok(Reply::new(AccountResult { account, grant }, text, next))
}

/// What the calling app may do, by its grant or by its API key.
async fn grant(call: &Call) -> Result<Option<GrantUse>> {
    if let Some(grant) = call.caller.grant() {
        return Ok(Some(GrantUse::from_grant(grant)));
    }
    let key = accounts::calling_key(&call.app, &call.caller).await?;
    Ok(key.map(|key| GrantUse::from_key(&key)))
}

async fn print_formats(call: Call) -> Outcome<Reply<PrintFormatsResult>> {
    call.arguments.end()?;
    let formats = PrintFormatsResult {
        print_formats: print::formats(&call.app).iter().map(Into::into).collect(),
        meta: Meta { next_cursor: None },
    };
    let text = words::print::print_formats(&formats.print_formats);
    let next = "plan_book or create_book with the aspect of a format; then get_book_pdf with its id as format.";
    Ok(Reply::new(formats, text, next))
}
