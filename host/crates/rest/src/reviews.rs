//! `/books/{id}/review_links` and `/books/{id}/comments`: links with which people without an account see a book, and
//! their comments.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use serde::{Deserialize, Serialize};

use super::addresses::review_link_location;
use super::books::missing as no_book;
use super::document::{
    BookParameter, ChangeErrors, CommentParameter, DeletionErrors, ResourceCreationErrors, ResourceListErrors,
    ReviewLinkParameter,
};
use super::extract::{Body, ListParameters, PathId, list_query};
use super::response::{Meta, no_content};
use linepress_accounts::caller::Caller;
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, CommentId, ReviewLinkId};
use linepress_reviews::comments::{self, Comment, CommentChange};
use linepress_reviews::links::{self, NewReviewLink, ReviewLink};

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ReviewLinksReply {
    review_links: Vec<ReviewLink>,
    meta: Meta,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewLinkBody {
    review_link: NewReviewLink,
}

/// A review link with its address, which no other response contains.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ReviewLinkAddressReply {
    review_link: ReviewLink,
    /// The address of the page that shows the book, for the people who are to see it. It cannot be shown again.
    #[schema(format = "uri")]
    url: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct CommentsReply {
    comments: Vec<Comment>,
    meta: Meta,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentChangeBody {
    comment: CommentChange,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct CommentReply {
    comment: Comment,
}

fn no_link() -> Error {
    Error::not_found("review link")
}

fn no_comment() -> Error {
    Error::not_found("comment")
}

/// The review links to a book, newest first, including those that were withdrawn or have expired. A link is deleted
/// with its comments 30 days after its expiry.
#[utoipa::path(get, path = "/books/{id}/review_links", tag = "Review links", operation_id = "list_review_links",
    params(BookParameter, ListParameters),
    responses((status = 200, description = "One page of the list", body = ReviewLinksReply), ResourceListErrors))]
pub(super) async fn list_links(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<ReviewLinksReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, ReviewLinkId::PREFIX)?;
    let page = links::list(&app, &caller, &id, &request).await?.ok_or_else(no_book)?;
    Ok(Json(ReviewLinksReply {
        meta: Meta::from(&page),
        review_links: page.items,
    }))
}

/// Makes a review link to a book: an address at which anyone who knows it sees the book as it is now and comments on
/// it, without an account, until it expires or is withdrawn. The response contains the address, which is not shown
/// again.
#[utoipa::path(post, path = "/books/{id}/review_links", tag = "Review links", operation_id = "create_review_link",
    params(BookParameter), request_body = ReviewLinkBody,
    responses((status = 201, description = "The link and its address", body = ReviewLinkAddressReply), ResourceCreationErrors))]
pub(super) async fn create_link(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    Body(body): Body<ReviewLinkBody>,
) -> Reply {
    let made = links::create(&app, &caller, &id, &body.review_link).await;
    let made = made.map_err(|error| error.within(&Field::named("review_link")))?;
    let made = made.ok_or_else(no_book)?;
    let location = review_link_location(&app, &made.link.id)?;
    let reply = Json(ReviewLinkAddressReply {
        review_link: made.link,
        url: made.url,
    });
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], reply).into_response())
}

/// Withdraws a review link at once: its address does not work any more. Its comments remain. Nothing changes if it was
/// withdrawn before.
#[utoipa::path(delete, path = "/review_links/{id}", tag = "Review links", operation_id = "withdraw_review_link",
    params(ReviewLinkParameter), responses((status = 204, description = "Withdrawn"), DeletionErrors))]
pub(super) async fn withdraw_link(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<ReviewLinkId>,
) -> Reply<StatusCode> {
    no_content(links::withdraw(&app, &caller, &id).await?, no_link)
}

/// The comments on a book and on its pages, newest first, whichever link they were made with. Those on pages that have
/// left the book since are among them.
#[utoipa::path(get, path = "/books/{id}/comments", tag = "Review links", operation_id = "list_book_comments",
    params(BookParameter, ListParameters),
    responses((status = 200, description = "One page of the list", body = CommentsReply), ResourceListErrors))]
pub(super) async fn list_comments(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<CommentsReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, CommentId::PREFIX)?;
    let page = comments::list(&app, &caller, &id, &request)
        .await?
        .ok_or_else(no_book)?;
    Ok(Json(CommentsReply {
        meta: Meta::from(&page),
        comments: page.items,
    }))
}

/// Marks a comment as resolved, or as unresolved again.
#[utoipa::path(patch, path = "/comments/{id}", tag = "Review links", operation_id = "update_comment",
    params(CommentParameter), request_body = CommentChangeBody,
    responses((status = 200, description = "The comment", body = CommentReply), ChangeErrors))]
pub(super) async fn update_comment(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CommentId>,
    Body(body): Body<CommentChangeBody>,
) -> Reply<Json<CommentReply>> {
    let comment = comments::update(&app, &caller, &id, &body.comment).await?;
    let comment = comment.ok_or_else(no_comment)?;
    Ok(Json(CommentReply { comment }))
}

/// Deletes a comment.
#[utoipa::path(delete, path = "/comments/{id}", tag = "Review links", operation_id = "delete_comment",
    params(CommentParameter), responses((status = 204, description = "Deleted"), DeletionErrors))]
pub(super) async fn delete_comment(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CommentId>,
) -> Reply<StatusCode> {
    no_content(comments::delete(&app, &caller, &id).await?, no_comment)
}
