//! `/library/drafts/{id}`: a stored book plan as a form, which is saved while it is edited, and from which the book is
//! ordered.
use askama::Template;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use linepress_model::{Aspect, Audience};
use serde_json::json;
use url::form_urlencoded;

use super::accepted;
use super::book::copy_title;
use super::books::ListQuery;
use super::choices::{self, CharacterChoice, Choice};
use super::form::{Change, Complaints, DraftForm, Fields, may_change, unprintable};
use super::languages::{self, LanguageChoice};
use super::looks::{self, LookInputs};
use super::page_texts::{self, TextInputs};
use super::words;
use linepress_accounts::credits::pricing;
use linepress_core::books::{CoverStyle, MAX_PAGES};
use linepress_core::characters::Selection;
use linepress_core::generation;
use linepress_core::pages::PageTexts;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_planning::drafts::{self, DraftBook, DraftWarning, Edit, Ordered, PageEdit, SaveOutcome, Version};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{DraftId, UploadId};

#[derive(Template)]
#[template(path = "library/draft.html")]
struct DraftView {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    complaints: Complaints,
    id: DraftId,
    seen: Version,
    own: Version,
    warnings: Vec<Warning>,
    rows: Vec<Row>,
    book: DraftBook,
    audiences: Vec<Choice>,
    cover_styles: Vec<Choice>,
    aspects: Vec<Choice>,
    languages: Vec<LanguageChoice>,
    look: LookInputs,
    characters: Vec<CharacterChoice>,
    price: i64,
    price_words: String,
    cover_costs: String,
    page_price: i64,
    cover_price: i64,
    balance_words: String,
    is_affordable: bool,
    most_pages: usize,
    draws_from_pictures: bool,
}

/// A warning about the plan.
struct Warning {
    message: String,
    /// The number of the first page that it is about; `None` if it is about the whole book.
    page: Option<usize>,
    /// The address of the form for the character that it suggests.
    character: Option<String>,
}

/// The warnings of the planner, after one about texts that cannot be printed.
async fn warnings(app: &App, book: &DraftBook) -> Result<Vec<Warning>> {
    let unprintable_texts = drafts::unprintable_texts(app, book).await?;
    let unprintable = (!unprintable_texts.is_empty()).then(|| Warning {
        message: unprintable(&unprintable_texts),
        page: None,
        character: None,
    });
    Ok(unprintable.into_iter().chain(planner_warnings(book)).collect())
}

fn planner_warnings(book: &DraftBook) -> Vec<Warning> {
    let warning = |(warning, pages): (DraftWarning, Vec<usize>)| {
        let character = warning.character.map(|character| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("name", &character.name);
            query.append_pair("description", &character.description);
            format!("/library/characters/new?{}", query.finish())
        });
        Warning {
            message: warning.message,
            page: pages.first().copied(),
            character,
        }
    };
    book.warnings().into_iter().map(warning).collect()
}

/// A page of the draft, as a row of the form.
struct Row {
    index: usize,
    number: usize,
    is_first: bool,
    is_last: bool,
    inputs: TextInputs,
    /// The photograph from which the page is drawn.
    source: Option<UploadId>,
    photo_complaint: Option<String>,
}

fn rows(pages: &[PageTexts], complaints: &Complaints) -> Vec<Row> {
    let row = |(index, page): (usize, &PageTexts)| Row {
        index,
        number: index + 1,
        is_first: index == 0,
        is_last: index + 1 == pages.len(),
        inputs: TextInputs::of_row(index, page.clone(), complaints),
        source: page.source_upload_id.clone(),
        photo_complaint: complaints.at(&Field::pages().at(index).then(Field::source_upload_id())),
    };
    pages.iter().enumerate().map(row).collect()
}

/// The contents of a draft's form.
struct Sent {
    seen: Version,
    own: Version,
    book: DraftBook,
}

impl Sent {
    /// Applies the form to the stored book, since the form does not have all of its fields.
    fn over_stored(fields: &Fields, stored: DraftBook) -> Self {
        let book = DraftBook {
            title: fields.text("title"),
            subtitle: fields.text("subtitle"),
            author: fields.text("author"),
            description: fields.text("description"),
            cover_prompt: fields.text("cover_prompt"),
            cover_style: CoverStyle::parse(&fields.text("cover_style")).unwrap_or(stored.cover_style),
            audience: Audience::parse(&fields.text("audience")).unwrap_or(stored.audience),
            look: looks::of_draft(fields, stored.look),
            aspect: Aspect::parse(&fields.text("aspect")).unwrap_or(stored.aspect),
            language: fields.given("language").unwrap_or(stored.language),
            character_ids: Selection::between(&stored.character_ids, &fields.character_ids())
                .apply_to(&stored.character_ids),
            pages: page_texts::typed_rows(fields),
            ..stored
        };
        Self {
            seen: Version::from_client(&fields.text("seen")),
            own: Version::from_client(&fields.text("own")),
            book,
        }
    }

    async fn read(app: &App, change: &Change, id: &DraftId) -> Result<Self> {
        let stored = drafts::get(app, &change.caller, id).await?;
        let stored = stored.map(|draft| draft.book).unwrap_or_default();
        Ok(Self::over_stored(&change.fields, stored))
    }

    fn edit(&self) -> Edit<'_> {
        Edit {
            seen: &self.seen,
            own: &self.own,
            book: &self.book,
        }
    }
}

/// The data of a draft's page.
struct Shown {
    id: DraftId,
    /// The stored version that the form is based on.
    seen: Version,
    book: DraftBook,
    status: StatusCode,
    done: Option<&'static str>,
    complaints: Complaints,
}

async fn render(app: &App, signed_in: &SignedIn, shown: Shown) -> Reply {
    let Shown {
        id,
        seen,
        book,
        status,
        done,
        complaints,
    } = shown;
    let price = book.request().price();
    let balance = signed_in.account.credits;
    let view = DraftView {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        done,
        warnings: warnings(app, &book).await?,
        rows: rows(&book.pages, &complaints),
        look: LookInputs::of_draft(&book.look, &complaints),
        complaints,
        id,
        seen,
        own: Version::generate(app),
        audiences: choices::audiences(book.audience.as_str()),
        cover_styles: choices::cover_styles(book.cover_style.as_str()),
        aspects: choices::aspects(book.aspect.as_str()),
        languages: languages::choices(&book.language),
        characters: choices::characters(app, &signed_in.caller(), &book.character_ids).await?,
        price,
        price_words: pricing::credits(price),
        cover_costs: pricing::costs(pricing::COVER),
        page_price: pricing::PAGE,
        cover_price: pricing::COVER,
        balance_words: pricing::credits(balance),
        is_affordable: price <= balance,
        most_pages: MAX_PAGES,
        draws_from_pictures: generation::draws(app, true),
        book,
    };
    Ok(page(status, &view))
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<DraftId>,
    Query(query): Query<ListQuery>,
) -> Reply {
    let draft = drafts::get(&app, &signed_in.caller(), &id).await?;
    let draft = draft.ok_or_else(missing)?;
    if let Some(book) = draft.ordered {
        return Ok(accepted::to(&format!("/library/books/{book}"), "ordered-before"));
    }
    let shown = Shown {
        id,
        seen: draft.version,
        book: draft.book,
        status: StatusCode::OK,
        done: words::done(query.done.as_deref()),
        complaints: Complaints::none(),
    };
    render(&app, &signed_in, shown).await
}

/// Redirects from the address of a form to the plan.
pub(super) async fn to_draft(_: SignedIn, PathId(id): PathId<DraftId>) -> Redirect {
    Redirect::to(&path(&id))
}

/// The address of the form for a photograph, if a button such as `photo:2` requests it.
fn photo_form(action: &str) -> Option<String> {
    let index: usize = action.strip_prefix("photo:")?.parse().ok()?;
    Some(format!("/photo?page={}", index.saturating_add(1)))
}

/// The edit that a button requests: `up:2`, `down:2`, `remove:2`, `words:2` or `add`. Any other button only saves.
fn page_edit(action: &str) -> Option<PageEdit> {
    let (verb, index) = action.split_once(':').unwrap_or((action, ""));
    Some(match (verb, index.parse()) {
        ("add", _) => PageEdit::Add,
        ("up", Ok(index)) => PageEdit::MoveEarlier(index),
        ("down", Ok(index)) => PageEdit::MoveLater(index),
        ("remove", Ok(index)) => PageEdit::Remove(index),
        ("words", Ok(index)) => PageEdit::RemovePhoto(index),
        _ => return None,
    })
}

/// The fragment of the address that leads to the edited page.
fn place(edit: PageEdit, book: &DraftBook) -> String {
    let last = book.pages.len().saturating_sub(1);
    let index = match edit {
        PageEdit::Add => last,
        PageEdit::MoveEarlier(index) => index.saturating_sub(1),
        PageEdit::MoveLater(index) => last.min(index.saturating_add(1)),
        PageEdit::Remove(index) | PageEdit::RemovePhoto(index) => last.min(index),
    };
    format!("#page-{index}")
}

/// Applies the edit that a button requests, and saves the whole form.
pub(super) async fn edit(State(app): State<App>, PathId(id): PathId<DraftId>, form: DraftForm) -> Reply {
    let DraftForm { change, is_current } = form;
    let mut sent = Sent::read(&app, &change, &id).await?;
    let action = change.fields.text("do");
    let edit = page_edit(&action);
    if let Some(edit) = edit {
        sent.book.apply(edit);
    }
    let saved = drafts::save(&app, &change.caller, &id, &sent.edit()).await;
    let to = match (edit, is_current) {
        (_, false) => "?done=signed-in-again".into(),
        (Some(edit), true) => place(edit, &sent.book),
        (None, true) => photo_form(&action).unwrap_or_else(|| "?done=saved".into()),
    };
    match saved {
        Ok(SaveOutcome::Saved) => Ok(Redirect::to(&format!("{}{to}", path(&id))).into_response()),
        Ok(not_saved) => save_as_new(&app, &change, id, sent, not_saved).await,
        Err(error) => refused(&app, &change, id, sent, error).await,
    }
}

/// Saves the form for the script of the page, which reads from the response whether it was saved.
pub(super) async fn autosave(State(app): State<App>, PathId(id): PathId<DraftId>, form: DraftForm) -> Reply {
    let DraftForm { change, is_current: _ } = form;
    let sent = Sent::read(&app, &change, &id).await?;
    let problem = match drafts::save(&app, &change.caller, &id, &sent.edit()).await {
        Ok(SaveOutcome::Saved) => return Ok(StatusCode::NO_CONTENT.into_response()),
        Ok(SaveOutcome::Ordered { .. }) => {
            "This plan was ordered. To make another book from your changes, choose “Save now”.".into()
        }
        Ok(SaveOutcome::Missing) => {
            "This plan was deleted. To restore it as it is on this page, choose “Save now”.".into()
        }
        Ok(SaveOutcome::Conflict) => {
            "This plan was changed in another tab. To save this version as a separate plan, choose “Save now”.".into()
        }
        Err(error) => Complaints::from_error(error)?.all().collect::<Vec<_>>().join(" "),
    };
    Ok((StatusCode::CONFLICT, Json(json!({"problem": problem}))).into_response())
}

/// Orders the book at the price that the form showed.
pub(super) async fn order(State(app): State<App>, PathId(id): PathId<DraftId>, form: DraftForm) -> Reply {
    let DraftForm { change, is_current } = form;
    let sent = Sent::read(&app, &change, &id).await?;
    if !is_current {
        return match drafts::save(&app, &change.caller, &id, &sent.edit()).await {
            Ok(SaveOutcome::Saved) => Ok(accepted::to(&path(&id), "signed-in-again")),
            Ok(not_saved) => save_as_new(&app, &change, id, sent, not_saved).await,
            Err(error) => refused(&app, &change, id, sent, error).await,
        };
    }
    let agreed_price = change.fields.agreed_price();
    match drafts::order(&app, &change.caller, &id, &sent.edit(), agreed_price).await {
        Ok(Ordered::Book(book)) => Ok(accepted::to(&format!("/library/books/{book}"), "ordered")),
        Ok(Ordered::NotSaved(not_saved)) => save_as_new(&app, &change, id, sent, not_saved).await,
        Err(error) => refused(&app, &change, id, sent, error).await,
    }
}

/// Saves the form, and shows a copy of the plan.
pub(super) async fn copy(State(app): State<App>, PathId(id): PathId<DraftId>, form: DraftForm) -> Reply {
    let DraftForm { change, is_current } = form;
    let sent = Sent::read(&app, &change, &id).await?;
    match drafts::save(&app, &change.caller, &id, &sent.edit()).await {
        Ok(SaveOutcome::Saved) if !is_current => return Ok(accepted::to(&path(&id), "signed-in-again")),
        Ok(SaveOutcome::Saved) => {}
        Ok(not_saved) => return save_as_new(&app, &change, id, sent, not_saved).await,
        Err(error) => return refused(&app, &change, id, sent, error).await,
    }
    let copied = DraftBook {
        title: copy_title(&sent.book.title),
        ..sent.book.clone()
    };
    match drafts::create(&app, &change.caller, &copied).await {
        Ok(copy) => Ok(accepted::to(&path(&copy), "plan-duplicated")),
        Err(error) => refused(&app, &change, id, sent, error).await,
    }
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<DraftId>, change: Change) -> Reply {
    if drafts::delete(&app, &change.caller, &id).await? {
        return Ok(accepted::to("/library", "plan-deleted"));
    }
    Err(missing().into())
}

/// Stores the form as a separate plan, because the original was changed, ordered or deleted in the meantime.
async fn save_as_new(app: &App, change: &Change, id: DraftId, sent: Sent, why: SaveOutcome) -> Reply {
    if let SaveOutcome::Ordered { book, is_same: true } = &why {
        return Ok(accepted::to(&format!("/library/books/{book}"), "ordered-before"));
    }
    // Neither does the id name a plan of this account, nor is the form that of a plan.
    if why == SaveOutcome::Missing && sent.own.as_str().is_empty() {
        return Err(missing().into());
    }
    let done = match why {
        SaveOutcome::Ordered { .. } => "plan-ordered",
        SaveOutcome::Missing => "plan-restored",
        SaveOutcome::Saved | SaveOutcome::Conflict => "plan-copied",
    };
    match drafts::create(app, &change.caller, &sent.book).await {
        Ok(id) => Ok(accepted::to(&path(&id), done)),
        Err(error) => refused(app, change, id, sent, error).await,
    }
}

/// Renders the form again, with everything that was typed and the complaints.
async fn refused(app: &App, change: &Change, id: DraftId, sent: Sent, error: Error) -> Reply {
    let complained_of = Complaints::with_status(error)?;
    complained(app, change, id, sent, complained_of).await
}

async fn complained(
    app: &App,
    change: &Change,
    id: DraftId,
    sent: Sent,
    (status, complaints): (StatusCode, Complaints),
) -> Reply {
    // Determine the stored version that the form is based on: the form's own version if it was saved, otherwise the one
    // it was opened with.
    let stored = drafts::get(app, &change.caller, &id).await?;
    let is_own = stored.is_some_and(|draft| draft.version == sent.own);
    let shown = Shown {
        id,
        seen: if is_own { sent.own } else { sent.seen },
        book: sent.book,
        status,
        done: None,
        complaints,
    };
    render(app, &change.signed_in, shown).await
}

pub(super) fn path(id: &DraftId) -> String {
    format!("/library/drafts/{id}")
}

pub(super) fn missing() -> Error {
    Error::not_found("plan")
}
