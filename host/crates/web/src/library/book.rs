//! `/library/books/{id}`: one book.
use std::borrow::Cow;
use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Redirect, Response};
use serde::Deserialize;

use super::attempts::Attempts;
use super::books::hue;
use super::choices::{self, CharacterChoice, Choice, VariantChoice};
use super::form::{Complaints, Refused, Typed, may_change, new_key};
use super::languages::{self, LanguageChoice};
use super::looks::LookInputs;
use super::pictures::Picture;
use super::print_panel::{Files, PrintPanel, PrintView, can_be_printed};
use super::progress::Following;
use super::reviews::Reviews;
use super::selected::MAX_SELECTED_ITEMS;
use super::undo::Undo;
use super::words;
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_core::artwork::{Status, attempts};
use linepress_core::books::{self, Book, BookStatus, NumberedVolume};
use linepress_core::pages::{self, Page};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AttemptId, BookId, PageId};
use linepress_platform::text::Title;

#[derive(Template)]
#[template(path = "library/book.html")]
struct BookPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    undo: Option<Undo>,
    complaints: Complaints,
    /// The name of the rejected form; empty if none was rejected.
    opened: &'static str,
    words: BookWords,
    /// The ids of the pages in order, separated by commas.
    order: String,
    id: BookId,
    /// The query of the page's address with the choices in the print panel.
    print_query: String,
    title: String,
    subtitle: String,
    author: String,
    description: String,
    isbn: String,
    cover_prompt: String,
    aspect: &'static str,
    facts: String,
    /// The volumes of the book's series, the book among them.
    volumes: Vec<NumberedVolume>,
    /// Their ids, separated by commas. Empty if they are too many to be downloaded on one page.
    volume_ids: String,
    hue: usize,
    is_ready: bool,
    is_drawing: bool,
    /// True if pages are selected, to be drawn again together.
    is_selecting: bool,
    cover: Option<Picture>,
    cover_is_drawing: bool,
    cover_has_failed: bool,
    status_words: String,
    following: Option<Following>,
    tiles: Vec<Tile>,
    /// The pages whose drawing differs from what was asked for, as its note says.
    noted: Vec<Noted>,
    panel: Option<PrintPanel>,
    attempts: Attempts,
    reviews: Reviews,
    audiences: Vec<Choice>,
    cover_styles: Vec<Choice>,
    /// The same in the form that draws the cover again.
    cover_styles_again: Vec<Choice>,
    /// The styles in the form that replaces the cover with the account's own picture.
    own_cover_styles: Vec<Choice>,
    cover_style: &'static str,
    languages: Vec<LanguageChoice>,
    characters: Vec<CharacterChoice>,
    audience: &'static str,
    language: String,
    most_megabytes: u64,
    bin_days: u64,
    cover_price: String,
    cover_credits: i64,
    /// The numbers of pictures in the form that draws the cover again.
    cover_variants: Vec<VariantChoice>,
    page_price: String,
    look: LookInputs,
    /// The number of pages that are drawn again with another look, and their price.
    restyled: usize,
    restyle_credits: i64,
    restyle_price: String,
    key: String,
}

/// The values of the book's text fields in its forms.
struct BookWords {
    title: String,
    subtitle: String,
    author: String,
    description: String,
    isbn: String,
    cover_prompt: String,
    /// The cover prompt in the form that draws the cover again.
    cover_again: String,
    /// The title of a copy.
    copy: String,
}

impl BookWords {
    fn from_book(book: &Book, typed: &Typed<'_>) -> Self {
        let text = |name: &str, present: &str| typed.text(WORDS, name, present);
        Self {
            title: text("title", &book.title),
            subtitle: text("subtitle", &book.subtitle),
            author: text("author", &book.author),
            description: text("description", &book.description),
            isbn: text("isbn", &book.isbn),
            cover_prompt: text("cover_prompt", &book.cover.prompt),
            cover_again: typed.text(COVER, "prompt", &book.cover.prompt),
            copy: typed.text(COPY, "title", &copy_title(&book.title)),
        }
    }
}

/// The title of a copy, within the maximum length.
pub(super) fn copy_title(title: &str) -> String {
    const SUFFIX: &str = " (copy)";
    let kept: String = title.chars().take(Title::MAX_CHARS - SUFFIX.len()).collect();
    format!("{}{SUFFIX}", kept.trim_end())
}

/// The names of the forms on the page.
pub(super) const WORDS: &str = "words";
pub(super) const LOOK: &str = "look";
pub(super) const COVER: &str = "cover";
pub(super) const COVER_IMAGE: &str = "cover-image";
pub(super) const ORDER: &str = "order";
pub(super) const CHOOSE: &str = "choose";
pub(super) const COPY: &str = "copy";
pub(super) const REVIEW: &str = "review";

/// A page of the book, as a tile.
struct Tile {
    id: PageId,
    position: i64,
    title: String,
    caption: String,
    picture: Option<Picture>,
    is_drawing: bool,
    problem: Option<Cow<'static, str>>,
    is_locked: bool,
    /// The image provider's note about the drawing.
    note: Option<String>,
    /// The idempotency key for the form that draws the page again.
    key: String,
    is_first: bool,
    is_last: bool,
}

/// A link to a page whose drawing differs from what was asked for.
struct Noted {
    id: PageId,
    position: i64,
}

/// The query parameters of a book's address.
#[derive(Default, Deserialize)]
pub(super) struct BookQuery {
    done: Option<String>,
    /// The printer and the backs of drawings that were chosen in the print panel.
    edition: Option<String>,
    backs: Option<String>,
    /// The page that was moved or taken out, and its position before.
    page: Option<PageId>,
    position: Option<i64>,
    /// The attempt of the cover that was chosen before what was done.
    attempt: Option<AttemptId>,
    /// The cursor of the list of comments.
    after: Option<String>,
    /// "yes" to select pages.
    select: Option<String>,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(query): Query<BookQuery>,
) -> Reply {
    let shown = Shown {
        done: words::done(query.done.as_deref()),
        print: PrintView::from_address(query.edition.as_deref(), query.backs.as_deref()),
        before: Before {
            page: query.page,
            position: query.position,
            attempt: query.attempt,
        },
        after: query.after,
        is_selecting: query.select.as_deref() == Some("yes"),
        refused: None,
        made: None,
    };
    render_with(&app, &signed_in, &id, shown).await
}

/// Redirects from the address of a form to the book.
pub(super) async fn to_book(_: SignedIn, PathId(id): PathId<BookId>) -> Redirect {
    Redirect::to(&format!("/library/books/{id}"))
}

/// Redirects from the address of a form about an attempt to the book.
pub(super) async fn from_attempt(_: SignedIn, PathId((id, _)): PathId<(BookId, AttemptId)>) -> Redirect {
    Redirect::to(&format!("/library/books/{id}"))
}

/// Renders the page of the book, with the complaints about a rejected form if there is one.
pub(super) async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &BookId,
    done: Option<&'static str>,
    refused: Option<Refused<'_>>,
) -> Reply<Response> {
    let shown = Shown {
        done,
        refused,
        ..Shown::default()
    };
    render_with(app, signed_in, id, shown).await
}

/// Renders the page of the book with the address of a review link that was just made.
pub(super) async fn render_with_link(app: &App, signed_in: &SignedIn, id: &BookId, url: String) -> Reply<Response> {
    let shown = Shown {
        made: Some(url),
        ..Shown::default()
    };
    render_with(app, signed_in, id, shown).await
}

/// The parts of a rendered page that do not follow from the book.
#[derive(Default)]
struct Shown<'a> {
    done: Option<&'static str>,
    refused: Option<Refused<'a>>,
    /// The choices in the print panel.
    print: PrintView,
    before: Before,
    /// The cursor of the list of comments.
    after: Option<String>,
    /// True if pages are selected, to be drawn again together.
    is_selecting: bool,
    /// The address of a review link that was just made.
    made: Option<String>,
}

/// The state before what was done, to which the page offers to return.
#[derive(Default)]
struct Before {
    page: Option<PageId>,
    position: Option<i64>,
    attempt: Option<AttemptId>,
}

async fn render_with(app: &App, signed_in: &SignedIn, id: &BookId, shown: Shown<'_>) -> Reply<Response> {
    let Shown {
        done,
        refused,
        print,
        before,
        after,
        is_selecting,
        made,
    } = shown;
    let typed = Typed(refused.as_ref());
    let caller = signed_in.caller();
    let book = books::get(app, &caller, id).await?;
    let book = book.ok_or_else(|| Error::not_found("book"))?;
    let details = full_pages(app, &caller, id).await?;
    let notes = notes_for(app, &caller, &details).await?;
    let drawn_for = |page: &Page| page.active_operation_id.clone();
    let operation = book
        .active_operation_id
        .clone()
        .or_else(|| details.values().find_map(drawn_for));
    let following = Following::find(app, &caller, operation.as_ref()).await?;
    let may_change = may_change(signed_in);
    let is_drawing = book.status == BookStatus::Generating;
    let is_ready = can_be_printed(&book);
    let panel = match is_ready && may_change {
        true => PrintPanel::for_book(app, &caller, id, print).await?,
        false => None,
    };
    let restyled = details.values().filter(|page| page.is_restyled()).count();
    let attempts = Attempts::of_cover(app, &caller, id).await?;
    let attempts = attempts.while_drawing(book.cover.status == Status::Generating);
    let undo = match Undo::choice(&attempts, before.attempt.as_ref()) {
        Some(undo) => Some(undo),
        None => Undo::page_of_book(app, &caller, &book, (before.page.as_ref(), before.position)).await?,
    };
    let reviews = Reviews::of_book(app, &caller, &book, after.as_deref(), &typed, made).await?;
    let tiles = tiles(app, &book, &details, notes);
    let volumes = books::numbered_volumes(app, &caller, &book.title).await?;
    let volume_ids: Vec<&str> = match volumes.len() {
        0..=MAX_SELECTED_ITEMS => volumes.iter().map(|volume| volume.id.as_str()).collect(),
        _ => Vec::new(),
    };
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let view = BookPage {
        frame: signed_in.frame(Section::Books),
        may_change,
        // A message about a drawing that has begun would be wrong above a finished book.
        done: done.filter(|done| following.is_some() || !words::is_of_a_drawing(done)),
        undo,
        opened: typed.form(),
        words: BookWords::from_book(&book, &typed),
        order: book
            .pages
            .iter()
            .map(|page| page.id.as_str())
            .collect::<Vec<_>>()
            .join(","),
        hue: hue(&book.id),
        facts: format!(
            "{} · {} · {} · {}",
            words::pages(book.page_count),
            words::aspect(book.aspect),
            words::audience(book.audience),
            words::day(book.created_at)
        ),
        volume_ids: volume_ids.join(","),
        volumes,
        is_ready,
        is_drawing,
        is_selecting: is_selecting && may_change && !is_drawing,
        cover: Picture::whole(&format!("books/{}/cover", book.id), book.cover.image.as_ref()),
        cover_is_drawing: book.cover.status == Status::Generating,
        cover_has_failed: book.cover.status == Status::Failed,
        status_words: status_words(&book, following.is_some()),
        following,
        noted: tiles.iter().filter_map(Noted::from_tile).collect(),
        tiles,
        panel,
        print_query: print.query(),
        attempts,
        reviews,
        audiences: choices::audiences(&typed.text(WORDS, "audience", book.audience.as_str())),
        audience: book.audience.as_str(),
        cover_styles: choices::cover_styles(&typed.text(WORDS, "cover_style", book.cover.style.as_str())),
        cover_styles_again: choices::cover_styles(&typed.text(COVER, "style", book.cover.style.as_str())),
        own_cover_styles: choices::own_cover_styles(&typed.text(COVER_IMAGE, "style", book.cover.style.as_str())),
        cover_style: book.cover.style.as_str(),
        languages: languages::choices(&typed.text(WORDS, "language", &book.language)),
        characters: characters(app, &caller, &book, &typed).await?,
        most_megabytes: app.config.import_limit() / 1_000_000,
        bin_days: app.config.bin.days,
        cover_price: pricing::price(book.cover.price()),
        cover_credits: book.cover.price(),
        cover_variants: choices::priced_variants(app, typed.variants(COVER), book.cover.price(), pricing::COVER_AGAIN),
        page_price: pricing::credits(pricing::PAGE),
        look: LookInputs::of_form(LOOK, book.look(), &typed),
        restyled,
        restyle_credits: pricing::pictures(restyled),
        restyle_price: pricing::credits(pricing::pictures(restyled)),
        key: new_key(app),
        aspect: book.aspect.as_str(),
        title: book.title,
        subtitle: book.subtitle,
        author: book.author,
        description: book.description,
        isbn: book.isbn,
        cover_prompt: book.cover.prompt,
        language: book.language,
        id: book.id,
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

/// The status of the book in words. It has no numbers while the progress of the drawings is shown next to it.
fn status_words(book: &Book, is_followed: bool) -> String {
    let has_no_cover = book.cover.image.is_none() && book.cover.status == Status::Failed;
    match book.status {
        BookStatus::Generating if is_followed => "Being drawn".into(),
        BookStatus::Ready if has_no_cover => "Ready to print, without a cover".into(),
        _ => words::book_status(book),
    }
}

impl Noted {
    fn from_tile(tile: &Tile) -> Option<Self> {
        tile.note.as_deref().filter(|note| attempts::names_a_difference(note))?;
        Some(Self {
            id: tile.id.clone(),
            position: tile.position,
        })
    }
}

/// The image providers' notes about the drawings of these pages.
async fn notes_for(app: &App, caller: &Caller, pages: &HashMap<PageId, Page>) -> Result<HashMap<PageId, String>> {
    let ids: Vec<PageId> = pages.keys().cloned().collect();
    attempts::page_notes(app, caller, &ids).await
}

async fn characters(app: &App, caller: &Caller, book: &Book, typed: &Typed<'_>) -> Result<Vec<CharacterChoice>> {
    let present = choices::ids(&book.characters);
    let chosen = typed.characters(WORDS, &present);
    choices::changed_characters(app, caller, &present, &chosen).await
}

/// Loads all pages of the book in full.
async fn full_pages(app: &App, caller: &Caller, id: &BookId) -> Result<HashMap<PageId, Page>> {
    let mut pages = HashMap::new();
    let mut after = None;
    loop {
        let scope = app.cursors.scope(caller.account_id(), PageId::PREFIX);
        let request = PageRequest::parse(Some(&PageRequest::MAX_LIMIT.to_string()), after.as_deref(), scope)?;
        let list = pages::list(app, caller, Some(id), &request).await?;
        pages.extend(list.items.into_iter().map(|page| (page.id.clone(), page)));
        after = list.next_cursor;
        if after.is_none() {
            return Ok(pages);
        }
    }
}

fn tiles(app: &App, book: &Book, details: &HashMap<PageId, Page>, mut notes: HashMap<PageId, String>) -> Vec<Tile> {
    let last = book.pages.len();
    let tile = |(index, summary): (usize, &books::PageSummary)| {
        let details = details.get(&summary.id);
        Tile {
            picture: Picture::small(&format!("pages/{}", summary.id), summary.image.as_ref()),
            is_drawing: details.map_or(summary.status == Status::Generating, |page| {
                page.active_operation_id.is_some()
            }),
            is_locked: details.is_some_and(|page| page.locked),
            problem: details
                .and_then(|page| page.error.as_ref())
                .map(|error| error.message.clone()),
            caption: details.map(|page| page.caption.clone()).unwrap_or_default(),
            note: notes.remove(&summary.id),
            key: new_key(app),
            id: summary.id.clone(),
            position: summary.position,
            title: summary.title.clone(),
            is_first: index == 0,
            is_last: index + 1 == last,
        }
    };
    book.pages.iter().enumerate().map(tile).collect()
}
