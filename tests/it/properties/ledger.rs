//! Credits under arbitrary sequences of requests, drawings, failures, replays, deletions and lost workers.
use std::collections::HashMap;
use std::time::Duration;

use crate::testing::{self, Assignment};
use linepress_accounts::accounts::{self, Account};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{check, pick};
use crate::test_app::{Actor, TestApp};

/// An action of a client, a worker or the operator; numbers refer to existing resources.
#[derive(Clone, Debug)]
enum Step {
    CreatePage(&'static str),
    CreateCharacter(&'static str),
    CreateBook(Vec<&'static str>),
    AddPage(usize, &'static str),
    RegeneratePage(usize, &'static str),
    RegenerateCharacter(usize, &'static str),
    /// Repeats a request with its key.
    Replay(usize),
    /// Sends another request with a used key.
    Conflict(usize),
    DeletePage(usize),
    DeleteBook(usize),
    Archive(usize),
    Restore(usize),
    Work,
    /// From now on a worker holds a drawing.
    Claim,
    Attempt(usize),
    Release(usize),
    Renew(usize),
    /// Time passes until every silent worker has lost its lease.
    Silence,
    Wait(u64),
    Grant(i64),
}

/// A prompt, which also determines how the test bed's flaky provider fails.
fn prompt() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a fox",
        "refused",
        "invalid",
        "unavailable",
        "rate-limited",
        "other",
        "trap",
    ])
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    let number = any::<usize>;
    prop_oneof![
        3 => prompt().prop_map(CreatePage),
        2 => prompt().prop_map(CreateCharacter),
        2 => vec(prompt(), 1..4).prop_map(CreateBook),
        2 => (number(), prompt()).prop_map(|(book, prompt)| AddPage(book, prompt)),
        2 => (number(), prompt()).prop_map(|(page, prompt)| RegeneratePage(page, prompt)),
        2 => (number(), prompt()).prop_map(|(character, prompt)| RegenerateCharacter(character, prompt)),
        2 => number().prop_map(Replay),
        1 => number().prop_map(Conflict),
        1 => number().prop_map(DeletePage),
        1 => number().prop_map(DeleteBook),
        1 => number().prop_map(Archive),
        1 => number().prop_map(Restore),
        4 => Just(Work),
        3 => Just(Claim),
        3 => number().prop_map(Attempt),
        1 => number().prop_map(Release),
        1 => number().prop_map(Renew),
        1 => Just(Silence),
        2 => (0..10_u64).prop_map(Wait),
        1 => (1..4_i64).prop_map(Grant),
    ]
}

/// An accepted generation with its response.
struct Accepted {
    path: String,
    key: String,
    body: Value,
    reply: Value,
}

struct Run {
    app: TestApp,
    ada: Actor,
    account: Account,
    granted: i64,
    asked: usize,
    accepted: Vec<Accepted>,
    pages: Vec<String>,
    characters: Vec<String>,
    books: Vec<String>,
    held: Vec<Assignment>,
    /// Operations in their final state.
    ended: HashMap<String, Value>,
}

#[test]
fn no_order_of_events_loses_or_creates_a_credit() {
    let strategy = (0..6_i64, vec(step(), 1..40));
    check(16, &strategy, async |(credits, steps)| {
        let mut run = Run::begin(credits).await;
        for step in &steps {
            run.take(step).await;
            run.check().await;
        }
        run.finish().await;
    });
}

impl Run {
    async fn begin(credits: i64) -> Self {
        let app = TestApp::builder()
            .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
            .config(|config| {
                config.drawing_attempts = 3;
                // A drawing whose provider is unavailable is attempted about once a minute until then.
                config.outage_patience_hours = 1;
            })
            .start()
            .await;
        let ada = app.account(credits).await;
        let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
        Self {
            account,
            ada,
            app,
            granted: credits,
            asked: 0,
            accepted: Vec::new(),
            pages: Vec::new(),
            characters: Vec::new(),
            books: Vec::new(),
            held: Vec::new(),
            ended: HashMap::new(),
        }
    }

    async fn take(&mut self, step: &Step) {
        let server = &self.app.server;
        match step {
            Step::CreatePage(_) | Step::CreateCharacter(_) | Step::CreateBook(_) | Step::AddPage(..) => {
                self.generate(step).await;
            }
            Step::RegeneratePage(..) | Step::RegenerateCharacter(..) => self.generate(step).await,
            Step::Replay(number) => self.replay(*number).await,
            Step::Conflict(number) => self.conflict(*number).await,
            Step::DeletePage(page) => self.remove("pages", pick(&self.pages, *page)).await,
            Step::DeleteBook(book) => self.remove("books", pick(&self.books, *book)).await,
            Step::Archive(character) => self.remove("characters", pick(&self.characters, *character)).await,
            Step::Restore(character) => {
                if let Some(id) = pick(&self.characters, *character) {
                    self.ada
                        .post(&format!("/characters/{id}/restore"), &json!({}))
                        .await
                        .expect(200);
                }
            }
            Step::Work => drop(testing::work_once(server).await.unwrap()),
            Step::Claim => self.held.extend(testing::claim(server).await.unwrap()),
            Step::Attempt(worker) => {
                if let Some(claimed) = pick(&self.held, *worker) {
                    testing::attempt(server, claimed).await;
                }
            }
            Step::Release(worker) => {
                if let Some(claimed) = pick(&self.held, *worker) {
                    testing::release(server, claimed).await.unwrap();
                }
            }
            Step::Renew(worker) => {
                if let Some(claimed) = pick(&self.held, *worker) {
                    testing::renew(server, claimed).await.unwrap();
                }
            }
            Step::Silence => self.app.expire_leases(),
            Step::Wait(seconds) => server.clock.advance(Duration::from_secs(*seconds)),
            Step::Grant(credits) => {
                testing::grant(server, &self.account, *credits).await.unwrap();
                self.granted += credits;
            }
        }
    }

    /// Sends a generation: it is accepted and charged, or refused and free.
    async fn generate(&mut self, step: &Step) {
        let (path, body, price) = match step {
            Step::CreatePage(prompt) => ("/pages".into(), json!({"page": page(prompt)}), 1),
            Step::CreateCharacter(prompt) => {
                let character = json!({"name": "Pip", "description": prompt});
                ("/characters".into(), json!({"character": character}), 1)
            }
            Step::CreateBook(prompts) => {
                let pages: Vec<_> = prompts
                    .iter()
                    .map(|prompt| json!({"title": "A page", "prompt": prompt}))
                    .collect();
                let body = json!({"book": {"title": "B", "aspect": "square", "cover": {"prompt": prompts[0]}, "pages": pages}});
                ("/books".into(), body, prompts.len())
            }
            Step::AddPage(book, prompt) => {
                let Some(id) = pick(&self.books, *book) else { return };
                (format!("/books/{id}/pages"), json!({"page": page(prompt)}), 1)
            }
            Step::RegeneratePage(page, prompt) => {
                let Some(id) = pick(&self.pages, *page) else { return };
                (
                    format!("/pages/{id}/regenerate"),
                    json!({"page": {"prompt": prompt}}),
                    1,
                )
            }
            Step::RegenerateCharacter(character, prompt) => {
                let Some(id) = pick(&self.characters, *character) else {
                    return;
                };
                let body = json!({"character": {"description": prompt}});
                (format!("/characters/{id}/regenerate"), body, 1)
            }
            other => panic!("{other:?} generates nothing"),
        };
        let price = i64::try_from(price).unwrap();
        let key = format!("k{}", self.asked);
        self.asked += 1;
        let before = self.ada.credits().await;
        let reply = self.ada.generate(&path, &key, &body).await;
        let after: i64 = reply.header("x-service-credits-available").parse().unwrap();
        let consumed: i64 = reply.header("x-service-credits-consumed").parse().unwrap();
        assert_eq!(before - after, consumed);
        match reply.status.as_u16() {
            202 => {
                assert_eq!(consumed, price);
                self.remember(&reply.json());
                let reply = reply.json();
                self.accepted.push(Accepted { path, key, body, reply });
            }
            402 => assert!(before < price, "there were enough credits"),
            404 | 409 => {}
            _ => panic!("{path}: {reply:?}"),
        }
        assert!(reply.status == 202 || consumed == 0);
    }

    /// Records the ids of the created resources.
    fn remember(&mut self, reply: &Value) {
        for (kind, known) in [
            ("page", &mut self.pages),
            ("character", &mut self.characters),
            ("book", &mut self.books),
        ] {
            let list = reply["book"]["pages"].as_array().filter(|_| kind == "page");
            let made = list.into_iter().flatten().chain([&reply[kind]]);
            for id in made.filter_map(|resource| resource["id"].as_str()) {
                if !known.iter().any(|other| other == id) {
                    known.push(id.into());
                }
            }
        }
    }

    async fn replay(&self, number: usize) {
        let Some(Accepted { path, key, body, reply }) = pick(&self.accepted, number) else {
            return;
        };
        let again = self.ada.generate(path, key, body).await;
        assert_eq!(again.expect(202), *reply);
        assert_eq!(again.header("idempotency-replayed"), "true");
        assert_eq!(again.header("x-service-credits-consumed"), "0");
    }

    async fn conflict(&self, number: usize) {
        let Some(Accepted { key, .. }) = pick(&self.accepted, number) else {
            return;
        };
        let other = json!({"page": {"title": "Asked for by nobody else"}});
        let reply = self.ada.generate("/pages", key, &other).await;
        reply.expect_error(409, "idempotency_conflict");
        assert_eq!(reply.header("x-service-credits-consumed"), "0");
    }

    async fn remove(&self, list: &str, id: Option<&String>) {
        let Some(id) = id else { return };
        let reply = self.ada.delete(&format!("/{list}/{id}")).await;
        assert!(reply.status == 204 || reply.status == 404, "{reply:?}");
    }

    /// Checks the properties that hold at any time.
    async fn check(&mut self) {
        self.app.check_ledger().await;
        let reply = self.ada.get("/operations?limit=100").await.expect(200);
        let (mut charged, mut refunded) = (0, 0);
        for operation in reply["operations"].as_array().unwrap() {
            let number = |path: &str| operation.pointer(path).and_then(Value::as_i64).unwrap();
            let items = operation["items"].as_array().unwrap();
            let count = |wanted: &dyn Fn(&&Value) -> bool| i64::try_from(items.iter().filter(wanted).count()).unwrap();
            let paid = |item: &Value| item["type"] != "cover";
            let failed = |item: &Value| item["status"] == "failed";
            assert_eq!(number("/progress/failed"), count(&|item| failed(item)));
            assert_eq!(
                number("/progress/completed"),
                count(&|item| item["status"] == "succeeded")
            );
            assert_eq!(number("/progress/total"), count(&|_| true));
            assert_eq!(number("/credits/charged"), count(&|item| paid(item)));
            let all_ended = number("/progress/completed") + number("/progress/failed") == number("/progress/total");
            let due = if all_ended {
                count(&|item| paid(item) && failed(item))
            } else {
                0
            };
            assert_eq!(number("/credits/refunded"), due, "{operation}");
            let status = operation["status"].as_str().unwrap();
            let terminal = ["succeeded", "partially_succeeded", "failed"].contains(&status);
            assert_eq!(
                (terminal, !operation["finished_at"].is_null()),
                (all_ended, all_ended),
                "{operation}"
            );
            if terminal {
                let id = operation["id"].as_str().unwrap().to_owned();
                assert_eq!(self.ended.entry(id).or_insert_with(|| operation.clone()), operation);
            }
            charged += number("/credits/charged");
            refunded += number("/credits/refunded");
        }
        let credits = &self.ada.get("/me").await.expect(200)["account"]["credits"];
        let available = self.granted - charged + refunded;
        assert_eq!(
            *credits,
            json!({"available": available, "spent": charged, "refunded": refunded})
        );
        assert!(available >= 0);
    }

    /// Workers that hold a drawing never return; the other workers draw until nothing is left.
    async fn finish(mut self) {
        self.app.draw_everything().await;
        self.check().await;
        assert_eq!(self.ended.len(), self.accepted.len());
        for list in ["pages", "characters", "books"] {
            let reply = self.ada.get(&format!("/{list}?limit=100")).await.expect(200);
            for resource in reply[list].as_array().unwrap() {
                assert_ne!(resource["status"], "generating", "{resource}");
                assert_eq!(resource["active_operation_id"], json!(null), "{resource}");
            }
        }
        self.app.check_books().await;
    }
}

fn page(prompt: &str) -> Value {
    json!({"title": "A page", "prompt": prompt, "aspect": "square"})
}
