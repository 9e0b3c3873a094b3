//! Covers: orders that cost nothing in the end never draw more covers than the account has for free.
use crate::testing;
use linepress_platform::scopes::Scopes;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{check, pick};
use crate::test_app::{Actor, Agent, Browser, TestApp};

const FREE_COVERS_PER_DAY: i64 = 2;

/// The interface that receives an order.
#[derive(Clone, Copy, Debug)]
enum By {
    Rest,
    Mcp,
    Web,
}

/// An action of a client or a worker; numbers refer to existing resources.
#[derive(Clone, Debug)]
enum Step {
    /// A book whose pages are drawn, or refused if their title says so.
    Order(By, Vec<&'static str>),
    /// A book with only an existing page.
    OrderNothing(By),
    DeletePage(usize),
    DeleteBook(usize),
    /// The cover of a book, in this number of variants.
    RedrawCover(usize, u32),
    /// This number of workers claim a drawing each, and then draw.
    Work(usize),
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    let by = || prop::sample::select(vec![By::Rest, By::Mcp, By::Web]);
    let page = prop::sample::select(vec!["a fox", "refused", "refused", "invalid"]);
    let number = any::<usize>;
    prop_oneof![
        5 => (by(), vec(page, 1..3)).prop_map(|(by, pages)| Order(by, pages)),
        1 => by().prop_map(OrderNothing),
        3 => number().prop_map(DeletePage),
        1 => number().prop_map(DeleteBook),
        2 => (number(), 1..4_u32).prop_map(|(book, variants)| RedrawCover(book, variants)),
        5 => (1..6_usize).prop_map(Work),
    ]
}

struct Run {
    app: TestApp,
    ada: Actor,
    agent: Agent,
    browser: Browser,
    csrf_token: String,
    ready: String,
    asked: usize,
}

#[test]
fn covers_of_orders_that_are_refunded_whole_never_exceed_the_free_ones() {
    check(12, &vec(step(), 1..30), async |steps| {
        let mut run = Run::begin().await;
        for step in &steps {
            run.take(step).await;
            run.check().await;
        }
        run.app.draw_everything().await;
        run.check().await;
        run.app.check_books().await;
    });
}

impl Run {
    async fn begin() -> Self {
        let app = TestApp::builder()
            .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
            .config(|config| {
                config.limits.free_covers_per_day = FREE_COVERS_PER_DAY;
                config.limits.plans_per_minute = 1_000;
            })
            .start()
            .await;
        let ada = app.account(40).await;
        let (agent, _) = app.agent_with("ada@example.com", Scopes::ALL, Some(3)).await;
        let mut browser = app.browser_of("ada@example.com").await;
        let csrf_token = browser.csrf_token("/library/books/new").await;
        let ready = app.imported_page(&ada, "A fox").await;
        Self {
            app,
            ada,
            agent,
            browser,
            csrf_token,
            ready,
            asked: 0,
        }
    }

    fn key(&mut self) -> String {
        self.asked += 1;
        format!("k{}", self.asked)
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Order(by, pages) => self.order(*by, pages).await,
            Step::OrderNothing(by) => self.order_nothing(*by).await,
            Step::DeletePage(number) => {
                if let Some(page) = pick(&self.ids("pages").await, *number).filter(|page| **page != self.ready) {
                    self.ada.delete(&format!("/pages/{page}")).await.expect_no_content();
                }
            }
            Step::DeleteBook(number) => {
                if let Some(book) = pick(&self.ids("books").await, *number) {
                    self.ada.delete(&format!("/books/{book}")).await.expect_no_content();
                }
            }
            Step::RedrawCover(number, variants) => {
                let key = self.key();
                if let Some(book) = pick(&self.ids("books").await, *number) {
                    let path = format!("/books/{book}/cover/regenerate");
                    let wish = json!({"cover": {"variants": variants}});
                    let status = self.ada.generate(&path, &key, &wish).await.status.as_u16();
                    assert!([202, 402, 409, 422].contains(&status), "{status}");
                }
            }
            Step::Work(workers) => self.work(*workers).await,
        }
    }

    /// Orders a book, which may be refused.
    async fn order(&mut self, by: By, pages: &[&str]) {
        let key = self.key();
        let entries: Vec<Value> = pages.iter().map(|title| json!({"title": title})).collect();
        let mut book = json!({"title": "B", "cover": {"prompt": "A castle"}, "pages": entries});
        match by {
            By::Rest => drop(self.ada.generate("/books", &key, &json!({"book": book})).await),
            By::Mcp => {
                book["idempotency_key"] = key.into();
                book["confirm_credits"] = pages.len().into();
                self.agent.call("create_book", book).await;
            }
            By::Web => {
                let order = self.planned().await + "/order";
                let price = pages.len().to_string();
                let mut fields = vec![
                    ("csrf_token", self.csrf_token.as_str()),
                    ("idempotency_key", &key),
                    ("title", "B"),
                    ("cover_prompt", "A castle"),
                    ("audience", "child"),
                    ("aspect", "portrait"),
                    ("price", &price),
                ];
                for title in pages {
                    fields.extend([("page_title", *title), ("page_prompt", ""), ("page_caption", "")]);
                }
                let status = self.browser.post(&order, &fields).await.status.as_u16();
                assert!([303, 402, 422].contains(&status), "{status}");
            }
        }
    }

    /// Plans a book in the browser; returns the plan's address.
    async fn planned(&mut self) -> String {
        let wishes = [
            ("theme", "A woodland day"),
            ("page_count", "1"),
            ("audience", "child"),
            ("aspect", "portrait"),
        ];
        let plan = self
            .browser
            .submit("/library/books/new", "/library/books/plan", &wishes)
            .await;
        plan.header("location").to_owned()
    }

    async fn order_nothing(&mut self, by: By) {
        let key = self.key();
        let mut book = json!({"title": "B", "pages": [{"page_id": self.ready}]});
        if let By::Mcp = by {
            book["idempotency_key"] = key.into();
            book["confirm_credits"] = 0.into();
            self.agent.call("create_book", book).await;
        } else {
            drop(self.ada.generate("/books", &key, &json!({"book": book})).await);
        }
    }

    async fn work(&self, workers: usize) {
        let mut held = Vec::new();
        for _ in 0..workers {
            held.extend(testing::claim(&self.app.server).await.unwrap());
        }
        for assignment in &held {
            testing::attempt(&self.app.server, assignment).await;
        }
    }

    async fn ids(&self, list: &str) -> Vec<String> {
        let body = self.ada.get(&format!("/{list}?limit=100")).await.expect(200);
        let ids = body[list].as_array().unwrap().iter();
        ids.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Fails if more covers were drawn for orders without a price than the account has for free.
    async fn check(&self) {
        let free: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM operations o WHERE charged = refunded AND EXISTS \
               (SELECT 1 FROM drawings WHERE operation_id = o.id AND target_type = 'cover' AND status = 'succeeded')",
        )
        .fetch_one(&self.app.server.database.read)
        .await
        .unwrap();
        assert!(free <= FREE_COVERS_PER_DAY, "{free} covers were drawn for nothing");
    }
}
