//! The review links of a book and the comments on it, as a part of the page of the book, and their forms.
use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use axum::response::Redirect;
use linepress_model::counted;

use super::choices::Choice;
use super::form::{Change, Typed};
use super::{accepted, book, book_changes};
use crate::when::When;
use linepress_accounts::caller::Caller;
use linepress_core::books::Book;
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::PageRequest;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{BookId, CommentId, PageId, ReviewLinkId};
use linepress_reviews::comments::{self, Comment, CommentChange};
use linepress_reviews::links::{self, DEFAULT_LINK_DAYS, MAX_WORKING_LINKS_PER_BOOK, NewReviewLink, ReviewLink};

/// The part of the page of a book that has the review links.
const PART: Option<&str> = Some("reviews");

/// The times for which a new link works: the number of days, and the words for it.
const LIFETIMES: [(&str, &str); 3] = [("7", "7 days"), ("30", "30 days"), ("90", "90 days")];

/// The review links of a book and the comments on it.
pub(super) struct Reviews {
    /// The address of the first part of the list of comments.
    pub path: String,
    pub links: Vec<LinkLine>,
    /// True if the book has as many links that work as it may have.
    pub is_full: bool,
    /// The address of a link that was just made. It is shown only in this response.
    pub made: Option<String>,
    pub lifetimes: Vec<Choice>,
    /// The typed name of a link that was rejected.
    pub name: String,
    /// The number of comments that are not resolved.
    pub unresolved: i64,
    pub groups: Vec<Group>,
    pub is_first: bool,
    pub next: Option<String>,
}

/// A review link.
pub(super) struct LinkLine {
    pub id: ReviewLinkId,
    /// Its name, or words in its place.
    pub name: String,
    pub works: bool,
    pub is_withdrawn: bool,
    /// The time of its expiry or withdrawal.
    pub end: When,
    /// The time when it was last opened; None if it never was.
    pub last_opened: Option<When>,
    /// The number of its comments in words.
    pub comments: String,
}

/// The comments on one page, on the book as a whole, or on pages that have left the book.
pub(super) struct Group {
    pub heading: String,
    /// In the order in which they were made.
    pub comments: Vec<CommentLine>,
}

/// A comment.
pub(super) struct CommentLine {
    pub id: CommentId,
    pub name: String,
    pub text: String,
    pub made: When,
    pub is_resolved: bool,
    /// The title of a page that is no longer in the book; empty for other comments.
    pub about: String,
    /// The name of the link; empty if it has none.
    pub link: String,
}

/// The place of a group on the page.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Whole,
    Page(i64),
    Gone,
}

impl Reviews {
    /// Reads the review links of a book and a part of the list of comments on it: the first, or the one after a cursor.
    pub(super) async fn of_book(
        app: &App,
        caller: &Caller,
        book: &Book,
        after: Option<&str>,
        typed: &Typed<'_>,
        made: Option<String>,
    ) -> Result<Self> {
        let request = |prefix: &'static str, after: Option<&str>| {
            let scope = app.cursors.scope(caller.account_id(), prefix);
            PageRequest::parse(Some(&PageRequest::MAX_LIMIT.to_string()), after, scope)
        };
        // All links of a book fit into one request.
        let links = links::list(app, caller, &book.id, &request(ReviewLinkId::PREFIX, None)?).await?;
        let links = links.map(|page| page.items).unwrap_or_default();
        // The cursor may come from an old bookmark.
        let (after, wanted) = match request(CommentId::PREFIX, after) {
            Ok(wanted) => (after, wanted),
            Err(_) => (None, request(CommentId::PREFIX, None)?),
        };
        let comments = comments::list(app, caller, &book.id, &wanted).await?;
        let (comments, next) = comments.map(|page| (page.items, page.next_cursor)).unwrap_or_default();
        let now = app.clock.now();
        let working = links.iter().filter(|link| link.works_at(now)).count();
        let days = typed.text(book::REVIEW, "days", &DEFAULT_LINK_DAYS.to_string());
        let lifetimes = LIFETIMES.iter().map(|&(value, label)| Choice {
            value,
            label,
            chosen: value == days,
        });
        Ok(Self {
            path: path(&book.id),
            is_full: i64::try_from(working).is_ok_and(|working| working >= MAX_WORKING_LINKS_PER_BOOK),
            made,
            lifetimes: lifetimes.collect(),
            name: typed.text(book::REVIEW, "name", ""),
            unresolved: links.iter().map(|link| link.unresolved_comments).sum(),
            groups: groups(book, &links, comments),
            is_first: after.is_none(),
            next,
            links: links.into_iter().map(|link| LinkLine::new(link, now)).collect(),
        })
    }
}

impl LinkLine {
    fn new(link: ReviewLink, now: Timestamp) -> Self {
        Self {
            works: link.works_at(now),
            is_withdrawn: link.withdrawn_at.is_some(),
            end: When::new(link.withdrawn_at.unwrap_or(link.expires_at)),
            last_opened: link.last_opened_at.map(When::new),
            comments: counted(link.comments, "comment"),
            name: match link.name.trim() {
                "" => format!("Made {}", When::new(link.created_at).day),
                name => name.to_owned(),
            },
            id: link.id,
        }
    }
}

/// Groups comments, which are newest first, by the pages of the book.
fn groups(book: &Book, links: &[ReviewLink], comments: Vec<Comment>) -> Vec<Group> {
    let names: HashMap<&ReviewLinkId, &str> = links.iter().map(|link| (&link.id, link.name.as_str())).collect();
    let find_page = |id: &PageId| book.pages.iter().find(|page| page.id == *id);
    let mut groups: BTreeMap<Place, Group> = BTreeMap::new();
    for comment in comments.into_iter().rev() {
        let page = comment.page_id.as_ref().map(&find_page);
        let (place, heading, about) = match page {
            None => (Place::Whole, "The book as a whole".to_owned(), String::new()),
            Some(Some(page)) => (
                Place::Page(page.position),
                format!("Page {}: {}", page.position, page.title),
                String::new(),
            ),
            Some(None) => (
                Place::Gone,
                "Pages that are no longer in the book".to_owned(),
                comment.page_title,
            ),
        };
        let group = groups.entry(place).or_insert_with(|| Group {
            heading,
            comments: Vec::new(),
        });
        let link = names.get(&comment.review_link_id).copied().unwrap_or_default();
        group.comments.push(CommentLine {
            link: link.to_owned(),
            name: comment.name,
            text: comment.text,
            made: When::new(comment.created_at),
            is_resolved: comment.resolved_at.is_some(),
            about,
            id: comment.id,
        });
    }
    groups.into_values().collect()
}

/// Redirects from the address of a form about a link or a comment to the book.
pub(super) async fn to_book(_: SignedIn, PathId((id, _)): PathId<(BookId, String)>) -> Redirect {
    Redirect::to(&path(&id))
}

/// Shows the address of the new link in this response rather than after a redirect, because it is not stored.
pub(super) async fn create(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let (fields, signed_in) = (&change.fields, &change.signed_in);
    let days: Option<String> = fields.given("days");
    let new = NewReviewLink {
        // A text that is not a number becomes 0, which is rejected.
        days: days.map(|days| days.parse().unwrap_or_default()),
        name: fields.given("name"),
    };
    match links::create(&app, &change.caller, &id, &new).await {
        Ok(Some(made)) => book::render_with_link(&app, signed_in, &id, made.url).await,
        refused => book_changes::respond(&app, signed_in, &id, (book::REVIEW, fields), refused, "saved").await,
    }
}

pub(super) async fn withdraw(
    State(app): State<App>,
    PathId((id, link)): PathId<(BookId, ReviewLinkId)>,
    change: Change,
) -> Reply {
    if links::withdraw(&app, &change.caller, &link).await? {
        return Ok(accepted::to_undoable(&path(&id), "link-withdrawn", &[], PART));
    }
    Err(Error::not_found("review link").into())
}

/// Marks a comment as done, or as not done yet.
pub(super) async fn resolve(
    State(app): State<App>,
    PathId((id, comment)): PathId<(BookId, CommentId)>,
    change: Change,
) -> Reply {
    let is_resolved = change.fields.text("resolved") == "yes";
    let wanted = CommentChange {
        resolved: Some(is_resolved),
    };
    let updated = comments::update(&app, &change.caller, &comment, &wanted).await?;
    let updated = updated.ok_or_else(|| Error::not_found("comment"))?;
    let done = if is_resolved {
        "comment-resolved"
    } else {
        "comment-reopened"
    };
    Ok(accepted::to_undoable(&path(&id), done, &[], Some(updated.id.as_str())))
}

pub(super) async fn delete(
    State(app): State<App>,
    PathId((id, comment)): PathId<(BookId, CommentId)>,
    change: Change,
) -> Reply {
    if comments::delete(&app, &change.caller, &comment).await? {
        return Ok(accepted::to_undoable(&path(&id), "comment-deleted", &[], PART));
    }
    Err(Error::not_found("comment").into())
}

fn path(id: &BookId) -> String {
    format!("/library/books/{id}")
}
