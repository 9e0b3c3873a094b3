//! Tools that plan, order, read, change and print books.
use futures::FutureExt as _;
use linepress_printers::{Edition, Part};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::reply::{Outcome, Reply};
use crate::results::{self, Window};
use crate::tool::{Call, Effect, Input, Kind, ToolSpec};
use crate::{waiting, words};
use linepress_core::books::{
    self, Book, BookAccepted, BookChange, ChosenFormat, CoverRegeneration, NewBook, PageSummary,
};
use linepress_core::downloads::Target;
use linepress_core::pages::{self, NewImage};
use linepress_core::plans::{self, NewPlan};
use linepress_core::print::PrintOptions;
use linepress_core::routing::{self, Outage};
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, PageId};

const BOOK: &[(&str, Kind)] = &[("book", Kind::Object)];

/// The most pages that are loaded in full for one result. No result has room for more.
const MAX_FULL_PAGES: usize = 100;

const ACCEPTED: &[(&str, Kind)] = &[("book", Kind::Object), ("operation", Kind::Object)];

/// The output of a link to a PDF.
const PDF: &[(&str, Kind)] = &[
    ("url", Kind::Text),
    ("media_type", Kind::Text),
    ("byte_size", Kind::Whole),
    ("expires_at", Kind::Text),
    ("print_format", Kind::Object),
];

/// The print options of a book.
const PRINT: &[Input] = &[
    Input::Id("book_id"),
    Input::Text(
        "format",
        "An id of the book's print_formats. Default: the first. The printer is the edition, not the format.",
    ),
    Input::OneOf(
        "edition",
        "Edition",
        "home (a printer at home, the default), kdp (Amazon KDP) or lulu.",
    ),
    Input::OneOf(
        "backs",
        "Backs",
        "The back of each drawing: blank (the default; pens may bleed through), or printed with the next drawing.",
    ),
    Input::OneOf(
        "part",
        "Part",
        "For kdp and lulu: interior (the default) or cover, the wraparound cover. At home: the whole book.",
    ),
];

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "plan_book",
        title: "Plan a book",
        description: "Turns a theme into a plan: a title and what each page shows. Free, and nothing is stored. Let the user change it, then call create_book.",
        effect: Effect::Reads,
        input: &[Input::Fields("NewPlan")],
        output: &[("book_plan", Kind::Object)],
        call: |call| plan(call).boxed(),
    },
    ToolSpec {
        name: "create_book",
        title: "Order a book",
        description: "Draws a new book. Costs exactly {page_price} for each page with a title, and nothing for a page_id (a ready page); the cover {cover_costs}.",
        effect: Effect::Spends,
        input: &[Input::Fields("NewBook"), Input::Order],
        output: ACCEPTED,
        call: |call| create(call).boxed(),
    },
    ToolSpec {
        name: "list_books",
        title: "Books",
        description: "The account's books, newest first, as many as fit, without their pages.",
        effect: Effect::Reads,
        input: &[Input::Page],
        output: &[("books", Kind::List), ("meta", Kind::Object)],
        call: |call| list(call).boxed(),
    },
    ToolSpec {
        name: "get_book",
        title: "Book",
        description: "One book with its pages in order and their status: as many as fit, starting at from_page. With pages: full, also the prompt, caption and faults of each page.",
        effect: Effect::Reads,
        input: &[
            Input::Id("book_id"),
            Input::Number("from_page", "The first position to show. Default: 1."),
            Input::Word("pages", &["brief", "full"], "Default: brief."),
        ],
        output: BOOK,
        call: |call| get(call).boxed(),
    },
    ToolSpec {
        name: "update_book",
        title: "Change a book",
        description: "Changes the given texts and characters of a book. Nothing is drawn.",
        effect: Effect::Sets,
        input: &[Input::Id("book_id"), Input::Fields("BookChange")],
        output: BOOK,
        call: |call| update(call).boxed(),
    },
    ToolSpec {
        name: "delete_book",
        title: "Delete a book",
        description: "Deletes a book and its cover permanently. Drawn pages are not deleted; pages that wait to be drawn are refunded.",
        effect: Effect::Destroys,
        input: &[Input::Id("book_id")],
        output: &[("deleted", Kind::Flag)],
        call: |call| delete(call).boxed(),
    },
    ToolSpec {
        name: "regenerate_book_cover",
        title: "Draw a cover again",
        description: "Draws the cover again. Costs exactly {cover_again_price}, or {cover_price} if the book never had a cover. The old cover remains until the new one is ready.",
        effect: Effect::Redraws,
        input: &[Input::Id("book_id"), Input::Fields("CoverRegeneration"), Input::Order],
        output: ACCEPTED,
        call: |call| regenerate_cover(call).boxed(),
    },
    ToolSpec {
        name: "replace_book_cover_image",
        title: "Replace a cover",
        description: "Replaces the cover with finished artwork, free: an upload_id from create_artwork_upload, or an https image_url.",
        effect: Effect::Destroys,
        input: &[Input::Id("book_id"), Input::Fields("NewImage"), Input::OptionalKey],
        output: BOOK,
        call: |call| replace_cover(call).boxed(),
    },
    ToolSpec {
        name: "get_book_pdf",
        title: "Download a book",
        description: "A link to the print-ready PDF of a ready book, valid for {link_minutes} minutes. Give it to the user. For Amazon KDP or Lulu choose the edition; they take two files, part interior and part cover. They require a minimum number of pages: a shorter book needs a format whose id begins with pod_, which adds pages, if the server has one.",
        effect: Effect::Reads,
        input: PRINT,
        output: PDF,
        call: |call| pdf(call).boxed(),
    },
    ToolSpec {
        name: "check_book_print",
        title: "Check a book for a printer",
        description: "Reports the problems that a printer would find in a ready book's PDF, and on which pages. Choose edition and part as for get_book_pdf.",
        effect: Effect::Reads,
        input: PRINT,
        output: &[("print_check", Kind::Object), ("print_format", Kind::Object)],
        call: |call| print_check(call).boxed(),
    },
];

async fn plan(mut call: Call) -> Outcome<Reply> {
    let new: NewPlan = call.arguments.parse()?;
    let plan = plans::plan(&call.app, &call.caller, &new).await?;
    let plan = json!(plan);
    let next = format!(
        "show the plan to the user and change what they want; then call create_book with the fields of generation_request.book, an idempotency_key and confirm_credits: {}.",
        plan["credit_estimate"]["credits"]
    );
    let body = json!({"book_plan": results::plan(&plan)});
    let reply = Reply::new(body, words::plan(&plan), next);
    Ok(match routing::outage(&call.app).await? {
        Some(Outage::NotLoaded) => reply.with_note(NO_PROVIDER),
        Some(Outage::Failing) => reply.with_note(PROVIDER_FAILS),
        None => reply,
    })
}

/// The note on a plan while no image provider is loaded.
const NO_PROVIDER: &str = "Nothing can be drawn at the moment: no image provider is loaded. Inform the user; create_book works again once the operator has loaded one.";

/// The note on a plan while every image provider fails.
const PROVIDER_FAILS: &str = "The image provider failed several times in a row when it was last called. Inform the user; an order may have to wait until it works again.";

async fn create(mut call: Call) -> Outcome<Reply> {
    let order = call.arguments.take_order()?;
    let new: NewBook = call.arguments.parse()?;
    let what = |BookAccepted { book, .. }: &BookAccepted| {
        let pages = words::counted(i64::try_from(book.page_count).unwrap_or(i64::MAX), "page");
        format!("The book {} of {pages}", json!(book.title))
    };
    let (call, new) = (&call, &new);
    let place = |order| async move { Ok(books::create(&call.app, &call.caller, &order, new).await?) };
    Reply::accepted(&call.order(order, what, place).await?)
}

async fn list(mut call: Call) -> Outcome<Reply> {
    let request = call.take_page_request(BookId::PREFIX)?;
    call.arguments.end()?;
    let page = books::list(&call.app, &call.caller, &request).await?;
    let then = "get_book returns one with its pages; plan_book starts a new one.";
    let short = results::book_in_short;
    Ok(Reply::list("books", &page, &request, short, then))
}

async fn get(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let first = call.arguments.take_optional("from_page")?.unwrap_or(1);
    let detail: Option<Detail> = call.arguments.take_optional("pages")?;
    call.arguments.end()?;
    let book = books::get(&call.app, &call.caller, &id).await?;
    let book = book.ok_or_else(missing)?;
    let pages = pages_of(&call, &book, first, detail.unwrap_or_default()).await?;
    let shown = json!(book);
    let window = Window::starting_at(&shown, pages, first);
    let operations = operations_of(&book);
    let reply = Reply::new(
        json!({"book": results::book(&shown, &window)}),
        words::book(&shown, &window.pages),
        words::after_book(&shown, &operations, window.next),
    );
    if first <= book.page_count.max(1) {
        return Ok(reply);
    }
    let pages = words::counted(i64::try_from(book.page_count).unwrap_or(i64::MAX), "page");
    Ok(reply.with_note(&format!(
        "No page is shown: the book has {pages}, and from_page is {first}."
    )))
}

/// The level of detail of each page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Detail {
    #[default]
    Brief,
    Full,
}

/// Returns the pages of a book in the form to show. Pages before position `first` are not loaded in full.
async fn pages_of(call: &Call, book: &Book, first: usize, detail: Detail) -> Outcome<Vec<Value>> {
    let own = |page: &PageSummary| {
        let operation = page.active_operation_id.as_ref();
        operation
            .filter(|id| Some(*id) != book.active_operation_id.as_ref())
            .map(|id| id.as_str().to_owned())
    };
    let brief = |page: &PageSummary| results::page_of_book(&json!(page), own(page).as_deref());
    if detail == Detail::Brief {
        return Ok(book.pages.iter().map(brief).collect());
    }
    let shown = book.pages.iter().skip(first.saturating_sub(1)).take(MAX_FULL_PAGES);
    let ids: Vec<&PageId> = shown.map(|page| &page.id).collect();
    let pages = pages::find_all(&call.app, &call.caller, &ids).await?;
    let full = |page: &PageSummary| match pages.get(&page.id) {
        Some(full) => results::full_page_of_book(brief(page), &json!(full)),
        None => brief(page),
    };
    Ok(book.pages.iter().map(full).collect())
}

/// The operations that draw a part of a book: the book's own operation if it has one, otherwise those of its pages.
fn operations_of(book: &Book) -> Vec<&str> {
    if let Some(own) = &book.active_operation_id {
        return vec![own.as_str()];
    }
    let mut operations: Vec<&str> = Vec::new();
    for page in &book.pages {
        if let Some(id) = &page.active_operation_id
            && !operations.contains(&id.as_str())
        {
            operations.push(id.as_str());
        }
    }
    operations
}

async fn update(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let change: BookChange = call.arguments.parse()?;
    let book = books::update(&call.app, &call.caller, &id, &change).await?;
    Ok(changed_book_reply(&book.ok_or_else(missing)?))
}

async fn delete(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    call.arguments.end()?;
    let what = async {
        let book = books::get(&call.app, &call.caller, &id).await?.ok_or_else(missing)?;
        let pages = words::counted(i64::try_from(book.page_count).unwrap_or(i64::MAX), "page");
        Ok(format!(
            "the book \"{}\" of {pages} (its drawn pages are not deleted)",
            book.title
        ))
    };
    call.confirm_deletion(what).await?;
    if !books::delete(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    let text = "The book was deleted. Its drawn pages are still among the account's pages.";
    Ok(Reply::new(
        json!({"deleted": true}),
        text,
        "list_books returns the remaining books.",
    ))
}

async fn regenerate_cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let order = call.arguments.take_order()?;
    let change: CoverRegeneration = call.arguments.parse()?;
    let what = |reply: &BookAccepted| format!("A new drawing of the cover of {}", json!(reply.book.title));
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = books::regenerate_cover(&call.app, &call.caller, &order, id, change).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    Reply::accepted(&call.order(order, what, place).await?)
}

async fn replace_cover(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let key = call.arguments.take_optional_key()?;
    let new: NewImage = call.arguments.parse()?;
    let done = books::replace_cover(&call.app, &call.caller, key.as_ref(), &id, &new, None).await?;
    Reply::done(&done.ok_or_else(missing)?, |body| {
        saved_book_reply(&body["book"]).with_note("The artwork is now the cover.")
    })
}

async fn pdf(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let options = take_print_options(&mut call)?;
    call.arguments.end()?;
    waiting::for_print(link_to_pdf(call, id, options)).await
}

async fn link_to_pdf(call: Call, id: BookId, options: PrintOptions) -> Outcome<Reply> {
    let chosen = choose_format(&call, &id, &options).await?;
    let next = after_pdf(&options);
    // The link names the format, so that it leads to the described file even if the server gets other formats.
    let options = PrintOptions {
        format: Some(chosen.offered.format.id.clone()),
        ..options
    };
    let link = super::images::link(call, Target::BookPdf(id, options), None, missing, next).await?;
    Ok(with_print_format(link, &chosen))
}

async fn choose_format(call: &Call, id: &BookId, options: &PrintOptions) -> Outcome<ChosenFormat> {
    let chosen = books::chosen_format(&call.app, &call.caller, id, options).await?;
    Ok(chosen.ok_or_else(missing)?)
}

/// Adds the format to the reply about a PDF.
fn with_print_format(reply: Reply, chosen: &ChosenFormat) -> Reply {
    let format = results::print_format(chosen);
    let sentence = words::print_format(&format);
    reply.with_field("print_format", format, &sentence)
}

/// The next step after a PDF: a printing service needs the other part as well.
fn after_pdf(options: &PrintOptions) -> &'static str {
    match (options.edition, options.part) {
        (Edition::Home, _) => "give the url to the user.",
        (Edition::Kdp | Edition::Lulu, Some(Part::Cover)) => {
            "give the url to the user. The printer takes two files: call get_book_pdf with part: interior for the other one."
        }
        (Edition::Kdp | Edition::Lulu, _) => {
            "give the url to the user. The printer takes two files: call get_book_pdf with part: cover for the other one."
        }
    }
}

async fn print_check(mut call: Call) -> Outcome<Reply> {
    let id: BookId = call.arguments.take("book_id")?;
    let options = take_print_options(&mut call)?;
    call.arguments.end()?;
    let checked = async {
        let chosen = choose_format(&call, &id, &options).await?;
        let report = books::print_check(&call.app, &call.caller, &id, &options).await?;
        Ok((report.ok_or_else(missing)?, chosen))
    };
    let (report, chosen) = waiting::for_print(checked).await?;
    let next = if report.findings.is_empty() {
        format!("get_book_pdf {id} with the same format, edition, backs and part.")
    } else {
        "fix the findings, then check again.".to_owned()
    };
    let check = json!(report);
    let text = words::print_check(&check);
    let reply = Reply::new(json!({"print_check": check}), text, next);
    Ok(with_print_format(reply, &chosen))
}

fn take_print_options(call: &mut Call) -> Outcome<PrintOptions> {
    Ok(PrintOptions {
        format: call.arguments.take_optional("format")?,
        edition: call.arguments.take_optional("edition")?.unwrap_or_default(),
        backs: call.arguments.take_optional("backs")?.unwrap_or_default(),
        part: call.arguments.take_optional("part")?,
    })
}

/// The reply for a changed book, without its pages, since the caller knows what it changed.
pub(super) fn changed_book_reply(book: &Book) -> Reply {
    summary_reply(&json!(book), &operations_of(book))
}

/// The reply for a changed book, from its saved JSON.
pub(super) fn saved_book_reply(book: &Value) -> Reply {
    let own = book["active_operation_id"].as_str();
    summary_reply(book, own.as_slice())
}

fn summary_reply(book: &Value, operations: &[&str]) -> Reply {
    let body = json!({"book": results::changed_book(book)});
    Reply::new(body, words::book_head(book), words::after_book(book, operations, None))
}

pub(super) fn missing() -> Error {
    Error::not_found("book")
}
