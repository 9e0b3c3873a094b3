//! The result of a task: that of the tool that placed the order, in the state after its drawings have ended.
use rmcp::model::CallToolResult;
use serde::Serialize;

use crate::call::Call;
use crate::reply::{self, Reply};
use crate::results::orders::{Order, OrderedBook, OrderedBookPage, OrderedCharacter, OrderedPage};
use crate::words;
use linepress_accounts::credits;
use linepress_core::operations::{Operation, OperationStatus, OperationType};
use linepress_core::{books, characters, pages};
use linepress_platform::error::Result;
use linepress_platform::ids::{BookId, CharacterId, PageId};

/// The result of the task of an operation that has ended. It is an error if nothing was drawn.
pub(super) async fn of(call: &Call, operation: &Operation) -> Result<CallToolResult> {
    let (app, caller, id) = (&call.app, &call.caller, operation.resource.id.as_str());
    match operation.kind {
        OperationType::BookCreate | OperationType::BookRegenerateCover | OperationType::BookRestyle => {
            let book = books::get(app, caller, &BookId::from_text(id)).await?;
            let items = book.map(|book| OrderedBook { book: (&book).into() });
            let exists = items.is_some();
            ended(call, operation, items, exists).await
        }
        OperationType::BookAddPage => {
            let book = books::get(app, caller, &BookId::from_text(id)).await?;
            let page = match operation.items.first() {
                Some(item) => pages::get(app, caller, &PageId::from_text(item.id.as_str())).await?,
                None => None,
            };
            let exists = book.is_some();
            let items = page.zip(book).map(|(page, book)| OrderedBookPage {
                page: (&page).into(),
                book: (&book).into(),
            });
            ended(call, operation, items, exists).await
        }
        OperationType::PageCreate | OperationType::PageRegenerate | OperationType::PageRefine => {
            let page = pages::get(app, caller, &PageId::from_text(id)).await?;
            let items = page.map(|page| OrderedPage { page: (&page).into() });
            let exists = items.is_some();
            ended(call, operation, items, exists).await
        }
        OperationType::CharacterCreate | OperationType::CharacterRegenerate => {
            let character = characters::get(app, caller, &CharacterId::from_text(id)).await?;
            let items = character.map(|character| OrderedCharacter {
                character: (&character).into(),
            });
            let exists = items.is_some();
            ended(call, operation, items, exists).await
        }
    }
}

/// The result with what was drawn. `items` is missing if it was deleted since, and `exists` is false if the resource of
/// the operation was.
async fn ended<T: Serialize>(
    call: &Call,
    operation: &Operation,
    items: Option<T>,
    exists: bool,
) -> Result<CallToolResult> {
    let text = words::operations::operation(operation);
    let next = words::operations::after_operation(operation, exists);
    let Some(items) = items else {
        return Ok(reply::error_text(&text, &next));
    };
    let order = Order {
        items,
        operation: operation.into(),
        credits_available: credits::available(&call.app, call.caller.account_id()).await?,
        replayed: false,
    };
    let mut result = Reply::new(order, text, next).into_result(call.client())?;
    result.is_error = Some(operation.status == OperationStatus::Failed);
    Ok(result)
}
