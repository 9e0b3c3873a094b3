//! A plan in its form: edited, put into another order, and ordered.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use linepress_model::{Aspect, Audience};

use super::choices::{self, CharacterChoice, Choice};
use super::form::{BookForm, Complaints, Fields, new_key};
use super::{accepted, words};
use crate::app::App;
use crate::books::{self, NewBook, NewCover, PageEntry};
use crate::characters::CharacterIds;
use crate::error::ErrorKind;
use crate::http::html::{Frame, Section, page};
use crate::http::session::SignedIn;
use crate::http::{ErrorCode, Reply};
use crate::plans::BookPlan;

/// A book that is not ordered yet: all of it is in the form.
pub(super) struct Draft {
    key: String,
    title: String,
    subtitle: String,
    author: String,
    description: String,
    cover_prompt: String,
    audience: String,
    aspect: String,
    character_ids: CharacterIds,
    pages: Vec<DraftPage>,
}

#[derive(Clone, Default)]
struct DraftPage {
    title: String,
    prompt: String,
    caption: String,
}

impl Draft {
    pub(super) fn of_plan(key: String, plan: BookPlan) -> Self {
        let book = plan.generation_request.book;
        let words = |text: Option<&str>| text.unwrap_or_default().to_owned();
        Self {
            key,
            title: book.title.to_string(),
            subtitle: words(book.subtitle.as_deref()),
            author: words(book.author.as_deref()),
            description: words(book.description.as_deref()),
            cover_prompt: words(book.cover.as_ref().map(|cover| &*cover.prompt)),
            audience: book.audience.unwrap_or_default().to_string(),
            aspect: book.aspect.unwrap_or_default().to_string(),
            character_ids: book.character_ids.unwrap_or_default(),
            pages: book
                .pages
                .iter()
                .map(|page| DraftPage {
                    title: words(page.title.as_deref()),
                    prompt: words(page.prompt.as_deref()),
                    caption: words(page.caption.as_deref()),
                })
                .collect(),
        }
    }

    fn of_fields(fields: &Fields) -> Self {
        let rows = fields
            .all("page_title")
            .zip(fields.all("page_prompt"))
            .zip(fields.all("page_caption"));
        Self {
            key: fields.text("idempotency_key"),
            title: fields.text("title"),
            subtitle: fields.text("subtitle"),
            author: fields.text("author"),
            description: fields.text("description"),
            cover_prompt: fields.text("cover_prompt"),
            audience: fields.text("audience"),
            aspect: fields.text("aspect"),
            character_ids: fields.character_ids(),
            pages: rows
                .map(|((title, prompt), caption)| DraftPage { title, prompt, caption })
                .collect(),
        }
    }

    /// What a button of the form asks for: `up:2`, `down:2`, `remove:2`, `add`.
    fn apply(&mut self, action: &str) {
        let (verb, index) = action.split_once(':').unwrap_or((action, ""));
        let count = self.pages.len();
        match (verb, index.parse::<usize>()) {
            ("add", _) if count < books::MAX_PAGES => self.pages.push(DraftPage::default()),
            ("up", Ok(index)) if (1..count).contains(&index) => self.pages.swap(index, index - 1),
            ("down", Ok(index)) if index + 1 < count => self.pages.swap(index, index + 1),
            ("remove", Ok(index)) if index < count => drop(self.pages.remove(index)),
            _ => {}
        }
    }

    fn book(&self) -> NewBook {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        NewBook {
            title: self.title.clone().into(),
            subtitle: given(&self.subtitle).map(Into::into),
            author: given(&self.author).map(Into::into),
            description: given(&self.description).map(Into::into),
            audience: Audience::parse(&self.audience),
            aspect: Aspect::parse(&self.aspect),
            language: None,
            character_ids: Some(self.character_ids.clone()).filter(|ids| !ids.is_empty()),
            cover: given(&self.cover_prompt).map(|prompt| NewCover { prompt: prompt.into() }),
            pages: self
                .pages
                .iter()
                .map(|page| PageEntry {
                    page_id: None,
                    title: Some(page.title.clone().into()),
                    prompt: given(&page.prompt).map(Into::into),
                    caption: given(&page.caption).map(Into::into),
                    character_ids: None,
                })
                .collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "library/draft.html")]
struct DraftView {
    frame: Frame,
    complaints: Complaints,
    rows: Vec<Row>,
    draft: Draft,
    audiences: Vec<Choice>,
    aspects: Vec<Choice>,
    characters: Vec<CharacterChoice>,
    price: i64,
    price_words: String,
    balance_words: String,
    is_affordable: bool,
    most_pages: usize,
}

/// A page of the draft in the form.
struct Row {
    page: DraftPage,
    index: usize,
    number: usize,
    is_first: bool,
    is_last: bool,
    title_id: String,
    prompt_id: String,
    caption_id: String,
    title_complaint: Option<String>,
    prompt_complaint: Option<String>,
    caption_complaint: Option<String>,
}

fn rows(pages: &[DraftPage], complaints: &Complaints) -> Vec<Row> {
    let row = |(index, page): (usize, &DraftPage)| {
        let id = |field: &str| format!("page-{index}-{field}");
        let complaint = |field: &str| complaints.at(&format!("book.pages[{index}].{field}"));
        Row {
            page: page.clone(),
            index,
            number: index + 1,
            is_first: index == 0,
            is_last: index + 1 == pages.len(),
            title_id: id("title"),
            prompt_id: id("prompt"),
            caption_id: id("caption"),
            title_complaint: complaint("title"),
            prompt_complaint: complaint("prompt"),
            caption_complaint: complaint("caption"),
        }
    };
    pages.iter().enumerate().map(row).collect()
}

pub(super) async fn show(
    app: &App,
    signed_in: &SignedIn,
    draft: Draft,
    status: StatusCode,
    complaints: Complaints,
) -> Reply {
    let price = draft.book().price();
    let balance = signed_in.account.credits;
    let view = DraftView {
        frame: signed_in.frame(Section::Books),
        rows: rows(&draft.pages, &complaints),
        complaints,
        audiences: choices::audiences(&draft.audience),
        aspects: choices::aspects(&draft.aspect),
        characters: choices::characters(app, &signed_in.caller(), &draft.character_ids).await?,
        price,
        price_words: words::credits(price),
        balance_words: words::credits(balance),
        is_affordable: price <= balance,
        most_pages: books::MAX_PAGES,
        draft,
    };
    Ok(page(status, &view))
}

/// Does what a button asks for, and shows the form again with all that was typed.
pub(super) async fn edit(State(app): State<App>, BookForm(change): BookForm) -> Reply {
    let mut draft = Draft::of_fields(&change.fields);
    draft.apply(&change.fields.text("do"));
    show(&app, &change.signed_in, draft, StatusCode::OK, Complaints::none()).await
}

/// Orders the book for the price that the form showed.
pub(super) async fn order(State(app): State<App>, BookForm(change): BookForm) -> Reply<Response> {
    let mut draft = Draft::of_fields(&change.fields);
    let key = change.fields.key()?;
    let new = draft.book();
    if change.fields.text("price") != new.price().to_string() {
        let said = format!(
            "The price is {} now. Nothing was charged yet.",
            words::credits(new.price())
        );
        return show(
            &app,
            &change.signed_in,
            draft,
            StatusCode::CONFLICT,
            Complaints::said(said),
        )
        .await;
    }
    let error = match books::create(&app, &change.caller, &key, &new).await {
        Ok(accepted) => {
            let id = accepted::id(&accepted, "book")?;
            return Ok(Redirect::to(&format!("/library/books/{id}?done=ordered")).into_response());
        }
        Err(error) => error,
    };
    let status = ErrorCode::from(&error).status();
    let complaints = if error.kind == ErrorKind::IdempotencyConflict {
        draft.key = new_key(&app);
        Complaints::said(
            "You ordered this plan before, with other words: that book is in your library. Order again to have this one made too.",
        )
    } else {
        Complaints::of(error)?
    };
    show(&app, &change.signed_in, draft, status, complaints).await
}
