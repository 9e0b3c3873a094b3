//! Books: planned, ordered, read, changed and printed.
use futures::FutureExt as _;
use serde_json::json;

use crate::books::{self, BookChange, CoverRegeneration, NewBook};
use crate::downloads::Target;
use crate::error::Error;
use crate::ids::BookId;
use crate::mcp::reply::{Outcome, Reply};
use crate::mcp::tool::{Call, Effect, Input, Shape, ToolSpec};
use crate::mcp::words;
use crate::pages::NewImage;
use crate::plans::{self, NewPlan};
use crate::print::PrintOptions;

const BOOK: &[(&str, Shape)] = &[("book", Shape::One("Book"))];
/// What is drawn, as the other tools describe it.
const ACCEPTED: &[(&str, Shape)] = &[("book", Shape::Raw("object")), ("operation", Shape::One("Operation"))];

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "plan_book",
        title: "Plan a book",
        description: "Turns a theme into a plan: a title and what each page shows. Free, and nothing is stored. Let your person change it, then create_book.",
        effect: Effect::Reads,
        envelope: "book_plan",
        input: &[Input::Fields("NewPlan")],
        output: &[("book_plan", Shape::One("BookPlan"))],
        call: |call| plan(call).boxed(),
    },
    ToolSpec {
        name: "create_book",
        title: "Order a book",
        description: "Draws a new book. Costs exactly 1 credit for each page with a title; a page_id (a ready page) and the cover are free.",
        effect: Effect::Spends,
        envelope: "book",
        input: &[Input::Fields("NewBook"), Input::Order],
        output: ACCEPTED,
        call: |call| create(call).boxed(),
    },
    ToolSpec {
        name: "list_books",
        title: "Books",
        description: "The account's books, newest first.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Page],
        output: &[("books", Shape::Many("Book")), ("meta", Shape::Raw("object"))],
        call: |call| list(call).boxed(),
    },
    ToolSpec {
        name: "get_book",
        title: "Book",
        description: "One book with its pages in order and where each stands.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Id("book_id")],
        output: BOOK,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "update_book",
        title: "Change a book",
        description: "Changes what is given of a book's words and characters. Nothing is drawn.",
        effect: Effect::Sets,
        envelope: "book",
        input: &[Input::Id("book_id"), Input::Fields("BookChange")],
        output: BOOK,
        call: |call| update(call).boxed(),
    },
    ToolSpec {
        name: "delete_book",
        title: "Delete a book",
        description: "Deletes a book and its cover for good. Drawn pages stay; what waits to be drawn is refunded.",
        effect: Effect::Destroys,
        envelope: "",
        input: &[Input::Id("book_id")],
        output: &[("deleted", Shape::Raw("boolean"))],
        call: |call| delete(call).boxed(),
    },
    ToolSpec {
        name: "regenerate_book_cover",
        title: "Draw a cover again",
        description: "Draws the cover again. Costs exactly 1 credit, or 0 while the book never had a cover. The old one stays until the new one is there.",
        effect: Effect::Redraws,
        envelope: "cover",
        input: &[Input::Id("book_id"), Input::Fields("CoverRegeneration"), Input::Order],
        output: ACCEPTED,
        call: |call| regenerate_cover(call).boxed(),
    },
    ToolSpec {
        name: "replace_book_cover_image",
        title: "Replace a cover",
        description: "Puts finished artwork in place of the cover, free: an upload_id of create_artwork_upload, or an https image_url.",
        effect: Effect::Destroys,
        envelope: "",
        input: &[Input::Id("book_id"), Input::Fields("NewImage"), Input::OptionalKey],
        output: BOOK,
        call: |call| replace_cover(call).boxed(),
    },
    ToolSpec {
        name: "get_book_pdf",
        title: "Download a book",
        description: "A link to the print-ready PDF of a ready book, for 15 minutes. Give it to your person. For Amazon KDP or Lulu choose the edition; they take two files, part interior and part cover.",
        effect: Effect::Reads,
        envelope: "",
        input: &[
            Input::Id("book_id"),
            Input::Text("format", "Of the book's print_formats; the first when left out."),
            Input::OneOf("edition", "Edition"),
            Input::OneOf("backs", "Backs"),
            Input::OneOf("part", "Part"),
        ],
        output: super::images::LINK,
        call: |call| pdf(call).boxed(),
    },
    ToolSpec {
        name: "check_book_print",
        title: "Check a book for a printer",
        description: "Says what a printer would find wrong with a ready book's PDF, and on which pages. Choose edition and part as for get_book_pdf.",
        effect: Effect::Reads,
        envelope: "",
        input: &[
            Input::Id("book_id"),
            Input::Text("format", "Of the book's print_formats; the first when left out."),
            Input::OneOf("edition", "Edition"),
            Input::OneOf("backs", "Backs"),
            Input::OneOf("part", "Part"),
        ],
        output: &[("print_check", Shape::One("PrintCheck"))],
        call: |call| print_check(call).boxed(),
    },
];

async fn plan(mut call: Call) -> Outcome<Reply> {
    let new: NewPlan = call.arguments.parse()?;
    let plan = plans::plan(&call.app, &call.caller, &new).await?;
    let body = json!({"book_plan": plan});
    let text = words::plan(&body);
    Ok(Reply::new(body, text))
}

async fn create(mut call: Call) -> Outcome<Reply> {
    let order = call.arguments.take_order()?;
    let new: NewBook = call.arguments.parse()?;
    let key = call.agreed(order, new.price(), "This book").await?;
    let accepted = books::create(&call.app, &call.caller, &key, &new).await?;
    Reply::accepted(&accepted)
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(BookId::PREFIX)?;
    call.arguments.end()?;
    let page = books::list(&call.app, &call.caller, &request).await?;
    let body = json!({"books": page.items, "meta": {"next_cursor": page.next_cursor}});
    let text = words::many(&body, "books");
    Ok(Reply::new(body, text))
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    call.arguments.end()?;
    let book = books::get(&call.app, &call.caller, &id).await?;
    Ok(reply(book.ok_or_else(missing)?))
}

async fn update(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let change: BookChange = call.arguments.parse()?;
    let book = books::update(&call.app, &call.caller, &id, &change).await?;
    Ok(reply(book.ok_or_else(missing)?))
}

async fn delete(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    call.arguments.end()?;
    if !books::delete(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    Ok(Reply::new(json!({"deleted": true}), "The book is deleted."))
}

async fn regenerate_cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let order = call.arguments.take_order()?;
    let change: CoverRegeneration = call.arguments.parse()?;
    let book = books::get(&call.app, &call.caller, &id).await?.ok_or_else(missing)?;
    let price = book.cover.price();
    let key = call.agreed(order, price, "A new cover").await?;
    let accepted = books::regenerate_cover(&call.app, &call.caller, &key, &id, &change, Some(price)).await?;
    Reply::accepted(&accepted.ok_or_else(missing)?)
}

async fn replace_cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let key = call.arguments.take_optional_key()?;
    let new: NewImage = call.arguments.parse()?;
    let done = books::replace_cover(&call.app, &call.caller, key.as_ref(), &id, &new, None).await?;
    Reply::done(&done.ok_or_else(missing)?, words::book)
}

async fn pdf(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let options = take_print_options(&mut call)?;
    super::images::link(call, Target::BookPdf(id, options), None, missing).await
}

async fn print_check(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let options = take_print_options(&mut call)?;
    call.arguments.end()?;
    let report = books::print_check(&call.app, &call.caller, &id, &options).await?;
    let body = json!({"print_check": report.ok_or_else(missing)?});
    let text = words::print_check(&body);
    Ok(Reply::new(body, text))
}

fn take_print_options(call: &mut Call) -> Outcome<PrintOptions> {
    Ok(PrintOptions {
        format: call.arguments.take_optional("format")?,
        edition: call.arguments.take_optional("edition")?.unwrap_or_default(),
        backs: call.arguments.take_optional("backs")?.unwrap_or_default(),
        part: call.arguments.take_optional("part")?,
    })
}

pub(super) fn reply(book: books::Book) -> Reply {
    let body = json!({"book": book});
    let text = words::book(&body);
    Reply::new(body, text)
}

pub(super) fn missing() -> Error {
    Error::not_found("book")
}
