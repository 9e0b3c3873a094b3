//! Tools for the bin: deleted books and pages. No tool deletes for good, so that an agent cannot destroy what a person
//! may want back.
use futures::FutureExt as _;

use crate::call::Call;
use crate::handler::Returns;
use crate::list::list_reply;
use crate::reply::{Outcome, Reply};
use crate::results::deleted::{BinResult, RestoredResult};
use crate::tool::{Effect, Input, ToolSpec};
use crate::words;
use linepress_core::deletion::{self, DeletedId, Restored};
use linepress_platform::error::Error;
use linepress_platform::ids::BinId;

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "list_bin",
        title: "Deleted books and pages",
        description: "The deleted books and pages that can be restored, newest first, and when each is deleted for good.",
        effect: Effect::Reads,
        input: &[Input::Page],
        handler: &Returns(|call| list(call).boxed()),
    },
    ToolSpec {
        name: "restore_deleted",
        title: "Restore a book or page",
        description: "Restores a deleted book or page as it was, free: a page at its place in its books, a book with its cover and pages.",
        effect: Effect::Sets,
        input: &[Input::Id("id")],
        handler: &Returns(|call| restore(call).boxed()),
    },
];

async fn list(mut call: Call) -> Outcome<Reply<BinResult>> {
    let request = call.take_page_request(BinId::PREFIX)?;
    call.arguments.end()?;
    let page = deletion::list(&call.app, &call.caller, &request).await?;
    Ok(list_reply(&page, &request, "restore_deleted restores one by its id.")?)
}

async fn restore(mut call: Call) -> Outcome<Reply<RestoredResult>> {
    let id: DeletedId = call.arguments.take("id")?;
    call.arguments.end()?;
    let restored = deletion::restore(&call.app, &call.caller, &id).await?;
    Ok(match restored.ok_or_else(missing)? {
        Restored::Book(book) => {
            let next = format!("get_book {id} returns it with its pages.");
            Reply::new(RestoredResult::book(&book), words::books::book_head(&book), next)
        }
        Restored::Page(page) => {
            let (text, next) = (words::pages::page(&page), words::pages::after_page(&page));
            Reply::new(RestoredResult::page(*page), text, next)
        }
    })
}

fn missing() -> Error {
    Error::not_found("deleted book or page")
}
