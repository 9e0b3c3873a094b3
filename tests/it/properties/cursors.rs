//! Reading lists that change meanwhile, and forged cursors.
use std::collections::BTreeSet;
use std::time::Duration;

use linepress_accounts::accounts::Plan;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::{check, pick};
use crate::test_app::{Actor, TestApp};

const LISTS: [&str; 4] = ["pages", "books", "characters", "operations"];

/// A change between two requests.
#[derive(Clone, Debug)]
enum Change {
    Insert {
        milliseconds: u64,
    },
    /// Deletes one of the existing resources.
    Delete {
        number: usize,
    },
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..3_u64).prop_map(|milliseconds| Change::Insert { milliseconds }),
        any::<usize>().prop_map(|number| Change::Delete { number }),
    ]
}

/// A list of an account, with its content.
struct Listed<'a> {
    app: &'a TestApp,
    actor: Actor,
    list: &'static str,
    made: usize,
    /// The resources that can be deleted; for operations, the resources that they drew.
    resources: Vec<String>,
    deleted: BTreeSet<String>,
}

impl Listed<'_> {
    async fn apply(&mut self, change: &Change) {
        match change {
            Change::Insert { milliseconds } => {
                self.app.server.clock.advance(Duration::from_millis(*milliseconds));
                self.insert().await;
            }
            Change::Delete { number } => {
                let Some(id) = pick(&self.resources, *number).cloned() else {
                    return;
                };
                self.resources.retain(|other| *other != id);
                let path = format!("/{}/{id}", self.collection());
                let reply = self.actor.delete(&path).await;
                assert_eq!(reply.status, 204);
                // Operations are never deleted.
                if self.list != "operations" {
                    self.deleted.insert(id);
                }
            }
        }
    }

    async fn insert(&mut self) {
        self.made += 1;
        let body = match self.list {
            "books" => json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}}),
            "characters" => json!({"character": {"name": "Pip"}}),
            _ => json!({"page": {"title": "A fox"}}),
        };
        let path = format!("/{}", self.collection());
        let accepted = self.actor.generate(&path, &format!("k{}", self.made), &body).await;
        let resource = accepted.expect(202)["operation"]["resource"]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        self.resources.push(resource);
    }

    fn collection(&self) -> &str {
        if self.list == "operations" { "pages" } else { self.list }
    }

    /// Returns one part of the list, and the cursor for the next.
    async fn read_part(&self, limit: usize, after: Option<&str>) -> (Vec<Value>, Option<String>) {
        let after = after.map(|cursor| format!("&after={cursor}")).unwrap_or_default();
        let reply = self
            .actor
            .get(&format!("/{}?limit={limit}{after}", self.list))
            .await
            .expect(200);
        let items = reply[self.list].as_array().unwrap().clone();
        assert!(items.len() <= limit);
        (items, reply["meta"]["next_cursor"].as_str().map(str::to_owned))
    }
}

fn id(item: &Value) -> String {
    item["id"].as_str().unwrap().to_owned()
}

/// Starts a server that accepts everything and draws nothing; returns it with a counter for account numbers.
async fn start() -> (TestApp, std::sync::atomic::AtomicU32) {
    let app = TestApp::builder()
        .config(|config| config.limits.generations = 1_000_000)
        .start()
        .await;
    (app, 0.into())
}

#[test]
fn a_changing_list_returns_everything_that_stays_once_and_newest_first() {
    let strategy = (
        0..LISTS.len(),
        vec(0..3_u64, 0..14),
        1..6_usize,
        vec(vec(change(), 0..4), 8),
    );
    let shared = OnceCell::new();
    check(48, &strategy, async |(list, gaps, limit, meanwhile)| {
        let (app, next) = shared.get_or_init(start).await;
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut listed = Listed {
            app,
            actor: app
                .account_named(&format!("{number}@example.com"), Plan::Business, 1000)
                .await,
            list: LISTS[list],
            made: 0,
            resources: Vec::new(),
            deleted: BTreeSet::new(),
        };
        for milliseconds in gaps {
            listed.apply(&Change::Insert { milliseconds }).await;
        }
        let (before, rest) = listed.read_part(100, None).await;
        assert_eq!((before.len(), rest), (listed.made, None));

        let mut seen = Vec::new();
        let mut after = None;
        let mut meanwhile = meanwhile.iter();
        loop {
            let (items, next) = listed.read_part(limit, after.as_deref()).await;
            assert!(
                items.len() == limit || next.is_none(),
                "only the last part may be shorter than the limit"
            );
            seen.extend(items);
            after = next;
            if after.is_none() {
                break;
            }
            for change in meanwhile.next().into_iter().flatten() {
                listed.apply(change).await;
            }
        }
        let created: Vec<_> = seen.iter().map(|item| item["created_at"].as_str().unwrap()).collect();
        assert!(created.is_sorted_by(|newer, older| newer >= older), "{created:?}");
        let distinct: BTreeSet<_> = seen.iter().map(id).collect();
        assert_eq!(distinct.len(), seen.len(), "an item was returned twice");
        let stayed: BTreeSet<_> = before
            .iter()
            .map(id)
            .filter(|id| !listed.deleted.contains(id))
            .collect();
        let stayed_in_order =
            |items: &[Value]| -> Vec<String> { items.iter().map(id).filter(|id| stayed.contains(id)).collect() };
        assert_eq!(stayed_in_order(&seen), stayed_in_order(&before));
    });
}

/// A change that makes a cursor invalid.
#[derive(Clone, Debug)]
enum Forgery {
    Changed { index: usize, letter: char },
    Truncated { length: usize },
    Extended { by: String },
    MadeUp { text: String },
    OtherList { number: usize },
    OtherAccount,
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let letter = || {
        prop::sample::select(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                .chars()
                .collect::<Vec<_>>(),
        )
    };
    let text = |length: std::ops::Range<usize>| vec(letter(), length).prop_map(String::from_iter);
    prop_oneof![
        4 => (any::<usize>(), letter()).prop_map(|(index, letter)| Forgery::Changed { index, letter }),
        2 => any::<usize>().prop_map(|length| Forgery::Truncated { length }),
        1 => text(1..8).prop_map(|by| Forgery::Extended { by }),
        1 => text(0..100).prop_map(|text| Forgery::MadeUp { text }),
        1 => (1..LISTS.len()).prop_map(|number| Forgery::OtherList { number }),
        1 => Just(Forgery::OtherAccount),
    ]
}

impl Forgery {
    /// Returns the forged cursor, or `None` if it equals the valid one.
    fn apply(&self, cursors: &Cursors, list: usize) -> Option<String> {
        let right = &cursors.ours[list];
        let forged = match self {
            Self::Changed { index, letter } => {
                let mut letters: Vec<char> = right.chars().collect();
                let index = index % letters.len();
                letters[index] = *letter;
                letters.into_iter().collect()
            }
            Self::Truncated { length } => right[..length % right.len()].to_owned(),
            Self::Extended { by } => format!("{right}{by}"),
            Self::MadeUp { text } => text.clone(),
            Self::OtherList { number } => cursors.ours[(list + number) % LISTS.len()].clone(),
            Self::OtherAccount => cursors.theirs[list].clone(),
        };
        (forged != *right).then_some(forged)
    }
}

/// A valid cursor of each list, for two accounts.
struct Cursors {
    ada: Actor,
    ours: Vec<String>,
    theirs: Vec<String>,
    _app: TestApp,
}

async fn cursors() -> Cursors {
    let (app, _) = start().await;
    let mut cursors = Vec::new();
    let mut actors = Vec::new();
    for email in ["ada@example.com", "ben@example.com"] {
        let actor = app.account_named(email, Plan::Business, 100).await;
        let mut of_account = Vec::new();
        for (number, list) in LISTS.into_iter().enumerate() {
            let mut listed = Listed {
                app: &app,
                actor: actor.clone(),
                list,
                made: 2 * number,
                resources: Vec::new(),
                deleted: BTreeSet::new(),
            };
            listed.insert().await;
            listed.insert().await;
            of_account.push(listed.read_part(1, None).await.1.unwrap());
        }
        cursors.push(of_account);
        actors.push(actor);
    }
    let theirs = cursors.pop().unwrap();
    Cursors {
        ada: actors.swap_remove(0),
        ours: cursors.pop().unwrap(),
        theirs,
        _app: app,
    }
}

#[test]
fn a_cursor_that_this_list_did_not_issue_is_refused() {
    let shared = OnceCell::new();
    check(256, &(0..LISTS.len(), forgery()), async |(list, forgery)| {
        let cursors = shared.get_or_init(cursors).await;
        let name = LISTS[list];
        let right = &cursors.ours[list];
        cursors.ada.get(&format!("/{name}?after={right}")).await.expect(200);
        if let Some(forged) = forgery.apply(cursors, list) {
            let reply = cursors.ada.get(&format!("/{name}?after={forged}")).await;
            reply.expect_error(400, "invalid_pagination");
        }
    });
}
