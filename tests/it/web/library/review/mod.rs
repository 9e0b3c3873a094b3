//! Review links: `/review/{token}`, on which visitors see a book and comment on it, and the part of the page of the
//! book on which its owner manages them.
mod comments;
mod links;

use std::time::Duration;

use serde_json::Value;

use crate::test_app::{Actor, TestApp};

const GONE: &str = "This link does not work";
const COMMENT: [(&str, &str); 2] = [("name", "Grandma"), ("text", "The fox needs a longer tail")];

/// A book, and a review link to it.
struct Shared {
    app: TestApp,
    ada: Actor,
    book: String,
    pages: Vec<String>,
    link: String,
    /// The path of the page that the link leads to.
    path: String,
}

impl Shared {
    async fn start(titles: &[&str]) -> Self {
        let app = TestApp::start().await;
        let ada = app.account(9).await;
        let book = app.ready_book(&ada, titles).await;
        let (link, path) = app.review_link(&ada, &book).await;
        Self {
            pages: ada.page_ids(&book).await,
            app,
            ada,
            book,
            link,
            path,
        }
    }

    /// The path of the page of the book in the library.
    fn library(&self) -> String {
        format!("/library/books/{}", self.book)
    }

    /// Comments on a page, or on the whole book if the page is empty. Ids follow the time, so that it passes before
    /// each comment.
    async fn comment(&self, page: &str, text: &str) {
        self.app.server.clock.advance(Duration::from_secs(1));
        let fields = [("page", page), ("name", "Grandma"), ("text", text)];
        let form = format!("{}/comments", self.path);
        let sent = self.app.browser().post(&form, &fields).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }

    /// Returns the comments on the book, newest first.
    async fn comments(&self) -> Vec<Value> {
        let path = format!("/books/{}/comments?limit=100", self.book);
        let listed = self.ada.get(&path).await.expect(200);
        listed["comments"].as_array().unwrap().clone()
    }

    async fn last_opened_at(&self) -> Value {
        let listed = self.ada.get(&format!("/books/{}/review_links", self.book)).await;
        listed.expect(200)["review_links"][0]["last_opened_at"].clone()
    }

    /// The paths of all pictures that the link leads to.
    fn pictures(&self) -> Vec<String> {
        let of_pages = self.pages.iter();
        let of_pages = of_pages.flat_map(|page| ["image", "thumbnail"].map(|size| format!("pages/{page}/{size}")));
        of_pages
            .chain(["cover".to_owned()])
            .map(|picture| format!("{}/{picture}", self.path))
            .collect()
    }

    /// Fails unless every address of the link says that it does not work, in the same words; returns the page.
    async fn expect_gone(&self) -> String {
        let mut visitor = self.app.browser();
        let shown = visitor.get(&self.path).await;
        shown.expect(404, GONE);
        assert_eq!(shown.header("x-robots-tag"), "noindex, nofollow");
        for picture in self.pictures() {
            let reply = visitor.get(&picture).await;
            assert_eq!((reply.status.as_u16(), &reply.text), (404, &shown.text), "{picture}");
        }
        let sent = visitor.post(&format!("{}/comments", self.path), &COMMENT).await;
        assert_eq!((sent.status.as_u16(), &sent.text), (404, &shown.text));
        shown.text
    }
}
