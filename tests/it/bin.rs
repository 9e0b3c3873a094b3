//! The bin: nothing in it is found or lost, it ends by age, by lack of room and with its account, and whatever happens at once
//! leaves whole books and pages.
use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use linepress_accounts::accounts;
use linepress_core::artwork::Status;
use linepress_core::operations::OperationStatus;
use linepress_platform::database::Table;
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::cancellation::{delete_while_it_is_drawn, with_a_slow_provider};
use crate::test_app::{Actor, Form, TestApp, operations, pictures};
use crate::testing;

const DAY: Duration = Duration::from_secs(24 * 3600);

async fn stored(ada: &Actor) -> i64 {
    let limits = ada.look("/me", "account").await["limits"].clone();
    limits["stored_bytes"]["used"].as_i64().unwrap()
}

async fn deleted(ada: &Actor) -> Vec<String> {
    let listed = ada.get("/bin").await.expect(200);
    let items = listed["deleted_items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn delete(ada: &Actor, kind: &str, id: &str) {
    ada.delete(&format!("/{kind}s/{id}")).await.expect_no_content();
}

async fn restore(ada: &Actor, id: &str) -> Value {
    ada.post_nothing(&format!("/bin/{id}/restore")).await.expect(200)
}

async fn tables(app: &TestApp) -> BTreeMap<String, Table> {
    let mut tx = app.server.database.begin_read().await.unwrap();
    let tables = tx.tables(app.server.database.dialect).await.unwrap();
    tables.into_iter().map(|table| (table.name.clone(), table)).collect()
}

/// The rows of a table as texts, without the columns that a restoration sets.
async fn rows(app: &TestApp, table: &Table) -> Vec<String> {
    const SET: [&str; 5] = [
        "status",
        "cover_status",
        "error_code",
        "active_operation_id",
        "updated_at",
    ];
    let kept = table
        .columns
        .iter()
        .filter(|column| !SET.contains(&column.name.as_str()));
    let texts: Vec<String> = kept
        .map(|column| format!("'{0}=' || COALESCE(CAST({0} AS TEXT), 'none')", column.name))
        .collect();
    let statement = format!("SELECT {} FROM {}", texts.join(" || ' ' || "), table.name);
    let mut rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(statement))
        .fetch_all(&app.server.database.read)
        .await
        .unwrap();
    rows.sort();
    rows
}

/// Fails when a column of a page or a book is forgotten by the bin, or a table with rows about them.
#[tokio::test]
async fn a_deletion_moves_every_row_and_a_restoration_brings_every_column_back() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let character = app.ready_character(&ada, "Pip").await;
    let body = json!({"book": {
        "title": "Woods", "subtitle": "At night", "author": "Ada", "description": "Trees", "character_ids": [character],
        "pages": [{"title": "A fox", "caption": "Ring", "character_ids": [character]}, {"title": "An owl"}],
    }});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    let tables = tables(&app).await;
    let columns = |table: &str| {
        let mut names: Vec<String> = tables[table].columns.iter().map(|column| column.name.clone()).collect();
        names.sort();
        names
    };
    const LIVE: [&str; 5] = ["pages", "page_characters", "books", "book_characters", "book_pages"];
    for (live, bin) in [("pages", "bin_pages"), ("books", "bin_books")] {
        let mut expected = columns(live);
        expected.push("bin_id".into());
        expected.sort();
        assert_eq!(columns(bin), expected, "{bin} needs the columns of {live}");
        // An unset column would not show whether it is brought back.
        for column in &tables[live].columns {
            if ["_id", "_code", "status"].iter().any(|end| column.name.ends_with(end)) {
                continue;
            }
            let value = if format!("{:?}", column.kind) == "Text" {
                "'set'"
            } else {
                "77"
            };
            let statement = format!("UPDATE {live} SET {0} = {value} WHERE {0} IS NULL", column.name);
            let mut tx = app.server.database.begin().await.unwrap();
            sqlx::query(AssertSqlSafe(statement)).execute(&mut *tx).await.unwrap();
            tx.commit().await.unwrap();
        }
    }
    let mut before = Vec::new();
    for table in LIVE {
        before.push(rows(&app, &tables[table]).await);
    }
    let pages = ada.page_ids(&book).await;
    delete(&ada, "book", &book).await;
    for page in &pages {
        delete(&ada, "page", page).await;
    }
    // A new table with rows about a book or page is listed here, too, or cascades. Only review links and their comments stay where
    // they are.
    for table in LIVE {
        assert_eq!(rows(&app, &tables[table]).await, Vec::<String>::new(), "{table}");
    }
    for id in [&pages[1], &book, &pages[0]] {
        restore(&ada, id).await;
    }
    for (table, before) in LIVE.iter().zip(before) {
        assert_eq!(rows(&app, &tables[*table]).await, before, "{table}");
    }
    for table in tables.values().filter(|table| table.name.starts_with("bin")) {
        assert_eq!(rows(&app, table).await, Vec::<String>::new(), "{}", table.name);
    }
    app.check_books().await;
}

#[tokio::test]
async fn what_is_in_the_bin_is_found_by_no_other_operation() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let mut resources = app.ready_resources(&ada).await;
    let agent = app.agent("ada@example.com").await;
    let mut browser = app.browser_of("ada@example.com").await;
    resources.page = resources.book_page.clone();
    resources.attempts.page = app.chosen_attempt(&resources.page).await;
    delete(&ada, "page", &resources.page).await;
    delete(&ada, "book", &resources.book).await;
    let document = app.openapi_document().await;
    let mut looked = 0;
    // What was ordered and charged keeps its record.
    let is_record = |path: &str| path == "/ledger" || path.starts_with("/operations");
    for (method, path, _) in operations(&document) {
        if method != "get" || path.starts_with("/admin") {
            continue;
        }
        let reply = ada.get(&resources.fill(path)).await;
        if path.starts_with("/pages/{id}") || path.starts_with("/books/{id}") {
            reply.expect_error(404, "not_found");
            looked += 1;
        } else if path != "/bin" && !is_record(path) && reply.status == 200 {
            let body = String::from_utf8_lossy(&reply.body).into_owned();
            for gone in [&resources.page, &resources.book] {
                assert!(!body.contains(gone.as_str()), "{path}: {body}");
            }
        }
    }
    assert!(looked > 8, "{looked}");
    for (tool, list) in [("list_pages", "pages"), ("list_books", "books")] {
        let answer = agent.call(tool, json!({})).await;
        let listed = answer.expect()[list].to_string();
        assert!(
            !listed.contains(&resources.page) && !listed.contains(&resources.book),
            "{listed}"
        );
    }
    for address in ["/library", "/library/pages"] {
        let html = browser.get(address).await.text;
        assert!(
            !html.contains(&resources.page) && !html.contains(&resources.book),
            "{address}"
        );
    }
    let limits = ada.look("/me", "account").await["limits"].clone();
    assert_eq!(
        (&limits["books"]["used"], &limits["pages"]["used"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
}

#[tokio::test]
async fn what_is_in_the_bin_is_stored_until_it_is_too_old() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (bytes, objects) = (stored(&ada).await, app.objects());
    delete(&ada, "page", &page).await;
    app.server.clock.advance(DAY);
    delete(&ada, "book", &book).await;
    assert_eq!(stored(&ada).await, bytes);
    app.server.clock.advance(DAY * 27);
    assert_eq!(testing::forget_deleted(&app.server).await.unwrap(), 0);
    // This takes two days.
    app.check_books().await;
    assert_eq!(
        (app.objects(), deleted(&ada).await),
        (objects, vec![book.clone(), page.clone()])
    );

    assert_eq!(testing::forget_deleted(&app.server).await.unwrap(), 1);
    assert_eq!(deleted(&ada).await, [book]);
    ada.post_nothing(&format!("/bin/{page}/restore"))
        .await
        .expect_error(404, "not_found");
    app.server.clock.advance(DAY);
    assert_eq!(testing::forget_deleted(&app.server).await.unwrap(), 1);
    assert_eq!((deleted(&ada).await, stored(&ada).await), (Vec::new(), 0));
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn the_bin_makes_room_for_new_files_before_earlier_pictures_do() {
    let app = TestApp::builder()
        .config(|config| config.limits.stored_mb = 1)
        .start()
        .await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let one = stored(&ada).await;
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), form)
        .await
        .expect(200);
    let mut gone = Vec::new();
    for title in ["An owl", "A bear"] {
        app.server.clock.advance(DAY);
        gone.push(app.imported_page(&ada, title).await);
        delete(&ada, "page", gone.last().unwrap()).await;
    }
    assert_eq!(stored(&ada).await, 4 * one);
    let upload = ada.new_upload().await;
    let send = |bytes: i64| {
        let mut file = pictures::png(16, 16);
        file.resize(usize::try_from(bytes).unwrap(), 7);
        let (anyone, url) = (app.anonymous(), upload.url.clone());
        async move { anyone.send_to(&url, file).await.expect_no_content_at_all() }
    };
    // The page that was deleted first goes first.
    send(1_000_000 - 3 * one).await;
    assert_eq!(deleted(&ada).await, gone[1..]);
    send(1_000_000 - 2 * one).await;
    assert_eq!(deleted(&ada).await, Vec::<String>::new());
    let attempts = ada.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_attempts().await;
}

#[tokio::test]
async fn beyond_the_maximum_the_oldest_is_deleted_for_good() {
    let app = TestApp::builder()
        .config(|config| config.bin.max_items = 2)
        .start()
        .await;
    let ada = app.account(3).await;
    let mut gone = Vec::new();
    for title in ["A fox", "An owl", "A bear"] {
        app.server.clock.advance(Duration::from_secs(1));
        gone.push(app.imported_page(&ada, title).await);
        delete(&ada, "page", gone.last().unwrap()).await;
    }
    let kept = [gone[2].clone(), gone[1].clone()];
    assert_eq!(deleted(&ada).await, kept);
    app.server.clock.advance(Duration::from_secs(1));
    // Canceled orders have no pictures, and their number is limited, too.
    let book = app
        .accepted(
            &ada,
            "/books",
            &json!({"book": {"title": "B", "pages": [{"title": "A"}]}}),
        )
        .await
        .book_id();
    delete(&ada, "book", &book).await;
    assert_eq!(deleted(&ada).await, [book, gone[2].clone()]);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
    assert_eq!(app.objects(), app.referred().await);
    assert_eq!(app.objects().len(), 2);
}

#[tokio::test]
async fn closing_an_account_empties_its_bin() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let kept = app.imported_page(&ada, "An owl").await;
    let book = app.ready_book(&ada, &["A bear"]).await;
    delete(&ada, "page", &page).await;
    delete(&ada, "book", &book).await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    testing::close(&app.server, &account).await.unwrap();
    let left: Vec<i64> = sqlx::query_scalar("SELECT COUNT(*) FROM bin UNION ALL SELECT COUNT(*) FROM bin_places")
        .fetch_all(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(left, [0, 0]);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
    let of_kept = app.objects_of_page(&kept).await;
    assert!(app.objects().is_superset(&of_kept));
}

#[tokio::test]
async fn a_page_that_is_restored_while_it_is_drawn_gets_its_picture() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let accepted = app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    delete(&ada, "page", &page).await;
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (&restored["status"], &restored["active_operation_id"]),
        (&json!("generating"), &json!(accepted.operation_id()))
    );
    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &json!({}))
        .await
        .expect_error(409, "generation_active");
    testing::attempt(&app.server, &claimed).await;
    let shown = ada.page(&page).await;
    assert_eq!((shown.status, shown.active_operation_id), (Status::Ready, None));
    assert_eq!(shown.image.unwrap().revision, 2);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_that_is_restored_while_its_cover_is_drawn_gets_its_cover() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = accepted.book_id();
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    delete(&ada, "book", &book).await;
    let restored = restore(&ada, &book).await["book"].clone();
    assert_eq!(
        (&restored["cover"]["status"], &restored["active_operation_id"]),
        (&json!("generating"), &json!(accepted.operation_id()))
    );
    testing::attempt(&app.server, &claimed).await;
    let shown = ada.book(&book).await;
    assert_eq!((shown.cover.status, shown.active_operation_id), (Status::Ready, None));
    assert_eq!(ada.page_ids(&book).await, [page]);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_whose_drawing_ends_in_the_bin_is_restored_with_its_picture() {
    let app = with_a_slow_provider(1500).await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A hare"]).await;
    let add = json!({"page": {"title": "A fox"}});
    let accepted = app.accepted(&ada, &format!("/books/{book}/pages"), &add).await;
    let page = accepted.page_id();
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{page}")).await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let in_bin = ada.get("/bin").await.expect(200)["deleted_items"][0].clone();
    assert!(in_bin["stored_bytes"].as_i64().unwrap() > 1000, "{in_bin}");
    app.check_attempts().await;

    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (
            &restored["status"],
            &restored["error"],
            &restored["active_operation_id"]
        ),
        (&json!("ready"), &Value::Null, &Value::Null)
    );
    assert_eq!(restored["image"]["revision"], 1);
    assert_eq!(ada.get(&format!("/pages/{page}/image")).await.status, 200);
    let attempts = ada.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(ada.page_ids(&book).await[1], page);
    assert_eq!(ada.credits().await, 3);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}

#[tokio::test]
async fn a_regeneration_that_ends_in_the_bin_changes_picture_and_texts_of_the_page() {
    let app = with_a_slow_provider(1500).await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let change = json!({"page": {"title": "An owl", "prompt": "An owl on a branch"}});
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &change).await;
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{page}")).await;
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (&restored["title"], &restored["prompt"], &restored["image"]["revision"]),
        (&json!("An owl"), &json!("An owl on a branch"), &json!(2))
    );
    let found = ada.get("/pages?q=branch&sort=title").await.expect(200);
    assert_eq!(found["pages"][0]["id"], json!(page));
    app.check_books().await;
}

#[tokio::test]
async fn variants_that_are_drawn_in_the_bin_are_attempts_of_the_restored_page() {
    let app = with_a_slow_provider(1500).await;
    let ada = app.account(5).await;
    let accepted = app
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox", "variants": 3}}))
        .await;
    let page = accepted.page_id();
    assert!(testing::work_once(&app.server).await.unwrap());
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{page}")).await;
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (
            &restored["status"],
            &restored["image"]["revision"],
            &restored["active_operation_id"]
        ),
        (&json!("ready"), &json!(1), &Value::Null)
    );
    let attempts = ada.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 2);
    // The third one had not begun.
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_whose_drawing_fails_in_the_bin_is_restored_with_that_failure() {
    let app = TestApp::builder()
        .config(|config| config.drawing_attempts = 1)
        .start()
        .await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let page = accepted.page_id();
    testing::claim(&app.server).await.unwrap().unwrap();
    app.expire_leases();
    delete(&ada, "page", &page).await;
    assert_eq!(ada.credits().await, 4);
    // The worker died, and there is no attempt left.
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(
        (ada.status(&accepted).await, ada.credits().await),
        (OperationStatus::Failed, 5)
    );
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (
            &restored["status"],
            &restored["error"]["code"],
            &restored["active_operation_id"]
        ),
        (&json!("failed"), &json!("generation_failed"), &Value::Null)
    );
    app.check_books().await;
}

#[tokio::test]
async fn a_book_whose_cover_is_drawn_in_the_bin_is_restored_with_its_cover() {
    let app = with_a_slow_provider(1500).await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    delete_while_it_is_drawn(&app, &ada, &format!("/books/{book}")).await;
    let restored = restore(&ada, &book).await["book"].clone();
    assert_eq!(
        (&restored["cover"]["status"], &restored["active_operation_id"]),
        (&json!("ready"), &Value::Null)
    );
    assert_eq!(ada.get(&format!("/books/{book}/cover_image")).await.status, 200);
    app.check_books().await;
}

/// A restored page has either its picture or its credit.
#[tokio::test]
async fn a_page_that_is_deleted_and_restored_at_any_moment_of_its_drawing_has_its_picture_or_its_credit() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    for round in 0..12 {
        let before = ada.credits().await;
        let accepted = app.new_page(&ada, "A fox").await;
        let page = accepted.page_id();
        let claimed = testing::claim(&app.server).await.unwrap().unwrap();
        let ask = async |step: usize| match step {
            0 => testing::attempt(&app.server, &claimed).await,
            1 => {
                // Some deletions come while the provider draws, and some before or after.
                tokio::time::sleep(Duration::from_millis(3 * round)).await;
                delete(&ada, "page", &page).await;
            }
            _ => {
                tokio::time::sleep(Duration::from_millis(5 * round)).await;
                ada.post_nothing(&format!("/bin/{page}/restore")).await;
            }
        };
        join_all((0..3).map(ask)).await;
        app.draw_everything().await;
        if deleted(&ada).await.contains(&page) {
            restore(&ada, &page).await;
        }
        let (shown, credits) = (ada.page(&page).await, ada.credits().await);
        let operation = ada.operation(&accepted).await;
        assert_eq!(shown.active_operation_id, None);
        match operation.status {
            OperationStatus::Succeeded => {
                assert_eq!((shown.status, credits), (Status::Ready, before - 1), "round {round}");
                assert!(shown.image.is_some());
            }
            _ => {
                assert_eq!((shown.status, credits), (Status::Failed, before), "round {round}");
                let code = shown.error.map(|error| error.code);
                assert_eq!(code, operation.error.map(|error| error.code), "round {round}");
            }
        }
        assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
        app.check_attempts().await;
    }
    app.check_books().await;
}

#[tokio::test]
async fn deletions_restorations_and_drawings_at_once_lose_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    for round in 0..8 {
        let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
        let page = ada.page_ids(&book).await.remove(0);
        let (path, bin) = (format!("/pages/{page}"), format!("/bin/{page}"));
        let ask = async |step: usize| {
            let reply = match step {
                0 | 4 => ada.delete(&path).await,
                1 | 5 | 7 => ada.post_nothing(&format!("{bin}/restore")).await,
                2 => {
                    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &json!({}))
                        .await
                }
                3 if round % 4 == 3 => ada.delete("/bin").await,
                6 => ada.delete(&format!("/books/{book}")).await,
                8 => ada.post_nothing(&format!("/bin/{book}/restore")).await,
                _ => {
                    app.draw_what_is_due().await;
                    ada.get("/bin").await
                }
            };
            let status = reply.status.as_u16();
            assert!([200, 202, 204, 404, 409].contains(&status), "step {step}: {status}");
            status
        };
        // Each round begins with another step.
        let statuses = join_all((0..9).map(|step| ask((step + round) % 9))).await;
        app.draw_everything().await;
        app.check_attempts().await;
        assert_eq!(accounts::miscounted(&app.server).await.unwrap(), [], "{statuses:?}");
        // Each is either there or in the bin, unless the bin was emptied.
        let in_bin = deleted(&ada).await;
        for (kind, id) in [("page", &page), ("book", &book)] {
            let exists = ada.get(&format!("/{kind}s/{id}")).await.status == 200;
            assert!(!(exists && in_bin.contains(id)), "{kind} {statuses:?}");
            assert!(exists || in_bin.contains(id) || round % 4 == 3, "{kind} {statuses:?}");
        }
        for id in in_bin {
            restore(&ada, &id).await;
        }
        if round % 4 != 3 {
            assert_eq!(ada.page_ids(&book).await.len(), 2, "{statuses:?}");
            assert_eq!(ada.page(&page).await.active_operation_id, None);
        }
    }
    app.check_books().await;
}
