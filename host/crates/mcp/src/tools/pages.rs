//! Tools that draw, import, read and change pages.
use futures::FutureExt as _;

use crate::call::Call;
use crate::handler::Returns;
use crate::list::list_reply;
use crate::orders::order_reply;
use crate::reply::{Outcome, Reply};
use crate::results::orders::{Order, OrderedPage};
use crate::results::pages::{Deleted, PageResult, PagesResult, UploadResult};
use crate::tool::{Effect, Input, ToolSpec};
use crate::visits::Visit;
use crate::{apps, schemas, waiting, words};
use linepress_core::artwork::Status;
use linepress_core::artwork::uploads::{self, Upload};
use linepress_core::deletion;
use linepress_core::generation;
use linepress_core::pages::{
    self, NewImage, NewImport, NewPage, Page, PageAccepted, PageChange, PageRefinement, PageRegeneration,
};
use linepress_model::Aspect;
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, PageId};

const ID: Input = Input::Id("page_id");

/// The argument that has the client ask its user to open the form of an upload.
const FROM_USER: &str = "from_user";

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "create_page",
        title: "Draw a page",
        description: "Draws a page outside any book, from words or an uploaded picture. Costs exactly {page_price} per variant.",
        effect: Effect::Spends,
        input: &[Input::Fields(schemas::request::<NewPage>), Input::Order],
        handler: &Returns(|call| create(call).boxed()),
    },
    ToolSpec {
        name: "list_pages",
        title: "Pages",
        description: "The pages of the account or of one book, newest first, as many as fit, without their prompts.",
        effect: Effect::Reads,
        input: &[
            Input::Text("book_id", "Only pages of this book."),
            Input::Query,
            Input::Filter("status", schemas::words::<Status>),
            Input::Filter("aspect", schemas::words::<Aspect>),
            Input::Page,
        ],
        handler: &Returns(|call| list(call).boxed()),
    },
    ToolSpec {
        name: "get_page",
        title: "Page",
        description: "One page with its texts and books, and what makes it hard to color.",
        effect: Effect::Reads,
        input: &[ID],
        handler: &Returns(|call| get(call).boxed()),
    },
    ToolSpec {
        name: "update_page",
        title: "Change a page",
        description: "Changes texts and characters of a page, and locks or unlocks it. Its picture remains.",
        effect: Effect::Sets,
        input: &[ID, Input::Fields(schemas::request::<PageChange>)],
        handler: &Returns(|call| update(call).boxed()),
    },
    ToolSpec {
        name: "delete_page",
        title: "Delete a page",
        description: "Moves a page to the bin and removes it from every book. restore_deleted restores it for some days.",
        effect: Effect::Destroys,
        input: &[ID],
        handler: &Returns(|call| delete(call).boxed()),
    },
    ToolSpec {
        name: "regenerate_page",
        title: "Draw a page again",
        description: "Draws a page again. Costs exactly {page_price} per variant. The old picture remains meanwhile. A prompt describes the whole picture.",
        effect: Effect::Redraws,
        input: &[ID, Input::Fields(schemas::request::<PageRegeneration>), Input::Order],
        handler: &Returns(|call| regenerate(call).boxed()),
    },
    ToolSpec {
        name: "refine_page",
        title: "Change a picture",
        description: "Changes something in a page's picture and keeps the rest. Costs exactly {page_price}. If the server cannot change pictures, it draws the page again with the change, and a note says so. The prompt remains.",
        effect: Effect::Redraws,
        input: &[ID, Input::Fields(schemas::request::<PageRefinement>), Input::Order],
        handler: &Returns(|call| refine(call).boxed()),
    },
    ToolSpec {
        name: "create_artwork_upload",
        title: "Upload artwork",
        description: "A URL to which one PNG, JPEG or WebP can be PUT for an hour without authorization. import_page and replace_page_image take its id.",
        effect: Effect::Adds,
        input: &[Input::Flag(FROM_USER, "The user sends it in a browser.")],
        handler: &Returns(|call| create_upload(call).boxed()),
    },
    ToolSpec {
        name: "import_page",
        title: "Import artwork",
        description: "Creates a page from finished artwork, free: an upload_id from create_artwork_upload, or an https image_url.",
        effect: Effect::Adds,
        input: &[Input::Fields(schemas::request::<NewImport>), Input::OptionalKey],
        handler: &Returns(|call| import(call).boxed()),
    },
    ToolSpec {
        name: "replace_page_image",
        title: "Replace a picture",
        description: "Replaces a page's picture with finished artwork, free: an upload_id or an https image_url.",
        effect: Effect::Destroys,
        input: &[ID, Input::Fields(schemas::request::<NewImage>), Input::OptionalKey],
        handler: &Returns(|call| replace(call).boxed()),
    },
];

async fn create(mut call: Call) -> Outcome<Reply<Order<OrderedPage>>> {
    let order = call.arguments.take_order()?;
    let new: NewPage = call.arguments.parse()?;
    let what = |reply: &PageAccepted| {
        let page = words::quoted(&reply.page.title);
        format!("A new page {page}{}", words::orders::variants(&reply.operation))
    };
    let (call, new) = (&call, &new);
    let place = |order| async move { Ok(pages::create(&call.app, &call.caller, &order, new, None).await?) };
    Ok(order_reply(&call.order(order, what, place).await?))
}

async fn list(mut call: Call) -> Outcome<Reply<PagesResult>> {
    let request = call.take_page_request(PageId::PREFIX)?;
    let book: Option<BookId> = call.arguments.take_optional("book_id")?;
    let aspect = call.arguments.take_optional("aspect")?;
    let search = call.take_search::<Status>(aspect)?;
    call.arguments.end()?;
    let page = pages::search(&call.app, &call.caller, book.as_ref(), &search, &request).await?;
    let then = "get_page returns one with its prompt, look_at_page shows its picture.";
    Ok(list_reply(&page, &request, then)?)
}

async fn get(mut call: Call) -> Outcome<Reply<PageResult>> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let page = pages::get(&call.app, &call.caller, &id).await?.ok_or_else(missing)?;
    if !apps::are_shown_in(&call.context) {
        return Ok(reply(page));
    }
    let edits_picture = generation::can_edit(&call.app, &call.caller, page.aspect).await?;
    Ok(reply(page).with_meta(apps::page_meta(edits_picture)))
}

async fn update(mut call: Call) -> Outcome<Reply<PageResult>> {
    let id: PageId = call.arguments.take("page_id")?;
    let change: PageChange = call.arguments.parse()?;
    let page = pages::update(&call.app, &call.caller, &id, &change).await?;
    Ok(reply(page.ok_or_else(missing)?))
}

async fn delete(mut call: Call) -> Outcome<Reply<Deleted>> {
    let id: PageId = call.arguments.take("page_id")?;
    call.arguments.end()?;
    let what = async {
        let page = pages::get(&call.app, &call.caller, &id).await?.ok_or_else(missing)?;
        let books = words::counted(page.book_ids.len(), "book");
        Ok(format!("the page {}, which is in {books}", words::quoted(&page.title)))
    };
    call.confirm_deletion(what).await?;
    if !deletion::delete_page(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    let next = format!("restore_deleted {id} restores it; list_pages returns the remaining pages.");
    Ok(Reply::new(Deleted { deleted: true }, "The page was deleted.", next))
}

async fn regenerate(mut call: Call) -> Outcome<Reply<Order<OrderedPage>>> {
    let id: PageId = call.arguments.take("page_id")?;
    let order = call.arguments.take_order()?;
    let change: PageRegeneration = call.arguments.parse()?;
    let what = |reply: &PageAccepted| {
        let page = words::quoted(&reply.page.title);
        format!(
            "A new drawing of the page {page}{}",
            words::orders::variants(&reply.operation)
        )
    };
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = pages::regenerate(&call.app, &call.caller, &order, id, change, None).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    let accepted = call.order(order, what, place).await?;
    let reply = order_reply(&accepted);
    Ok(match words::pages::texts_note(&accepted.reply.page, change) {
        Some(note) => reply.with_note(note),
        None => reply,
    })
}

async fn refine(mut call: Call) -> Outcome<Reply<Order<OrderedPage>>> {
    let id: PageId = call.arguments.take("page_id")?;
    let order = call.arguments.take_order()?;
    let wish: PageRefinement = call.arguments.parse()?;
    let what = |reply: &PageAccepted| format!("A changed picture of the page {}", words::quoted(&reply.page.title));
    let (call, id, wish) = (&call, &id, &wish);
    let place = |order| async move {
        let accepted = pages::refine(&call.app, &call.caller, &order, id, wish).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    let reply = order_reply(&call.order(order, what, place).await?);
    Ok(match words::pages::refined_texts_note(wish) {
        Some(note) => reply.with_note(note),
        None => reply,
    })
}

async fn create_upload(mut call: Call) -> Outcome<Reply<UploadResult>> {
    let from_user: Option<bool> = call.arguments.take_optional(FROM_USER)?;
    call.arguments.end()?;
    let asks = from_user == Some(true) && call.can_open_pages();
    if asks && let Some(Visit { subject, agreed }) = call.visit()? {
        return requested_upload(&call, subject, agreed).await;
    }
    let upload = uploads::create(&call.app, &call.caller).await?;
    if asks {
        let message = format!(
            "A picture is needed: PNG, JPEG or WebP of at most {} bytes. This page sends it to the account {}, \
             until {}.",
            upload.max_bytes,
            call.caller.email(),
            upload.expires_at
        );
        return Err(call.ask_to_open(&upload.url, &message, &upload)?);
    }
    Ok(upload_reply(upload))
}

/// The reply after the user was asked to send the file in a browser. It waits for the file.
async fn requested_upload(call: &Call, upload: Upload, agreed: bool) -> Outcome<Reply<UploadResult>> {
    if !agreed {
        return Ok(upload_reply(upload).with_note("The user did not agree to send a file in a browser."));
    }
    if !waiting::for_file(call, &upload.id).await? {
        return Ok(upload_reply(upload).with_note("The user was sent to the page, but no file has arrived yet."));
    }
    let text = format!("The file of the user has arrived, for upload_id {}.", upload.id);
    let next = format!("call {}", after_upload(&upload));
    Ok(Reply::new(UploadResult { artwork_upload: upload }, text, next))
}

fn upload_reply(upload: Upload) -> Reply<UploadResult> {
    let text = format!(
        "{} accepts one file of at most {} bytes until {}, for upload_id {}.",
        upload.url, upload.max_bytes, upload.expires_at, upload.id
    );
    let next = format!(
        "PUT the file to the url, or give the url to the user, who can send the file with a browser; then call {}",
        after_upload(&upload)
    );
    Reply::new(UploadResult { artwork_upload: upload }, text, next)
}

/// The calls that use the file of an upload.
fn after_upload(upload: &Upload) -> String {
    format!(
        "import_page, replace_page_image or replace_book_cover_image with upload_id: {0}, or create_page, \
         generate_book_page, regenerate_page, create_character or regenerate_character with source_upload_id: {0} to \
         draw from it.",
        upload.id
    )
}

async fn import(mut call: Call) -> Outcome<Reply<PageResult>> {
    let key = call.arguments.take_optional_key()?;
    let new: NewImport = call.arguments.parse()?;
    let done = pages::import(&call.app, &call.caller, key.as_ref(), &new, None).await?;
    Ok(reply(done.reply.page))
}

async fn replace(mut call: Call) -> Outcome<Reply<PageResult>> {
    let id: PageId = call.arguments.take("page_id")?;
    let key = call.arguments.take_optional_key()?;
    let new: NewImage = call.arguments.parse()?;
    let done = pages::replace_image(&call.app, &call.caller, key.as_ref(), &id, &new, None).await?;
    Ok(reply(done.ok_or_else(missing)?.reply.page))
}

fn reply(page: Page) -> Reply<PageResult> {
    let (text, next) = (words::pages::page(&page), words::pages::after_page(&page));
    Reply::new(page.into(), text, next)
}

pub(super) fn missing() -> Error {
    Error::not_found("page")
}
