//! The review link with which the story's book is shown, and a comment on its first page.
use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::{BOOK, CREATED_AT, FINISHED_AT, PAGES, TITLES};
use linepress_platform::ids::{BookId, CommentId, PageId, ReviewLinkId};
use linepress_reviews::comments::Comment;
use linepress_reviews::links::ReviewLink;

const LINK: &str = "rev_01KAFMYG00000000000000000A";

/// The bodies with review links and comments, by the name of their schema.
pub(super) fn bodies(public_url: &str) -> BTreeMap<&'static str, Value> {
    let url = format!("{public_url}/review/3fK9aQp5rVd2nXyZcW8uHbTmJ0sLgE7iQoRkNfAvUxY");
    let made = ReviewLink {
        comments: 0,
        unresolved_comments: 0,
        last_opened_at: None,
        ..link()
    };
    let resolved = Comment {
        resolved_at: Some(FINISHED_AT),
        ..comment()
    };
    let one_page = json!({"next_cursor": null});
    BTreeMap::from([
        (
            "ReviewLinkBody",
            json!({"review_link": {"days": 30, "name": "Grandma"}}),
        ),
        ("ReviewLinkAddressReply", json!({"review_link": made, "url": url})),
        ("ReviewLinksReply", json!({"review_links": [link()], "meta": one_page})),
        ("CommentsReply", json!({"comments": [comment()], "meta": one_page})),
        ("CommentChangeBody", json!({"comment": {"resolved": true}})),
        ("CommentReply", json!({"comment": resolved})),
    ])
}

fn link() -> ReviewLink {
    ReviewLink {
        id: ReviewLinkId::from_text(LINK),
        book_id: BookId::from_text(BOOK),
        name: "Grandma".into(),
        comments: 1,
        unresolved_comments: 1,
        created_at: CREATED_AT,
        expires_at: CREATED_AT.plus(Duration::from_secs(30 * 24 * 3600)),
        withdrawn_at: None,
        last_opened_at: Some(FINISHED_AT),
    }
}

fn comment() -> Comment {
    Comment {
        id: CommentId::from_text("cmt_01KAFMYG00000000000000000A"),
        review_link_id: ReviewLinkId::from_text(LINK),
        page_id: Some(PageId::from_text(PAGES[0])),
        page_title: TITLES[0].into(),
        name: "Grandma".into(),
        text: "The fox needs a longer tail".into(),
        created_at: FINISHED_AT,
        resolved_at: None,
    }
}
