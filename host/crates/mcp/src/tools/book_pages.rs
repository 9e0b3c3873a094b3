//! Tools that change which pages a book has, and their order.
use futures::FutureExt as _;

use super::books::{changed_book_reply, missing, saved_book_reply};
use crate::call::Call;
use crate::handler::Returns;
use crate::orders::order_reply;
use crate::reply::{Outcome, Reply};
use crate::results::books::{ChangedBookResult, Detached};
use crate::results::orders::{Order, OrderedBookPage};
use crate::tool::{Effect, Input, ToolSpec};
use crate::{schemas, words};
use linepress_core::books::{self, BookPageAccepted, NewBookPage};
use linepress_core::pages::NewPage;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};

const POSITION: Input = Input::Number("position", "From 1. Default: last.");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "generate_book_page",
        title: "Draw a new page",
        description: "Draws a new page in a book. Costs exactly {page_price} per variant.",
        effect: Effect::Spends,
        input: &[
            Input::Id("book_id"),
            // The look of the page is the book's; update_page changes it.
            Input::FieldsWithout(
                schemas::request::<NewPage>,
                &["aspect", "line_weight", "detail", "style", "frame"],
            ),
            POSITION,
            Input::Order,
        ],
        handler: &Returns(|call| generate(call).boxed()),
    },
    ToolSpec {
        name: "attach_book_page",
        title: "Put a page into a book",
        description: "Puts a ready page of the same aspect into a book. Free.",
        effect: Effect::Sets,
        input: &[Input::Id("book_id"), Input::Id("page_id"), POSITION, Input::OptionalKey],
        handler: &Returns(|call| attach(call).boxed()),
    },
    ToolSpec {
        name: "detach_book_page",
        title: "Take a page out of a book",
        description: "Removes a page from a book. The page itself is not deleted.",
        effect: Effect::Sets,
        input: &[Input::Id("book_id"), Input::Id("page_id")],
        handler: &Returns(|call| detach(call).boxed()),
    },
    ToolSpec {
        name: "reorder_book_pages",
        title: "Order a book's pages",
        description: "Changes the order of a book's pages.",
        effect: Effect::Sets,
        input: &[
            Input::Id("book_id"),
            Input::Ids("page_ids", "Every page of the book, each once."),
        ],
        handler: &Returns(|call| reorder(call).boxed()),
    },
];

async fn generate(mut call: Call) -> Outcome<Reply<Order<OrderedBookPage>>> {
    let id: BookId = call.arguments.take("book_id")?;
    let order = call.arguments.take_order()?;
    let position = call.arguments.take_optional("position")?;
    let page: NewPage = call.arguments.parse()?;
    let new = NewBookPage { page, position };
    let what = |BookPageAccepted { page, book, operation }: &BookPageAccepted| {
        let (page, book) = (words::quoted(&page.title), words::quoted(&book.title));
        format!(
            "A new page {page} in the book {book}{}",
            words::orders::variants(operation)
        )
    };
    let (call, new, id) = (&call, &new, &id);
    let place = |order| async move {
        let accepted = books::generate(&call.app, &call.caller, &order, id, new, None).await;
        // The page's fields are arguments of the tool.
        let accepted = accepted.map_err(|error| error.without(&Field::page()))?;
        Ok(accepted.ok_or_else(missing)?)
    };
    Ok(order_reply(&call.order(order, what, place).await?))
}

async fn attach(mut call: Call) -> Outcome<Reply<ChangedBookResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let page: PageId = call.arguments.take("page_id")?;
    let position = call.arguments.take_optional("position")?;
    let key = call.arguments.take_optional_key()?;
    call.arguments.end()?;
    let done = books::attach(&call.app, &call.caller, key.as_ref(), &id, &page, position).await?;
    Ok(saved_book_reply(&done.ok_or_else(missing)?.reply.book))
}

async fn detach(mut call: Call) -> Outcome<Reply<Detached>> {
    let id: BookId = call.arguments.take("book_id")?;
    let page: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let detached = books::detach(&call.app, &call.caller, &id, &page).await?;
    if !detached.ok_or_else(missing)? {
        return Err(Error::not_found("page in this book").into());
    }
    Ok(Reply::new(
        Detached { detached: true },
        "The page is no longer in the book; it is still among the account's pages.",
        format!("get_book {id}, or attach_book_page to put it back."),
    ))
}

async fn reorder(mut call: Call) -> Outcome<Reply<ChangedBookResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let order: Vec<PageId> = call.arguments.take("page_ids")?;
    call.arguments.end()?;
    let book = books::reorder(&call.app, &call.caller, &id, &order).await?;
    let book = book.ok_or_else(missing)?;
    Ok(changed_book_reply(&book).with_note(words::books::page_order(&book)))
}
