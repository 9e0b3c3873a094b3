//! Tools that draw, import, read and change pages.
use futures::FutureExt as _;
use serde_json::{Value, json};

use crate::reply::{Outcome, Reply};
use crate::tool::{Call, Effect, Input, Kind, ToolSpec};
use crate::{results, words};
use linepress_core::artwork::uploads;
use linepress_core::deletion;
use linepress_core::pages::{self, NewImage, NewImport, NewPage, Page, PageAccepted, PageChange, PageRegeneration};
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, PageId};

const PAGE: &[(&str, Kind)] = &[("page", Kind::Object)];
const ACCEPTED: &[(&str, Kind)] = &[("page", Kind::Object), ("operation", Kind::Object)];
const ID: Input = Input::Id("page_id");

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "create_page",
        title: "Draw a page",
        description: "Draws a page outside any book, from a description or, where the server supports it, from an uploaded picture (source_upload_id). Costs exactly {page_price}.",
        effect: Effect::Spends,
        input: &[Input::Fields("NewPage"), Input::Order],
        output: ACCEPTED,
        call: |call| create(call).boxed(),
    },
    ToolSpec {
        name: "list_pages",
        title: "Pages",
        description: "The pages of the account or of one book, newest first, as many as fit, without their prompts.",
        effect: Effect::Reads,
        input: &[Input::Text("book_id", "Only pages of this book."), Input::Page],
        output: &[("pages", Kind::List), ("meta", Kind::Object)],
        call: |call| list(call).boxed(),
    },
    ToolSpec {
        name: "get_page",
        title: "Page",
        description: "One page with its prompt, caption and books, and what makes it hard to color.",
        effect: Effect::Reads,
        input: &[ID],
        output: PAGE,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "update_page",
        title: "Change a page",
        description: "Changes the given texts and characters of a page. Its picture does not change.",
        effect: Effect::Sets,
        input: &[ID, Input::Fields("PageChange")],
        output: PAGE,
        call: |call| update(call).boxed(),
    },
    ToolSpec {
        name: "delete_page",
        title: "Delete a page",
        description: "Deletes a page permanently and removes it from every book.",
        effect: Effect::Destroys,
        input: &[ID],
        output: &[("deleted", Kind::Flag)],
        call: |call| delete(call).boxed(),
    },
    ToolSpec {
        name: "regenerate_page",
        title: "Draw a page again",
        description: "Draws a page again. Costs exactly {page_price}. The old picture remains until the new one is ready. A new prompt must describe the whole picture. Title and caption do not change unless you give new ones; they are printed with the new picture.",
        effect: Effect::Redraws,
        input: &[ID, Input::Fields("PageRegeneration"), Input::Order],
        output: ACCEPTED,
        call: |call| regenerate(call).boxed(),
    },
    ToolSpec {
        name: "create_artwork_upload",
        title: "Upload artwork",
        description: "A URL to which one PNG, JPEG or WebP can be PUT for an hour without authorization. In a browser it shows a form, so that the user can send the file. Then call import_page or replace_page_image with its id.",
        effect: Effect::Adds,
        input: &[],
        output: &[("artwork_upload", Kind::Object)],
        call: |call| create_upload(call).boxed(),
    },
    ToolSpec {
        name: "import_page",
        title: "Import artwork",
        description: "Creates a page from finished artwork, free: an upload_id from create_artwork_upload, or an https image_url.",
        effect: Effect::Adds,
        input: &[Input::Fields("NewImport"), Input::OptionalKey],
        output: PAGE,
        call: |call| import(call).boxed(),
    },
    ToolSpec {
        name: "replace_page_image",
        title: "Replace a picture",
        description: "Replaces a page's picture with finished artwork, free: an upload_id or an https image_url.",
        effect: Effect::Destroys,
        input: &[ID, Input::Fields("NewImage"), Input::OptionalKey],
        output: PAGE,
        call: |call| replace(call).boxed(),
    },
];

async fn create(mut call: Call) -> Outcome<Reply> {
    let order = call.arguments.take_order()?;
    let new: NewPage = call.arguments.parse()?;
    let what = |reply: &PageAccepted| format!("A new page {}", json!(reply.page.title));
    let (call, new) = (&call, &new);
    let place = |order| async move { Ok(pages::create(&call.app, &call.caller, &order, new).await?) };
    Reply::accepted(&call.order(order, what, place).await?)
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(PageId::PREFIX)?;
    let book: Option<BookId> = call.arguments.take_optional("book_id")?;
    call.arguments.end()?;
    let page = pages::list(&call.app, &call.caller, book.as_ref(), &request).await?;
    let then = "get_page returns one with its prompt, look_at_page shows its picture.";
    let short = results::page_in_short;
    Ok(Reply::list("pages", &page, &request, short, then))
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let page = pages::get(&call.app, &call.caller, &id).await?;
    Ok(reply(&page.ok_or_else(missing)?))
}

async fn update(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let change: PageChange = call.arguments.parse()?;
    let page = pages::update(&call.app, &call.caller, &id, &change).await?;
    Ok(reply(&page.ok_or_else(missing)?))
}

async fn delete(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let what = async {
        let page = pages::get(&call.app, &call.caller, &id).await?.ok_or_else(missing)?;
        let books = i64::try_from(page.book_ids.len()).unwrap_or(i64::MAX);
        let books = words::counted(books, "book");
        Ok(format!("the page \"{}\", which is in {books},", page.title))
    };
    call.confirm_deletion(what).await?;
    if !deletion::delete_page(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    Ok(Reply::new(
        json!({"deleted": true}),
        "The page was deleted.",
        "list_pages returns the remaining pages.",
    ))
}

async fn regenerate(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let order = call.arguments.take_order()?;
    let change: PageRegeneration = call.arguments.parse()?;
    let what = |reply: &PageAccepted| format!("A new drawing of the page {}", json!(reply.page.title));
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = pages::regenerate(&call.app, &call.caller, &order, id, change).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    let accepted = call.order(order, what, place).await?;
    let reply = Reply::accepted(&accepted)?;
    let notes = [
        new_texts_note(change),
        unchanged_texts_note(&accepted.reply.page, change),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if notes.is_empty() {
        return Ok(reply);
    }
    Ok(reply.with_note(&notes.join(" ")))
}

/// A note about the new title and caption, which the reply does not show yet. `None` if neither is new.
fn new_texts_note(change: &PageRegeneration) -> Option<String> {
    let title = change
        .title
        .as_deref()
        .map(|title| format!("the title {}", json!(title)));
    let caption = change.caption.as_deref().map(|caption| match caption {
        "" => "no caption".to_owned(),
        caption => format!("the caption {}", json!(caption)),
    });
    let texts: Vec<String> = [title, caption].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| format!("The new picture comes with {}.", texts.join(" and ")))
}

/// A note about the unchanged title and caption, which may no longer fit the new picture. `None` if the prompt is
/// unchanged or both are new.
fn unchanged_texts_note(page: &Page, change: &PageRegeneration) -> Option<String> {
    if change.prompt.is_none() || (change.title.is_some() && change.caption.is_some()) {
        return None;
    }
    let mut unchanged = Vec::new();
    if change.title.is_none() {
        unchanged.push(format!("the title {}", json!(page.title)));
    }
    if change.caption.is_none() {
        unchanged.push(format!("the caption {}", json!(page.caption)));
    }
    let unchanged = unchanged.join(" and ");
    Some(format!(
        "Unchanged: {unchanged}. If the new picture does not fit, change it with update_page."
    ))
}

async fn create_upload(call: Call) -> Outcome<Reply> {
    call.arguments.end()?;
    let upload = uploads::create(&call.app, &call.caller).await?;
    let text = format!(
        "{} accepts one file of at most {} bytes until {}, for upload_id {}.",
        upload.url, upload.max_bytes, upload.expires_at, upload.id
    );
    let next = format!(
        "PUT the file to the url, or give the url to the user, who can send the file with a browser; then call import_page, replace_page_image or replace_book_cover_image with upload_id: {0}, or create_page with source_upload_id: {0} to draw from it.",
        upload.id
    );
    Ok(Reply::new(json!({"artwork_upload": upload}), text, next))
}

async fn import(mut call: Call) -> Outcome<Reply> {
    let key = call.arguments.take_optional_key()?;
    let new: NewImport = call.arguments.parse()?;
    let done = pages::import(&call.app, &call.caller, key.as_ref(), &new, None).await?;
    Reply::done(&done, |body| reply_from(&body["page"]))
}

async fn replace(mut call: Call) -> Outcome<Reply> {
    let id: PageId = call.arguments.take("page_id")?;
    let key = call.arguments.take_optional_key()?;
    let new: NewImage = call.arguments.parse()?;
    let done = pages::replace_image(&call.app, &call.caller, key.as_ref(), &id, &new, None).await?;
    Reply::done(&done.ok_or_else(missing)?, |body| reply_from(&body["page"]))
}

fn reply(page: &Page) -> Reply {
    reply_from(&json!(page))
}

fn reply_from(page: &Value) -> Reply {
    let shown = results::page(page);
    let (text, next) = (words::page(&shown), words::after_page(page));
    Reply::new(json!({"page": shown}), text, next)
}

pub(super) fn missing() -> Error {
    Error::not_found("page")
}
