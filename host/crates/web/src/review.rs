//! `/review/{token}`: a book for people without an account who have a review link. They look at it and comment on it,
//! and see nothing else of the account.
use std::collections::HashMap;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;
use url::form_urlencoded::byte_serialize;

use crate::library::pictures::{Picture, small, whole};
use crate::preview::unlisted;
use crate::problem;
use crate::when::When;
use linepress_core::artwork::Status;
use linepress_core::books::{ShownBook, ShownPage};
use linepress_http::client_address::ClientAddress;
use linepress_http::form::AnonymousForm;
use linepress_http::handler::handler;
use linepress_http::html::{error_page, page};
use linepress_http::{Failure, PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::ids::{CommentId, PageId};
use linepress_platform::maintenance::{self, Maintenance};
use linepress_platform::text::VisitorName;
use linepress_reviews::comments::{Comment, NewComment};
use linepress_reviews::visits::{self, Visit};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/review/{token}", get(handler(show)))
        .route("/review/{token}/comments", get(handler(to_book)).post(handler(comment)))
        .route("/review/{token}/cover", get(handler(cover)))
        .route("/review/{token}/pages/{page_id}/image", get(handler(page_image)))
        .route(
            "/review/{token}/pages/{page_id}/thumbnail",
            get(handler(page_thumbnail)),
        )
}

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage<'a> {
    token: &'a str,
    /// The notice that the server is read-only.
    notice: Option<String>,
    /// True after a comment was sent.
    is_sent: bool,
    book: BookWords,
    aspect: &'static str,
    cover: Option<Picture>,
    until: When,
    whole: Discussion,
    pages: Vec<PageTile>,
}

/// The words of the book.
struct BookWords {
    title: String,
    subtitle: String,
    author: String,
}

/// A page of the book.
struct PageTile {
    id: PageId,
    position: usize,
    title: String,
    caption: String,
    picture: Option<Picture>,
    /// The address of the whole picture.
    whole_url: String,
    is_drawing: bool,
    /// The rest of the name of the form, for screen readers.
    about: String,
    discussion: Discussion,
}

/// The comments on a page or on the book as a whole, and the form for another one.
struct Discussion {
    comments: Vec<CommentLine>,
    form: Form,
}

/// A comment.
struct CommentLine {
    id: CommentId,
    name: String,
    text: String,
    made: When,
    is_resolved: bool,
}

impl From<Comment> for CommentLine {
    fn from(comment: Comment) -> Self {
        Self {
            made: When::new(comment.created_at),
            is_resolved: comment.resolved_at.is_some(),
            id: comment.id,
            name: comment.name,
            text: comment.text,
        }
    }
}

/// The values of a form.
struct Form {
    /// The end of the ids of its fields.
    id: String,
    /// The id of the page; empty for the book as a whole.
    page: String,
    name: String,
    text: String,
    problem: Option<String>,
}

impl Form {
    fn new(page: &str, name: &str, rejected: Option<&Rejected>) -> Self {
        Self {
            id: if page.is_empty() { "book" } else { page }.to_owned(),
            page: page.to_owned(),
            name: name.to_owned(),
            text: rejected.map(|rejected| rejected.text.clone()).unwrap_or_default(),
            problem: rejected.map(|rejected| rejected.problem.clone()),
        }
    }
}

/// The query parameters of the page's address.
#[derive(Default, Deserialize)]
struct ReviewQuery {
    /// The name of the visitor, which the forms remember.
    name: Option<String>,
    /// Present after a comment was sent.
    sent: Option<String>,
}

/// The form as it is sent.
#[derive(Deserialize)]
struct SentForm {
    #[serde(default)]
    page: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    text: String,
}

/// The state of the forms, apart from the book.
struct Typed {
    name: String,
    is_sent: bool,
    rejected: Option<Rejected>,
}

/// A form that was rejected.
struct Rejected {
    /// The id of the page; empty for the book as a whole.
    page: String,
    text: String,
    problem: String,
}

type Token = Result<PathId<String>, Failure>;

async fn show(State(app): State<App>, client: ClientAddress, token: Token, Query(query): Query<ReviewQuery>) -> Reply {
    let Ok(PathId(token)) = token else {
        return Ok(gone());
    };
    let name = query.name.unwrap_or_default();
    let typed = Typed {
        name: name.chars().take(VisitorName::MAX_CHARS).collect(),
        is_sent: query.sent.is_some(),
        rejected: None,
    };
    respond(&app, client, &token, StatusCode::OK, &typed).await
}

async fn respond(app: &App, client: ClientAddress, token: &str, status: StatusCode, typed: &Typed) -> Reply {
    let Some(visit) = visits::open(app, token, &client.subject()).await? else {
        return Ok(gone());
    };
    let maintenance = maintenance::current(app).await?;
    let shown = ReviewPage::new(token, visit, typed, maintenance.as_ref());
    Ok(unlisted(page(status, &shown)))
}

impl<'a> ReviewPage<'a> {
    fn new(token: &'a str, visit: Visit, typed: &Typed, maintenance: Option<&Maintenance>) -> Self {
        let Visit {
            book,
            comments,
            expires_at,
        } = visit;
        let ShownBook {
            title,
            subtitle,
            author,
            aspect,
            cover,
            pages,
        } = book;
        // By page, with an empty id for the book as a whole. Comments on pages that have left the book are not shown.
        let mut by_page: HashMap<String, Vec<CommentLine>> = HashMap::new();
        for comment in comments {
            let page = comment.page_id.as_ref().map(PageId::to_string).unwrap_or_default();
            by_page.entry(page).or_default().push(comment.into());
        }
        // A comment on a page that has left the book can be sent again as one on the book as a whole.
        let is_in_book = |id: &str| pages.iter().any(|page| page.id.as_str() == id);
        let rejected = typed.rejected.as_ref().map(|rejected| {
            let page = rejected.page.as_str();
            (if is_in_book(page) { page } else { "" }, rejected)
        });
        let mut discussion = |page: &str| {
            let rejected = rejected.filter(|(at, _)| *at == page).map(|(_, rejected)| rejected);
            Discussion {
                comments: by_page.remove(page).unwrap_or_default(),
                form: Form::new(page, &typed.name, rejected),
            }
        };
        let whole = discussion("");
        let tiles = (1..).zip(pages).map(|(position, page)| {
            let discussion = discussion(page.id.as_str());
            PageTile::new(token, position, page, discussion)
        });
        Self {
            token,
            notice: maintenance.map(Maintenance::notice),
            is_sent: typed.is_sent,
            aspect: aspect.as_str(),
            cover: cover.map(|image| Picture {
                url: format!("/review/{token}/cover?revision={}", image.revision),
                width: image.width,
                height: image.height,
                description: String::new(),
            }),
            until: When::new(expires_at),
            whole,
            pages: tiles.collect(),
            book: BookWords {
                title,
                subtitle,
                author,
            },
        }
    }
}

impl PageTile {
    fn new(token: &str, position: usize, page: ShownPage, discussion: Discussion) -> Self {
        let revision = page.image.as_ref().map(|image| image.revision).unwrap_or_default();
        let path = format!("/review/{token}/pages/{}", page.id);
        Self {
            position,
            about: format!(" on page {position}"),
            picture: page.image.map(|image| Picture {
                url: format!("{path}/thumbnail?revision={revision}"),
                width: image.width,
                height: image.height,
                description: image.alternative_text.unwrap_or_default(),
            }),
            whole_url: format!("{path}/image?revision={revision}"),
            is_drawing: page.status == Status::Generating,
            id: page.id,
            title: page.title,
            caption: page.caption,
            discussion,
        }
    }
}

/// Redirects from the address of the form to the book.
async fn to_book(token: Token) -> Response {
    match token {
        Ok(PathId(token)) => Redirect::to(&format!("/review/{}", encoded(&token))).into_response(),
        Err(_) => gone(),
    }
}

/// Stores the comment, and shows it on the page of the book.
async fn comment(
    State(app): State<App>,
    client: ClientAddress,
    token: Token,
    AnonymousForm(sent): AnonymousForm<SentForm>,
) -> Reply {
    let Ok(PathId(token)) = token else {
        return Ok(gone());
    };
    let page = (!sent.page.is_empty()).then(|| PageId::from_client(&sent.page));
    let name = sent.name.trim().to_owned();
    let new = NewComment {
        name: name.as_str().into(),
        text: sent.text.trim().replace("\r\n", "\n").into(),
    };
    let error = match visits::comment(&app, &token, &client.subject(), page.as_ref(), &new).await {
        Ok(Some(())) => {
            let part = page.as_ref().map_or("book", PageId::as_str);
            let name = encoded(&name);
            return Ok(Redirect::to(&format!("/review/{token}?name={name}&sent=yes#{part}")).into_response());
        }
        Ok(None) => return Ok(gone()),
        Err(error) => error,
    };
    let Some((status, problem)) = problem_of(&error) else {
        return Err(error.into());
    };
    let typed = Typed {
        name,
        is_sent: false,
        rejected: Some(Rejected {
            page: sent.page,
            text: sent.text,
            problem,
        }),
    };
    let again = respond(&app, client, &token, status, &typed).await?;
    Ok(problem::with_retry_after(again, error.retry_after()))
}

/// The status of the page, and the message for the form; None for an internal error.
fn problem_of(error: &Error) -> Option<(StatusCode, String)> {
    let (status, message) = problem::for_user(error)?;
    let message = match &error.kind {
        // The visitor has no account.
        ErrorKind::AccountLimitReached { .. } => {
            "No more comments can be made with this link. Ask the person who sent it to you for another one.".to_owned()
        }
        _ => message,
    };
    Some((status, message))
}

async fn cover(State(app): State<App>, token: Token) -> Reply {
    let Ok(PathId(token)) = token else {
        return Ok(gone());
    };
    match visits::cover(&app, &token).await? {
        Some(picture) => Ok(unlisted(whole(Some(picture.download))?)),
        None => Ok(gone()),
    }
}

async fn page_image(State(app): State<App>, PathId((token, page)): PathId<(String, PageId)>) -> Reply {
    match visits::page_picture(&app, &token, &page).await? {
        Some(picture) => Ok(unlisted(whole(Some(picture.download))?)),
        None => Ok(gone()),
    }
}

async fn page_thumbnail(State(app): State<App>, PathId((token, page)): PathId<(String, PageId)>) -> Reply {
    match visits::page_picture(&app, &token, &page).await? {
        Some(picture) => Ok(unlisted(
            small(&app, &picture.account_id, Some(picture.download)).await?,
        )),
        None => Ok(gone()),
    }
}

/// The page for a link that does not work, whatever the reason is.
fn gone() -> Response {
    let advice = "It may have expired or been withdrawn, or the book is no longer there. Ask the person who sent it to you for a new one.";
    unlisted(error_page(StatusCode::NOT_FOUND, "This link does not work", advice))
}

/// A text as a part of an address.
fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}
