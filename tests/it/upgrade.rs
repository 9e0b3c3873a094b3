//! The upgrade of a database of an earlier version, with all its data.
use crate::testing;
use linepress_accounts::{accounts, credits};
use sqlx::Connection as _;

use crate::test_app::{TestApp, empty_database};

/// The last migration before the counters were added.
const LAST_OLD_MIGRATION: i64 = 20_261_121_000_002;

/// An account at that version: a page with artwork, a waiting page, an archived character and an upload.
const ROWS: [&str; 11] = [
    "INSERT INTO accounts (id, email, plan, credits, created_at, updated_at) VALUES ('acct_1', 'a@b.c', 'business', 6, 1, 1)",
    "INSERT INTO ledger_entries (id, account_id, kind, amount, operation_id, created_at) VALUES \
       ('e1', 'acct_1', 'grant', 10, NULL, 1), ('e2', 'acct_1', 'charge', -3, 'op_1', 1), ('e3', 'acct_1', 'refund', 1, 'op_1', 1), \
       ('e4', 'acct_1', 'charge', -2, 'op_3', 1)",
    "INSERT INTO artworks (id, account_id, image_key, master_key, width, height, media_type, byte_size, measures, created_at) \
       VALUES ('art_1', 'acct_1', 'i', 'm', 10, 10, 'image/png', 500, '{}', 1)",
    "INSERT INTO pages (id, account_id, title, prompt, caption, aspect, origin, audience, status, artwork_id, \
       active_operation_id, created_at, updated_at) VALUES \
       ('page_1', 'acct_1', 'A', 'A', '', 'square', 'imported', 'child', 'ready', 'art_1', NULL, 1, 1), \
       ('page_2', 'acct_1', 'B', 'B', '', 'square', 'generated', 'child', 'generating', NULL, 'op_2', 1, 1)",
    "INSERT INTO characters (id, account_id, name, description, style, seed, status, archived_at, created_at, updated_at) VALUES \
       ('char_1', 'acct_1', 'Pip', '', '', 1, 'failed', NULL, 1, 1), ('char_2', 'acct_1', 'Pop', '', '', 1, 'failed', 1, 1, 1)",
    "INSERT INTO books (id, account_id, title, subtitle, author, description, audience, aspect, cover_prompt, cover_status, \
       created_at, updated_at) VALUES ('book_1', 'acct_1', 'B', '', '', '', 'child', 'square', 'B', 'failed', 1, 1)",
    "INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, created_at, finished_at) \
       VALUES ('op_1', 'acct_1', 'page.create', 'failed', 'page', 'page_0', 1, 1, 1, 2), \
       ('op_2', 'acct_1', 'page.create', 'queued', 'page', 'page_2', 1, 1, 1, NULL)",
    // A book with two pages: one failed and is refunded only when the other has ended.
    "INSERT INTO operations (id, account_id, type, status, resource_type, resource_id, total, charged, failed, created_at) VALUES \
       ('op_3', 'acct_1', 'book.create', 'running', 'book', 'book_1', 2, 2, 1, 1)",
    "INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, status, \
       due_at, created_at, finished_at) VALUES \
       ('draw_2', 'op_3', 'acct_1', 0, 'page', 'page_8', 'B', 1, '{}', 'failed', 1, 1, 2), \
       ('draw_3', 'op_3', 'acct_1', 1, 'page', 'page_9', 'B', 1, '{}', 'queued', 9000000000000000, 1, NULL)",
    "INSERT INTO drawings (id, operation_id, account_id, position, target_type, target_id, title, credits, request, status, \
       due_at, created_at) VALUES ('draw_1', 'op_2', 'acct_1', 0, 'page', 'page_2', 'B', 1, \
       '{\"prompt\":\"B\",\"title\":\"B\",\"aspect\":\"square\",\"audience\":\"child\",\"seed\":2,\"characters\":[]}', 'queued', 1, 1)",
    "INSERT INTO uploads (id, account_id, token_hash, object_key, byte_size, created_at, expires_at) VALUES \
       ('upl_1', 'acct_1', 'h', 'u', 70, 1, 9000000000000000)",
];

#[tokio::test]
async fn counters_and_the_queue_begin_with_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let url = empty_database(folder.path()).await;
    sqlx::any::install_default_drivers();
    let mut early = sqlx::AnyConnection::connect(&url).await.unwrap();
    sqlx::migrate!("../migrations")
        .run_to(LAST_OLD_MIGRATION, &mut early)
        .await
        .unwrap();
    for rows in ROWS {
        sqlx::query(rows).execute(&mut early).await.unwrap();
    }
    early.close().await.unwrap();

    let app = TestApp::start().await;
    let server = app.another_node_with(|config| config.database_url = url).await;
    assert_eq!(accounts::miscounted(&server).await.unwrap(), []);
    assert_eq!(credits::mismatches(&server).await.unwrap(), []);
    let counters: (i64, i64, i64, i64, i64, i64, i64) =
        sqlx::query_as("SELECT characters, pages, books, generations, stored_bytes, spent, refunded FROM accounts")
            .fetch_one(&server.database.read)
            .await
            .unwrap();
    assert_eq!(counters, (1, 2, 1, 2, 570, 5, 2));
    let refunded: i64 = sqlx::query_scalar("SELECT refunded FROM operations WHERE id = 'op_3'")
        .fetch_one(&server.database.read)
        .await
        .unwrap();
    assert_eq!(refunded, 1);
    let attempts: Vec<(String, String, String, String, i64)> =
        sqlx::query_as("SELECT id, target_id, origin, prompt, created_at FROM attempts WHERE replaced_at IS NULL")
            .fetch_all(&server.database.read)
            .await
            .unwrap();
    let of_page = ["att_1", "page_1", "imported", "A"].map(str::to_owned);
    let [id, target, origin, prompt] = of_page;
    assert_eq!(attempts, [(id, target, origin, prompt, 1)]);
    assert!(testing::work_once(&server).await.unwrap());
    let status: String = sqlx::query_scalar("SELECT status FROM pages WHERE id = 'page_2'")
        .fetch_one(&server.database.read)
        .await
        .unwrap();
    assert_eq!(status, "ready");
    assert_eq!(accounts::miscounted(&server).await.unwrap(), []);
}
