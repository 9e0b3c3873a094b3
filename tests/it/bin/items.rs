//! What a deletion moves and a restoration brings back, and the end of the items of the bin.
use std::collections::BTreeMap;
use std::time::Duration;

use linepress_accounts::accounts;
use linepress_platform::database::Table;
use serde_json::json;
use sqlx::AssertSqlSafe;

use super::{delete, deleted, restore};
use crate::test_app::{Form, TestApp, operations, pictures};
use crate::testing;

const DAY: Duration = Duration::from_secs(24 * 3600);

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

/// A value, in SQL, that this column of a page or a book does not have by default.
fn unusual_value(column: &str, is_text: bool) -> &'static str {
    match column {
        "line_weight" => "'bold'",
        "detail" => "'simple'",
        "frame" => "'plain'",
        "cover_style" => "'color'",
        "language" => "'fr'",
        _ if is_text => "'set'",
        _ => "77",
    }
}

/// Fails when a column of a page or a book is forgotten by the bin, or a table with rows about them.
#[tokio::test]
async fn a_deletion_moves_every_row_and_a_restoration_brings_every_column_back() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let character = app.ready_character(&ada, "Pip").await;
    let body = json!({"book": {
        "title": "Woods", "subtitle": "At night", "author": "Ada", "description": "Trees", "character_ids": [character],
        "frame": "none", "cover": {"prompt": "A wood"}, "pages": [
            {"title": "A fox", "caption": "Ring", "character_ids": [character]},
            {"title": "An owl", "caption": "Who?"},
        ],
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
        // A column with its default would not show whether it is brought back.
        for column in &tables[live].columns {
            // The other references are to rows that exist.
            let is_reference = column.name.ends_with("_id") && column.name != "seed_book_id";
            // A restoration writes the index of the search, which contains the ISBN.
            let is_special = ["_code", "status", "isbn"].iter().any(|end| column.name.ends_with(end));
            if is_reference || is_special {
                continue;
            }
            let is_text = format!("{:?}", column.kind) == "Text";
            let statement = format!(
                "UPDATE {live} SET {0} = {1} \
                 WHERE {0} IS NULL OR CAST({0} AS TEXT) IN ('', '0', 'usual', 'line_art', 'en')",
                column.name,
                unusual_value(&column.name, is_text),
            );
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
    // A new table with rows about a book or page is listed here, too, or cascades. Only review links and their comments
    // stay where they are.
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
    let (bytes, objects) = (ada.stored_bytes().await, app.objects());
    delete(&ada, "page", &page).await;
    app.server.clock.advance(DAY);
    delete(&ada, "book", &book).await;
    assert_eq!(ada.stored_bytes().await, bytes);
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
    assert_eq!((deleted(&ada).await, ada.stored_bytes().await), (Vec::new(), 0));
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
    let one = ada.stored_bytes().await;
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
    assert_eq!(ada.stored_bytes().await, 4 * one);
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
