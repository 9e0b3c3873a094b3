//! Errors that are informative but reveal nothing from a provider, a database, a disk or a web server.
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures::future::BoxFuture;
use linepress_egress::{FetchSettings, Fetcher, Resolver};
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::operations::{EveryOperation, PLANTED, check_nothing_leaks, secret_text};
use crate::test_app::{Builder, Log, Page, Reply, TestApp, Web};

async fn start() -> TestApp {
    builder().start().await
}

fn builder() -> Builder {
    TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "asked", "seeds": "all", "words": secret_text()}),
        )
        .config(|config| {
            config.planner = "linepress.storyboard".into();
            config.drawing_attempts = 2;
            // Each operation is called with a separate book, whose pages are refused.
            config.limits.free_covers_per_day = 1_000;
        })
}

fn failures(replies: &[(String, Reply)]) -> Vec<&str> {
    let failed = replies
        .iter()
        .filter(|(_, reply)| matches!(reply.status.as_u16(), 500 | 503));
    failed.map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn every_operation_of_a_working_server_succeeds_and_reveals_nothing() {
    let app = start().await;
    let mut every = EveryOperation::prepare(&app, "a fox").await;
    for (name, reply) in every.call_all(async || {}).await {
        if ["add_book_page", "regenerate_page", "restyle_book"].contains(&name.as_str()) {
            // The cover of the same book is already being drawn, and the picture of the same page refined.
            reply.expect_error(409, "generation_active");
            continue;
        }
        if name == "get_book_package" {
            // No printer takes a book that is as short as this one.
            reply.expect_error(422, "format_mismatch");
            continue;
        }
        assert!(reply.status.is_success(), "{name}: {reply:?}");
    }
}

#[tokio::test]
async fn a_providers_error_text_stays_in_the_log() {
    for prompt in ["refused", "invalid", "unavailable", "other", "trap"] {
        let log = Log::default();
        let captured = log.capture();
        let app = start().await;
        let mut every = EveryOperation::prepare(&app, prompt).await;
        let replies = every.call_all(async || {}).await;
        assert_eq!(failures(&replies), [] as [&str; 0], "{prompt}");
        let shown = |name: &str| replies.iter().find(|(other, _)| other == name).unwrap().1.json();
        assert_eq!(shown("get_operation")["operation"]["status"], "failed", "{prompt}");
        assert_eq!(shown("get_page")["page"]["status"], "failed", "{prompt}");
        drop(captured);
        assert!(log.holds(PLANTED), "{prompt}");
    }
}

#[tokio::test]
async fn a_providers_settings_reach_no_client() {
    let app = TestApp::builder()
        .config(|config| {
            config.image_providers = vec!["testbed.slow".into()];
            // The provider panics with the unknown setting in its message.
            config
                .plugins
                .insert("testbed.slow".into(), json!({PLANTED: secret_text()}));
            config.drawing_attempts = 2;
        })
        .start()
        .await;
    let replies = EveryOperation::prepare(&app, "a fox").await.call_all(async || {}).await;
    assert_eq!(failures(&replies), [] as [&str; 0]);
}

#[tokio::test]
async fn a_failing_planner_is_unavailable_to_clients_and_its_reason_is_logged() {
    for (fail, retry_after, logged) in [
        ("refused", "30", PLANTED),
        ("invalid", "30", PLANTED),
        ("unavailable", "30", PLANTED),
        ("other", "30", PLANTED),
        ("trap", "30", PLANTED),
        ("sorry", "30", PLANTED),
        ("rate-limited", "7", "rate limited"),
        ("slow", "30", "deadline"),
    ] {
        let log = Log::default();
        let captured = log.capture();
        let app = TestApp::builder()
            .config(|config| {
                config.planner = "testbed.moody".into();
                let settings = json!({"fail": fail, "words": secret_text()});
                config.plugins.insert("testbed.moody".into(), settings);
            })
            .start()
            .await;
        let wish = json!({"book_plan": {"theme": "Woods", "page_count": 3}});
        let reply = app.account(1).await.post("/book_plans", &wish).await;
        drop(captured);
        if ["refused", "invalid"].contains(&fail) {
            // Another theme may still be planned: the failure is not an outage.
            reply.expect_fields(&["book_plan.theme"]);
        } else {
            reply.expect_error(503, "planning_unavailable");
            assert_eq!(reply.header("retry-after"), retry_after, "{fail}");
        }
        check_nothing_leaks(&app.server, fail, &reply);
        let explained = |line: &String| line.contains("testbed.moody") && line.contains(logged);
        assert!(log.lines().iter().any(explained), "{fail}: {:?}", log.lines());
    }
}

#[tokio::test]
async fn a_missing_table_is_an_internal_error_without_details() {
    let app = start().await;
    let mut every = EveryOperation::prepare(&app, "a fox").await;
    for table in [
        "accounts",
        "api_keys",
        "ledger_entries",
        "idempotency_keys",
        "artworks",
        "characters",
        "pages",
        "page_characters",
        "books",
        "book_characters",
        "book_pages",
        "operations",
        "drawings",
        "discarded_objects",
        "uploads",
        "throttles",
    ] {
        let rename = async |from: &str, to: &str| {
            let mut tx = app.server.database.begin().await.unwrap();
            let statement = format!("ALTER TABLE {from} RENAME TO {to}");
            sqlx::query(AssertSqlSafe(statement)).execute(&mut *tx).await.unwrap();
            tx.commit().await.unwrap();
        };
        let log = Log::default();
        let hidden = format!("{PLANTED}_{table}");
        let mut captured = None;
        let broken = async || {
            rename(table, &hidden).await;
            captured = Some(log.capture());
        };
        let replies = every.call_all(broken).await;
        drop(captured);
        assert_ne!(failures(&replies), [] as [&str; 0], "{table}");
        assert!(log.holds(table), "{table}: {:?}", log.lines());
        rename(&hidden, table).await;
    }
}

#[tokio::test]
async fn a_missing_database_is_an_internal_error_without_details() {
    let app = start().await;
    let mut every = EveryOperation::prepare(&app, "a fox").await;
    let replies = every.call_all(async || app.server.database.close().await).await;
    assert_eq!(failures(&replies).len(), replies.len());
}

#[tokio::test]
async fn lost_and_unreadable_objects_fail_without_details() {
    let app = builder().objects_in_a_folder().start().await;
    let objects = app.object_folder();
    let mut every = EveryOperation::prepare(&app, "a fox").await;
    let log = Log::default();
    let captured = log.capture();
    let unreadable = every.call_all(async || spoil(&objects, true)).await;
    let readers = [
        "check_book_print",
        "get_book_cover_image",
        "get_book_pdf",
        "get_character_image",
        "get_page_image",
    ];
    for name in readers {
        assert!(failures(&unreadable).contains(&name), "{name}");
    }
    let lost = every.call_all(async || spoil(&objects, false)).await;
    for name in ["get_book_cover_image", "get_character_image", "get_page_image"] {
        assert!(failures(&lost).contains(&name), "{name}");
    }
    // Writing fails as well, because a file has the name of the folder of imports.
    let blocked = async || {
        let folder = objects.join("imports");
        if folder.is_dir() {
            std::fs::remove_dir_all(&folder).unwrap();
        }
        std::fs::write(folder, secret_text()).unwrap();
    };
    let full = every.call_all(blocked).await;
    for name in ["import_page", "replace_page_image"] {
        assert!(failures(&full).contains(&name), "{name}");
    }
    drop(captured);
    assert!(log.holds(objects.to_str().unwrap()), "the log names the path");
}

/// Deletes every object, and replaces it with a folder if `occupied` is set.
fn spoil(folder: &std::path::Path, occupied: bool) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            spoil(&path, occupied);
        } else {
            std::fs::remove_file(&path).unwrap();
            if occupied {
                std::fs::create_dir(&path).unwrap();
            }
        }
    }
}

/// A resolver that reveals too much, in an error or in a panic.
struct TalkativeResolver {
    panics: bool,
}

impl Resolver for TalkativeResolver {
    fn resolve(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
        assert!(!self.panics, "{name}: {}", secret_text());
        Box::pin(std::future::ready(Err(io::Error::other(secret_text()))))
    }
}

async fn import(app: &TestApp, url: &str) -> Reply {
    let ada = app.account(1).await;
    let reply = ada
        .post("/pages/import", &json!({"title": "A cat", "image_url": url}))
        .await;
    check_nothing_leaks(&app.server, url, &reply);
    reply
}

#[tokio::test]
async fn a_resolvers_error_text_stays_in_the_log() {
    for (panics, status, code) in [(false, 422, "validation_failed"), (true, 500, "internal_error")] {
        let log = Log::default();
        let web = Web::open().await;
        let resolver = Arc::new(TalkativeResolver { panics });
        let settings = FetchSettings {
            resolver,
            ..web.settings()
        };
        let app = TestApp::builder().fetcher(Fetcher::new(settings)).start().await;
        let captured = log.capture();
        let reply = import(&app, "https://pictures.test/cat.png").await;
        drop(captured);
        reply.expect_error(status, code);
        assert!(log.holds(PLANTED), "{:?}", log.lines());
    }
}

#[tokio::test]
async fn a_web_servers_text_is_not_repeated() {
    let web = Web::open().await;
    let length = secret_text().len();
    let response = |status: &str, more: &str| {
        Page::Whole(
            format!(
                "HTTP/1.1 {status}\r\n{more}Content-Length: {length}\r\n\r\n{}",
                secret_text()
            )
            .into_bytes(),
        )
    };
    let location = format!("Location: http://127.0.0.1/{PLANTED}\r\n");
    let pages = [
        ("/error", response(&format!("500 {PLANTED}"), "")),
        (
            "/secret",
            response("401 No", &format!("WWW-Authenticate: Basic realm={PLANTED}\r\n")),
        ),
        ("/inside", response("302 Found", &location)),
        ("/text", response("200 OK", "Content-Type: image/png\r\n")),
        ("/none", Page::Whole(secret_text().into_bytes())),
    ];
    for (path, page) in pages {
        web.page(path, page);
        let app = TestApp::builder().fetcher(web.fetcher()).start().await;
        let reply = import(&app, &format!("https://pictures.test{path}?{PLANTED}")).await;
        assert_eq!(reply.status, 422, "{path}");
    }
}
