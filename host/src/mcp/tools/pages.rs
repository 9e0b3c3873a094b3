//! Pages: drawn, imported, read, changed.
use futures::FutureExt as _;
use serde_json::json;

use crate::artwork::uploads;
use crate::credits::pricing;
use crate::error::Error;
use crate::ids::{BookId, PageId};
use crate::mcp::reply::{Outcome, Reply};
use crate::mcp::tool::{Call, Effect, Input, Shape, ToolSpec};
use crate::mcp::words;
use crate::pages::{self, NewImage, NewImport, NewPage, Page, PageChange, PageRegeneration};

const PAGE: &[(&str, Shape)] = &[("page", Shape::One("Page"))];
/// What is drawn, as the other tools describe it.
const ACCEPTED: &[(&str, Shape)] = &[("page", Shape::Raw("object")), ("operation", Shape::One("Operation"))];
const ID: Input = Input::Id("page_id");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "create_page",
        title: "Draw a page",
        description: "Draws a page outside any book, from words or, with source_upload_id, from a picture that was uploaded. Costs exactly 1 credit.",
        effect: Effect::Spends,
        envelope: "page",
        input: &[Input::Fields("NewPage"), Input::Order],
        output: ACCEPTED,
        call: |call| create(call).boxed(),
    },
    ToolSpec {
        name: "list_pages",
        title: "Pages",
        description: "The account's pages, newest first, or those of one book.",
        effect: Effect::Reads,
        envelope: "",
        input: &[Input::Text("book_id", "Only pages in this book."), Input::Page],
        output: &[("pages", Shape::Many("Page")), ("meta", Shape::Raw("object"))],
        call: |call| list(call).boxed(),
    },
    ToolSpec {
        name: "get_page",
        title: "Page",
        description: "One page.",
        effect: Effect::Reads,
        envelope: "",
        input: &[ID],
        output: PAGE,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "update_page",
        title: "Change a page",
        description: "Changes what is given of a page's words and characters. Its picture stays.",
        effect: Effect::Sets,
        envelope: "page",
        input: &[ID, Input::Fields("PageChange")],
        output: PAGE,
        call: |call| update(call).boxed(),
    },
    ToolSpec {
        name: "delete_page",
        title: "Delete a page",
        description: "Deletes a page for good and takes it out of every book.",
        effect: Effect::Destroys,
        envelope: "",
        input: &[ID],
        output: &[("deleted", Shape::Raw("boolean"))],
        call: |call| delete(call).boxed(),
    },
    ToolSpec {
        name: "regenerate_page",
        title: "Draw a page again",
        description: "Draws a page again. Costs exactly 1 credit. The old picture stays until the new one is there.",
        effect: Effect::Redraws,
        envelope: "page",
        input: &[ID, Input::Fields("PageRegeneration"), Input::Order],
        output: ACCEPTED,
        call: |call| regenerate(call).boxed(),
    },
    ToolSpec {
        name: "create_artwork_upload",
        title: "Upload artwork",
        description: "A URL that takes one PNG, JPEG or WebP by PUT, for an hour, without authorization. Then import_page or replace_page_image with its id.",
        effect: Effect::Adds,
        envelope: "",
        input: &[],
        output: &[("artwork_upload", Shape::One("ArtworkUpload"))],
        call: |call| create_upload(call).boxed(),
    },
    ToolSpec {
        name: "import_page",
        title: "Import artwork",
        description: "Makes a page of finished artwork, free: an upload_id of create_artwork_upload, or an https image_url.",
        effect: Effect::Adds,
        envelope: "",
        input: &[Input::Fields("NewImport"), Input::OptionalKey],
        output: PAGE,
        call: |call| import(call).boxed(),
    },
    ToolSpec {
        name: "replace_page_image",
        title: "Replace a picture",
        description: "Puts finished artwork in place of a page's picture, free: an upload_id or an https image_url.",
        effect: Effect::Destroys,
        envelope: "",
        input: &[ID, Input::Fields("NewImage"), Input::OptionalKey],
        output: PAGE,
        call: |call| replace(call).boxed(),
    },
];

async fn create(mut call: Call) -> Outcome<Reply> {
    let order = call.arguments.take_order()?;
    let new: NewPage = call.arguments.parse()?;
    let key = call.agreed(order, pricing::PAGE, "A new page").await?;
    let accepted = pages::create(&call.app, &call.caller, &key, &new).await?;
    Reply::accepted(&accepted)
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(PageId::PREFIX)?;
    let book: Option<BookId> = call.arguments.take_optional("book_id")?;
    call.arguments.end()?;
    let page = pages::list(&call.app, &call.caller, book.as_ref(), &request).await?;
    let body = json!({"pages": page.items, "meta": {"next_cursor": page.next_cursor}});
    let text = words::many(&body, "pages");
    Ok(Reply::new(body, text))
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let page = pages::get(&call.app, &call.caller, &id).await?;
    Ok(reply(page.ok_or_else(missing)?))
}

async fn update(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let change: PageChange = call.arguments.parse()?;
    let page = pages::update(&call.app, &call.caller, &id, &change).await?;
    Ok(reply(page.ok_or_else(missing)?))
}

async fn delete(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    if !pages::delete(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    Ok(Reply::new(json!({"deleted": true}), "The page is deleted."))
}

async fn regenerate(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let order = call.arguments.take_order()?;
    let change: PageRegeneration = call.arguments.parse()?;
    let key = call.agreed(order, pricing::PAGE, "A new drawing of this page").await?;
    let accepted = pages::regenerate(&call.app, &call.caller, &key, &id, &change).await?;
    Reply::accepted(&accepted.ok_or_else(missing)?)
}

async fn create_upload(call: Call) -> Outcome<Reply> {
    call.arguments.end()?;
    let upload = uploads::create(&call.app, &call.caller).await?;
    let text = format!(
        "PUT the file, at most {} bytes, to {} and then import it with upload_id {}, or draw from it with source_upload_id.",
        upload.max_bytes, upload.url, upload.id
    );
    Ok(Reply::new(json!({"artwork_upload": upload}), text))
}

async fn import(mut call: Call) -> Outcome<Reply> {
    let key = call.arguments.take_optional_key()?;
    let new: NewImport = call.arguments.parse()?;
    let done = pages::import(&call.app, &call.caller, key.as_ref(), &new, None).await?;
    Reply::done(&done, words::page)
}

async fn replace(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let key = call.arguments.take_optional_key()?;
    let new: NewImage = call.arguments.parse()?;
    let done = pages::replace_image(&call.app, &call.caller, key.as_ref(), &id, &new, None).await?;
    Reply::done(&done.ok_or_else(missing)?, words::page)
}

fn reply(page: Page) -> Reply {
    let body = json!({"page": page});
    let text = words::page(&body);
    Reply::new(body, text)
}

pub(super) fn missing() -> Error {
    Error::not_found("page")
}
