//! Books that share pages, compared with a model of them: lists of pages.
use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::check;
use crate::test_app::{Actor, TestApp};

const PAGES: usize = 6;
const BOOKS: usize = 3;

/// An action of a client; numbers refer to books and pages.
#[derive(Clone, Debug)]
enum Step {
    Attach {
        book: usize,
        page: usize,
        position: Option<u32>,
    },
    Detach {
        book: usize,
        page: usize,
    },
    /// Sorts the pages by their keys, and may then invalidate the list.
    Reorder {
        book: usize,
        keys: [u8; PAGES],
        spoil: Option<Spoil>,
    },
    DeletePage {
        page: usize,
    },
    DeleteBook {
        book: usize,
    },
}

#[derive(Clone, Copy, Debug)]
enum Spoil {
    Twice,
    Missing,
    Foreign,
}

fn step() -> impl Strategy<Value = Step> {
    let (book, page) = (0..BOOKS, 0..PAGES);
    let position = prop_oneof![Just(None), (0..=PAGES as u32 + 2).prop_map(Some)];
    let spoil = prop_oneof![
        4 => Just(None),
        1 => prop_oneof![Just(Spoil::Twice), Just(Spoil::Missing), Just(Spoil::Foreign)].prop_map(Some),
    ];
    prop_oneof![
        8 => (book.clone(), page.clone(), position)
            .prop_map(|(book, page, position)| Step::Attach { book, page, position }),
        4 => (book.clone(), page.clone()).prop_map(|(book, page)| Step::Detach { book, page }),
        4 => (book.clone(), any::<[u8; PAGES]>(), spoil)
            .prop_map(|(book, keys, spoil)| Step::Reorder { book, keys, spoil }),
        1 => page.prop_map(|page| Step::DeletePage { page }),
        1 => book.prop_map(|book| Step::DeleteBook { book }),
    ]
}

/// The expected state: a book is the list of its pages' numbers; a deleted book is `None`.
struct Model {
    books: Vec<Option<Vec<usize>>>,
    pages: Vec<bool>,
}

/// The actual state on the server, by id.
struct Actual<'a> {
    ada: &'a Actor,
    books: Vec<String>,
    pages: Vec<String>,
}

#[test]
fn books_that_share_pages_hold_them_in_the_order_they_were_given() {
    let strategy = (vec(1..=PAGES, BOOKS), vec(step(), 1..24));
    let app: tokio::sync::OnceCell<(TestApp, Actor)> = tokio::sync::OnceCell::new();
    check(24, &strategy, async |(sizes, steps)| {
        let open = async || {
            let app = TestApp::builder()
                // The books of all cases contain no paid page.
                .config(|config| config.limits.free_covers_per_day = 1_000_000)
                .start()
                .await;
            let ada = app.account(1_000_000).await;
            (app, ada)
        };
        let (app, ada) = app.get_or_init(open).await;
        let (actual, mut model) = fill(app, ada, &sizes).await;
        actual.compare(&model).await;
        for step in steps {
            take(&actual, &mut model, &step).await;
            actual.compare(&model).await;
        }
    });
}

/// Deletes the remains of the previous case, draws missing pages, and creates the books.
async fn fill<'a>(app: &TestApp, ada: &'a Actor, sizes: &[usize]) -> (Actual<'a>, Model) {
    for id in ids(&ada.get("/books?limit=100").await.expect(200)["books"]) {
        let reply = ada.delete(&format!("/books/{id}")).await;
        assert_eq!(reply.status, 204);
    }
    let key = || format!("k{}", app.server.random.seed());
    let mut pages = ids(&ada.get("/pages?limit=100").await.expect(200)["pages"]);
    while pages.len() < PAGES {
        let body = json!({"page": {"title": "A fox", "aspect": "square"}});
        let made = ada.generate("/pages", &key(), &body).await;
        pages.push(made.expect(202)["page"]["id"].as_str().unwrap().to_owned());
    }
    app.draw_everything().await;
    let mut books = Vec::new();
    for size in sizes {
        let entries: Vec<_> = pages[..*size].iter().map(|id| json!({"page_id": id})).collect();
        let body = json!({"book": {"title": "B", "aspect": "square", "pages": entries}});
        let made = ada.generate("/books", &key(), &body).await;
        books.push(made.expect(202)["book"]["id"].as_str().unwrap().to_owned());
    }
    let model = Model {
        books: sizes.iter().map(|size| Some((0..*size).collect())).collect(),
        pages: vec![true; PAGES],
    };
    (Actual { ada, books, pages }, model)
}

fn ids(list: &Value) -> Vec<String> {
    let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(id).collect()
}

/// Applies a step to the server and to the model; a step that the server refuses changes nothing.
async fn take(actual: &Actual<'_>, model: &mut Model, step: &Step) {
    let Actual { ada, books, pages } = actual;
    let (reply, expected) = match step {
        Step::Attach { book, page, position } => {
            let body = json!({"page_id": pages[*page], "position": position});
            let path = format!("/books/{}/pages", books[*book]);
            (ada.post(&path, &body).await, model.attach(*book, *page, *position))
        }
        Step::Detach { book, page } => {
            let path = format!("/books/{}/pages/{}", books[*book], pages[*page]);
            let reply = ada.delete(&path).await;
            (reply, model.detach(*book, *page))
        }
        Step::Reorder { book, keys, spoil } => {
            let (order, expected) = model.reorder(*book, keys, *spoil);
            let order: Vec<_> = order.iter().map(|page| &pages[*page]).collect();
            let path = format!("/books/{}/pages/order", books[*book]);
            let body = json!({"page_ids": order});
            (ada.patch(&path, &body).await, expected)
        }
        Step::DeletePage { page } => {
            let path = format!("/pages/{}", pages[*page]);
            let reply = ada.delete(&path).await;
            (reply, model.delete_page(*page))
        }
        Step::DeleteBook { book } => {
            let path = format!("/books/{}", books[*book]);
            let reply = ada.delete(&path).await;
            (reply, if model.books[*book].take().is_some() { 204 } else { 404 })
        }
    };
    assert_eq!(reply.status, expected, "{step:?}: {:?}", reply.body);
    if reply.status == 200 {
        // A change returns the new state of the book.
        let id = reply.json()["book"]["id"].as_str().unwrap().to_owned();
        assert_eq!(reply.json(), ada.get(&format!("/books/{id}")).await.expect(200));
    }
}

/// Each method returns the status that a client must get.
impl Model {
    fn attach(&mut self, book: usize, page: usize, position: Option<u32>) -> u16 {
        let Some(list) = &mut self.books[book] else { return 404 };
        let position = position.map_or(list.len() + 1, |position| position as usize);
        if !self.pages[page] || list.contains(&page) || !(1..=list.len() + 1).contains(&position) {
            return 422;
        }
        list.insert(position - 1, page);
        200
    }

    fn detach(&mut self, book: usize, page: usize) -> u16 {
        let Some(list) = &mut self.books[book] else { return 404 };
        let Some(index) = list.iter().position(|other| *other == page) else {
            return 404;
        };
        list.remove(index);
        204
    }

    fn reorder(&mut self, book: usize, keys: &[u8; PAGES], spoil: Option<Spoil>) -> (Vec<usize>, u16) {
        let mut order = self.books[book].clone().unwrap_or_default();
        order.sort_by_key(|page| keys[*page]);
        let right = order.clone();
        match spoil {
            Some(Spoil::Twice) => order.extend(order.first().copied()),
            Some(Spoil::Missing) => drop(order.pop()),
            Some(Spoil::Foreign) => order.extend((0..PAGES).find(|page| !right.contains(page))),
            None => {}
        }
        match &mut self.books[book] {
            None => (order, 404),
            Some(_) if order != right => (order, 422),
            Some(list) => {
                list.clone_from(&order);
                (order, 200)
            }
        }
    }

    fn delete_page(&mut self, page: usize) -> u16 {
        if !std::mem::take(&mut self.pages[page]) {
            return 404;
        }
        for list in self.books.iter_mut().flatten() {
            list.retain(|other| *other != page);
        }
        204
    }
}

impl Actual<'_> {
    /// Fails unless the server's state equals the model.
    async fn compare(&self, model: &Model) {
        for (id, list) in self.books.iter().zip(&model.books) {
            let reply = self.ada.get(&format!("/books/{id}")).await;
            let Some(list) = list else {
                reply.expect_error(404, "not_found");
                continue;
            };
            let book = &reply.expect(200)["book"];
            let order: Vec<_> = list.iter().map(|page| self.pages[*page].clone()).collect();
            assert_eq!(ids(&book["pages"]), order);
            assert_eq!(book["page_count"], list.len());
            for (position, page) in (1..).zip(book["pages"].as_array().unwrap()) {
                assert_eq!(page["position"], position);
            }
        }
        for (page, id) in self.pages.iter().enumerate() {
            let reply = self.ada.get(&format!("/pages/{id}")).await;
            if !model.pages[page] {
                reply.expect_error(404, "not_found");
                continue;
            }
            let held = reply.expect(200)["page"]["book_ids"].clone();
            let held: BTreeSet<_> = held
                .as_array()
                .unwrap()
                .iter()
                .map(|id| id.as_str().unwrap().to_owned())
                .collect();
            let holds = |list: &Option<Vec<usize>>| list.as_ref().is_some_and(|list| list.contains(&page));
            let books = self.books.iter().zip(&model.books);
            let expected: BTreeSet<_> = books
                .filter(|(_, list)| holds(list))
                .map(|(id, _)| id.clone())
                .collect();
            assert_eq!(held, expected);
        }
    }
}
