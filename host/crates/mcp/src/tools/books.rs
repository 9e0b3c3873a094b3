//! Tools that plan, order, read, change and print books.
use futures::FutureExt as _;
use linepress_printers::{Backs, Edition, Part};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::call::Call;
use crate::handler::Returns;
use crate::list::list_reply;
use crate::orders::order_reply;
use crate::reply::{Outcome, Reply};
use crate::results::books::{BookHead, BookResult, BooksResult, ChangedBookResult, PageInBook};
use crate::results::links::PdfResult;
use crate::results::orders::{Order, OrderedBook};
use crate::results::pages::Deleted;
use crate::results::plans::PlanResult;
use crate::results::print::{FormatOfBook, PrintCheckResult};
use crate::tool::{Effect, Input, ToolSpec};
use crate::window::Window;
use crate::{schemas, waiting, words};
use linepress_core::books::{
    self, Book, BookAccepted, BookChange, BookRestyling, BookStatus, ChosenFormat, CoverRegeneration, NewBook,
    NewCoverImage, PageSummary,
};
use linepress_core::deletion;
use linepress_core::downloads::{self, Target};
use linepress_core::pages;
use linepress_core::print::PrintOptions;
use linepress_drawings::routing::{self, Outage};
use linepress_model::Aspect;
use linepress_planning::plans::{self, NewPlan};
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, OperationId, PageId};

/// The most pages that are loaded in full for one result. No result has room for more.
const MAX_FULL_PAGES: usize = 100;

/// The print options of a book.
const PRINT: &[Input] = &[
    Input::Id("book_id"),
    Input::Text("format", "One of the book's print_formats. Default: the first."),
    Input::OneOf(
        "edition",
        schemas::words::<Edition>,
        "home (default), kdp (Amazon) or lulu.",
    ),
    Input::OneOf(
        "backs",
        schemas::words::<Backs>,
        "The back of each drawing: blank (the default; pens may bleed through) or the next drawing.",
    ),
    Input::OneOf(
        "part",
        schemas::words::<Part>,
        "For kdp and lulu: interior (default) or cover, which wraps around. At home: the whole book.",
    ),
];

pub(super) const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "plan_book",
        title: "Plan a book",
        description: "Turns a theme into a plan: a title and what each page shows. Free, and nothing is stored. create_book draws it, with or without changes.",
        effect: Effect::Reads,
        input: &[Input::Fields(schemas::request::<NewPlan>)],
        handler: &Returns(|call| plan(call).boxed()),
    },
    ToolSpec {
        name: "create_book",
        title: "Order a book",
        description: "Draws a new book. Costs exactly {page_price} for each page with a title, and nothing for a page_id (a ready page); the cover {cover_costs}.",
        effect: Effect::Spends,
        input: &[Input::Fields(schemas::request::<NewBook>), Input::Order],
        handler: &Returns(|call| create(call).boxed()),
    },
    ToolSpec {
        name: "list_books",
        title: "Books",
        description: "The account's books, newest first, as many as fit, without their pages.",
        effect: Effect::Reads,
        input: &[
            Input::Query,
            Input::Filter("status", schemas::words::<BookStatus>),
            Input::Filter("aspect", schemas::words::<Aspect>),
            Input::Page,
        ],
        handler: &Returns(|call| list(call).boxed()),
    },
    ToolSpec {
        name: "get_book",
        title: "Book",
        description: "One book with its pages in order and their status: as many as fit, starting at from_page. With pages: full, also the prompt, caption and faults of each page.",
        effect: Effect::Reads,
        input: &[
            Input::Id("book_id"),
            Input::Number("from_page", "The first position to show. Default: 1."),
            Input::OneOf("pages", schemas::words::<Detail>, "Default: brief."),
        ],
        handler: &Returns(|call| get(call).boxed()),
    },
    ToolSpec {
        name: "update_book",
        title: "Change a book",
        description: "Changes the given texts and characters of a book. Nothing is drawn.",
        effect: Effect::Sets,
        input: &[Input::Id("book_id"), Input::Fields(schemas::request::<BookChange>)],
        handler: &Returns(|call| update(call).boxed()),
    },
    ToolSpec {
        name: "delete_book",
        title: "Delete a book",
        description: "Moves a book and its cover to the bin; restore_deleted restores it for some days. Its drawn pages remain; pages that wait to be drawn are refunded.",
        effect: Effect::Destroys,
        input: &[Input::Id("book_id")],
        handler: &Returns(|call| delete(call).boxed()),
    },
    ToolSpec {
        name: "regenerate_book_cover",
        title: "Draw a cover again",
        description: "Draws the cover again. Costs exactly {cover_again_price} per variant, the first {cover_price} if the book never had a cover. The old cover remains meanwhile.",
        effect: Effect::Redraws,
        input: &[
            Input::Id("book_id"),
            Input::Fields(schemas::request::<CoverRegeneration>),
            Input::Order,
        ],
        handler: &Returns(|call| regenerate_cover(call).boxed()),
    },
    ToolSpec {
        name: "restyle_book",
        title: "Draw all pages in another style",
        description: "Draws all drawn pages of a book again with another look. Costs exactly {page_price} for each. Imported and locked pages and the cover remain.",
        effect: Effect::Redraws,
        input: &[
            Input::Id("book_id"),
            Input::Fields(schemas::request::<BookRestyling>),
            Input::Order,
        ],
        handler: &Returns(|call| restyle(call).boxed()),
    },
    ToolSpec {
        name: "replace_book_cover_image",
        title: "Replace a cover",
        description: "Replaces the cover with finished artwork, free: an upload_id or an https image_url.",
        effect: Effect::Destroys,
        input: &[
            Input::Id("book_id"),
            Input::Fields(schemas::request::<NewCoverImage>),
            Input::OptionalKey,
        ],
        handler: &Returns(|call| replace_cover(call).boxed()),
    },
    ToolSpec {
        name: "get_book_pdf",
        title: "Download a book",
        description: "A link to the print-ready PDF of a ready book, valid for {link_minutes} minutes. Amazon KDP and Lulu (edition) take two files, part interior and part cover, and a minimum of pages.",
        effect: Effect::Reads,
        input: PRINT,
        handler: &Returns(|call| pdf(call).boxed()),
    },
    ToolSpec {
        name: "check_book_print",
        title: "Check a book for a printer",
        description: "Reports the problems that a printer would find in a ready book's PDF, and on which pages.",
        effect: Effect::Reads,
        input: PRINT,
        handler: &Returns(|call| print_check(call).boxed()),
    },
];

async fn plan(mut call: Call) -> Outcome<Reply<PlanResult>> {
    let new: NewPlan = call.arguments.parse()?;
    let plan = plans::plan(&call.app, &call.caller, &new).await?;
    let (text, next) = (words::plans::plan(&plan), words::plans::after_plan(&plan));
    let reply = Reply::new(plan.into(), text, next);
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

async fn create(mut call: Call) -> Outcome<Reply<Order<OrderedBook>>> {
    let order = call.arguments.take_order()?;
    let new: NewBook = call.arguments.parse()?;
    let what = |BookAccepted { book, .. }: &BookAccepted| {
        let pages = words::counted(book.page_count, "page");
        format!("The book {} of {pages}", words::quoted(&book.title))
    };
    let (call, new) = (&call, &new);
    let place = |order| async move { Ok(books::create(&call.app, &call.caller, &order, new).await?) };
    Ok(order_reply(&call.order(order, what, place).await?))
}

async fn list(mut call: Call) -> Outcome<Reply<BooksResult>> {
    let request = call.take_page_request(BookId::PREFIX)?;
    let aspect = call.arguments.take_optional("aspect")?;
    let search = call.take_search::<BookStatus>(aspect)?;
    call.arguments.end()?;
    let page = books::search(&call.app, &call.caller, &search, &request).await?;
    let then = "get_book returns one with its pages; plan_book starts a new one.";
    Ok(list_reply(&page, &request, then)?)
}

async fn get(mut call: Call) -> Outcome<Reply<BookResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let first = call.arguments.take_optional("from_page")?.unwrap_or(1);
    let detail: Option<Detail> = call.arguments.take_optional("pages")?;
    call.arguments.end()?;
    let book = books::get(&call.app, &call.caller, &id).await?;
    let book = book.ok_or_else(missing)?;
    let pages = pages_of(&call, &book, first, detail.unwrap_or_default()).await?;
    let head = BookHead::from(&book);
    let Window { pages, next } = Window::starting_at(&book, &head, pages, first)?;
    let text = words::books::book(&book, &pages);
    let next = words::books::after_book(&book, &operations_of(&book), next);
    let reply = Reply::new(BookResult::new(head, pages), text, next);
    if first <= book.page_count.max(1) {
        return Ok(reply);
    }
    let pages = words::counted(book.page_count, "page");
    Ok(reply.with_note(format!(
        "No page is shown: the book has {pages}, and from_page is {first}."
    )))
}

/// The level of detail of each page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Detail {
    #[default]
    Brief,
    Full,
}

/// Returns the pages of a book in the form to show. Pages before position `first` are not loaded in full.
async fn pages_of(call: &Call, book: &Book, first: usize, detail: Detail) -> Outcome<Vec<PageInBook>> {
    let brief = |page: &PageSummary| {
        let operation = page.active_operation_id.as_ref();
        let own = operation.filter(|id| Some(*id) != book.active_operation_id.as_ref());
        PageInBook::new(page, own)
    };
    if detail == Detail::Brief {
        return Ok(book.pages.iter().map(brief).collect());
    }
    let shown = book.pages.iter().skip(first.saturating_sub(1)).take(MAX_FULL_PAGES);
    let ids: Vec<&PageId> = shown.map(|page| &page.id).collect();
    let pages = pages::find_all(&call.app, &call.caller, &ids).await?;
    let full = |page: &PageSummary| match pages.get(&page.id) {
        Some(full) => brief(page).with_texts(full),
        None => brief(page),
    };
    Ok(book.pages.iter().map(full).collect())
}

/// The operations that draw a part of a book: the book's own operation if it has one, otherwise those of its pages.
fn operations_of(book: &Book) -> Vec<&OperationId> {
    if let Some(own) = &book.active_operation_id {
        return vec![own];
    }
    let mut operations = Vec::new();
    for operation in book.pages.iter().filter_map(|page| page.active_operation_id.as_ref()) {
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    operations
}

async fn update(mut call: Call) -> Outcome<Reply<ChangedBookResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let change: BookChange = call.arguments.parse()?;
    let book = books::update(&call.app, &call.caller, &id, &change).await?;
    Ok(changed_book_reply(&book.ok_or_else(missing)?))
}

async fn delete(mut call: Call) -> Outcome<Reply<Deleted>> {
    let id: BookId = call.arguments.take("book_id")?;
    call.arguments.end()?;
    let what = async {
        let book = books::get(&call.app, &call.caller, &id).await?.ok_or_else(missing)?;
        let pages = words::counted(book.page_count, "page");
        Ok(format!(
            "the book {} of {pages} (its drawn pages are not deleted)",
            words::quoted(&book.title)
        ))
    };
    call.confirm_deletion(what).await?;
    if !deletion::delete_book(&call.app, &call.caller, &id).await? {
        return Err(missing().into());
    }
    let text = "The book was deleted. Its drawn pages are still among the account's pages.";
    let next = format!("restore_deleted {id} restores it; list_books returns the remaining books.");
    Ok(Reply::new(Deleted { deleted: true }, text, next))
}

async fn regenerate_cover(mut call: Call) -> Outcome<Reply<Order<OrderedBook>>> {
    let id: BookId = call.arguments.take("book_id")?;
    let order = call.arguments.take_order()?;
    let change: CoverRegeneration = call.arguments.parse()?;
    let what = |BookAccepted { book, operation }: &BookAccepted| {
        let title = words::quoted(&book.title);
        format!(
            "A new drawing of the cover of {title}{}",
            words::orders::variants(operation)
        )
    };
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = books::regenerate_cover(&call.app, &call.caller, &order, id, change).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    Ok(order_reply(&call.order(order, what, place).await?))
}

async fn restyle(mut call: Call) -> Outcome<Reply<Order<OrderedBook>>> {
    let id: BookId = call.arguments.take("book_id")?;
    let order = call.arguments.take_order()?;
    let change: BookRestyling = call.arguments.parse()?;
    let what = |BookAccepted { book, operation }: &BookAccepted| {
        let pages = words::counted(operation.items.len(), "page");
        format!("New drawings of {pages} of the book {}", words::quoted(&book.title))
    };
    let (call, id, change) = (&call, &id, &change);
    let place = |order| async move {
        let accepted = books::restyle(&call.app, &call.caller, &order, id, change).await?;
        Ok(accepted.ok_or_else(missing)?)
    };
    Ok(order_reply(&call.order(order, what, place).await?))
}

async fn replace_cover(mut call: Call) -> Outcome<Reply<ChangedBookResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let key = call.arguments.take_optional_key()?;
    let new: NewCoverImage = call.arguments.parse()?;
    let done = books::replace_cover(&call.app, &call.caller, key.as_ref(), &id, &new, None).await?;
    let reply = saved_book_reply(&done.ok_or_else(missing)?.reply.book);
    Ok(reply.with_note("The artwork is now the cover."))
}

async fn pdf(mut call: Call) -> Outcome<Reply<PdfResult>> {
    let id: BookId = call.arguments.take("book_id")?;
    let options = take_print_options(&mut call)?;
    call.arguments.end()?;
    waiting::for_print(link_to_pdf(call, id, options)).await
}

async fn link_to_pdf(call: Call, id: BookId, options: PrintOptions) -> Outcome<Reply<PdfResult>> {
    let chosen = choose_format(&call, &id, &options).await?;
    let next = after_pdf(&options);
    // The link names the format, so that it leads to the described file even if the server gets other formats.
    let options = PrintOptions {
        format: Some(chosen.offered.format.id.clone()),
        ..options
    };
    let link = downloads::link(&call.app, &call.caller, Target::BookPdf(id, options)).await?;
    let (link, format) = (link.ok_or_else(missing)?, FormatOfBook::from(&chosen));
    let text = format!("{}\n{}", words::links::link(&link), words::print::print_format(&format));
    let result = PdfResult {
        link: (&link).into(),
        print_format: format,
    };
    Ok(Reply::new(result, text, next).with_file(&link))
}

async fn choose_format(call: &Call, id: &BookId, options: &PrintOptions) -> Outcome<ChosenFormat> {
    let chosen = books::chosen_format(&call.app, &call.caller, id, options).await?;
    Ok(chosen.ok_or_else(missing)?)
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

async fn print_check(mut call: Call) -> Outcome<Reply<PrintCheckResult>> {
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
    let result = PrintCheckResult {
        print_check: report,
        print_format: FormatOfBook::from(&chosen),
    };
    let (check, format) = (&result.print_check, &result.print_format);
    let text = format!(
        "{}\n{}",
        words::print::print_check(check),
        words::print::print_format(format)
    );
    Ok(Reply::new(result, text, next))
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
pub(super) fn changed_book_reply(book: &Book) -> Reply<ChangedBookResult> {
    summary_reply(book, &operations_of(book))
}

/// The reply for a changed book that may have been saved: the operations of its pages are not saved with it.
pub(super) fn saved_book_reply(book: &Book) -> Reply<ChangedBookResult> {
    let own: Vec<&OperationId> = book.active_operation_id.iter().collect();
    summary_reply(book, &own)
}

fn summary_reply(book: &Book, operations: &[&OperationId]) -> Reply<ChangedBookResult> {
    Reply::new(
        book.into(),
        words::books::book_head(book),
        words::books::after_book(book, operations, None),
    )
}

pub(super) fn missing() -> Error {
    Error::not_found("book")
}
