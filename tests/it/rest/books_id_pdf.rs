//! `GET /books/{id}/pdf`.
use std::time::Duration;

use axum::body::Body;
use linepress_accounts::accounts::Plan;
use serde_json::json;

use crate::test_app::{Actor, Log, TestApp, wait_until};

async fn book(app: &TestApp, ada: &Actor, aspect: &str) -> String {
    let body = json!({"book": {"title": "Woodland Friends", "author": "Ada", "aspect": aspect,
        "pages": [{"title": "A fox", "caption": "Hello, fox!"}, {"title": "An owl"}]}});
    let book = app.accepted(ada, "/books", &body).await;
    app.draw_what_is_due().await;
    format!("/books/{}", book.book_id())
}

/// Returns the keys of the stored PDFs.
fn prints(app: &TestApp) -> Vec<String> {
    let mut keys: Vec<String> = app.objects().into_iter().collect();
    keys.retain(|key| key.starts_with("prints/"));
    keys
}

fn only(keys: Vec<String>) -> String {
    let [key] = <[String; 1]>::try_from(keys).unwrap();
    key
}

/// Moves the clock until all discarded objects are deleted.
async fn sweep(app: &TestApp) {
    app.server.clock.advance(Duration::from_secs(601));
    crate::testing::sweep_objects(&app.server).await.unwrap();
}

#[tokio::test]
async fn outdated_pdfs_are_deleted_soon_and_all_of_them_with_the_book() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "portrait").await;
    for title in ["One", "Two", "Three"] {
        ada.patch(&path, &json!({"book": {"title": title}})).await.expect(200);
        for format in ["a4", "us_letter"] {
            let pdf = ada.get(&format!("{path}/pdf?format={format}")).await;
            assert_eq!(pdf.status, 200);
        }
    }
    assert_eq!(prints(&app).len(), 6);
    sweep(&app).await;
    assert_eq!(prints(&app).len(), 2);
    ada.delete(&path).await.expect_no_content();
    sweep(&app).await;
    assert_eq!(prints(&app), [""; 0]);
}

#[tokio::test]
async fn concurrent_requests_for_the_same_pdf_share_it() {
    let app = TestApp::start().await;
    let log = Log::default();
    let _guard = log.capture();
    let ada = app.account(9).await;
    let path = format!("{}/pdf", book(&app, &ada, "portrait").await);
    let (one, other, third) = tokio::join!(ada.get(&path), ada.get(&path), ada.get(&path));
    assert_eq!((one.status.as_u16(), other.status.as_u16()), (200, 200));
    assert!(one.body == other.body && one.body == third.body);
    let made = log.lines().iter().filter(|line| line.contains("PDF completed")).count();
    assert_eq!(made, 1, "{:?}", log.lines());
}

#[tokio::test]
async fn a_pdf_that_takes_longer_than_its_request_is_ready_for_the_next_one() {
    let app = TestApp::builder()
        .config(|config| config.request_timeout_seconds = 1)
        .start()
        .await;
    let ada = app.account(100).await;
    let path = format!("/books/{}/pdf", app.ready_book(&ada, &["A fox"]).await);
    // All places to typeset are taken for longer than the timeout of one second for requests.
    let renderer = app.server.renderer.clone();
    let mut taken = Vec::new();
    for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
        taken.push(renderer.permit().await);
    }
    let first = ada.get(&path).await;
    first.expect_error(503, "printing_unavailable");
    assert_eq!(first.header("retry-after"), "10");
    drop(taken);
    wait_until("the PDF is ready", async || {
        let reply = ada.get(&path).await;
        let is_ready = reply.status == 200;
        if !is_ready {
            reply.expect_error(503, "printing_unavailable");
        }
        is_ready
    })
    .await;
    let pdf = ada.get(&path).await;
    assert!(pdf.body.starts_with(b"%PDF-"));
    assert_eq!(prints(&app).len(), 1);
}

#[tokio::test]
async fn a_head_request_reads_no_file() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = format!("{}/pdf", book(&app, &ada, "portrait").await);
    let pdf = ada.get(&path).await;
    let head = ada.send("HEAD", &path, &[], Body::empty()).await;
    assert_eq!(head.status, 200);
    assert!(head.body.is_empty());
    assert_eq!(head.header("content-length"), pdf.body.len().to_string());
}

#[tokio::test]
async fn an_account_has_a_limited_number_of_downloads_under_way() {
    let app = TestApp::builder()
        .config(|config| config.limits.transfers = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 1).await;
    let path = format!("/pages/{}/image", app.imported_page(&ada, "A fox").await);
    let unread = [ada.open(&path).await, ada.open(&path).await];
    ada.get(&path).await.expect_error(429, "rate_limited");
    let own = format!("/pages/{}/image", app.imported_page(&ben, "A fox").await);
    assert_eq!(ben.get(&own).await.status, 200);
    drop(unread);
    assert_eq!(ada.get(&path).await.status, 200);
}

#[tokio::test]
async fn a_pdf_has_the_size_of_its_format_and_only_matching_ones_are_made() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "portrait").await;
    let pdf = ada.get(&format!("{path}/pdf")).await;
    assert_eq!(pdf.status, 200, "{}", String::from_utf8_lossy(&pdf.body));
    assert_eq!(pdf.header("content-type"), "application/pdf");
    assert_eq!(
        pdf.header("content-disposition"),
        "attachment; filename=\"woodland-friends-us_letter.pdf\""
    );
    assert!(pdf.body.starts_with(b"%PDF-"));
    assert_eq!(ada.get(&format!("{path}/pdf?format=us_letter")).await.body, pdf.body);
    assert_ne!(ada.get(&format!("{path}/pdf?format=a4")).await.body, pdf.body);
    let error = ada
        .get(&format!("{path}/pdf?format=square"))
        .await
        .expect_error(422, "format_mismatch");
    assert!(error["message"].as_str().unwrap().contains("us_letter, a4"));
    ada.get(&format!("{path}/pdf?format=broadsheet"))
        .await
        .expect_error(400, "invalid_request");
    ada.get("/books/book_none/pdf").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_second_download_is_read_from_the_cache() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "square").await;
    let first = ada.get(&format!("{path}/pdf")).await;
    assert_eq!(first.status, 200);
    // The cached file is sent unchanged: a mark written into it appears in the response.
    let cached = only(prints(&app));
    let marked = vec![b'x'; first.body.len()];
    app.server.storage.put(&cached, marked.clone()).await.unwrap();
    assert_eq!(ada.get(&format!("{path}/pdf")).await.body, marked);
    // A file truncated by a power failure is made again.
    let begin = first.body[..first.body.len() / 2].to_vec();
    app.server.storage.put(&cached, begin).await.unwrap();
    assert_eq!(ada.get(&format!("{path}/pdf")).await.body, first.body);
    // A changed picture requires a new PDF.
    let page = ada.get(&path).await.expect(200)["book"]["pages"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ada.generate(&format!("/pages/{page}/regenerate"), "k9", &json!({}))
        .await
        .expect(202);
    ada.get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    app.draw_everything().await;
    let again = ada.get(&format!("{path}/pdf")).await;
    assert!(again.body.len() > 1000 && again.body != first.body);
}

#[tokio::test]
async fn a_pdf_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let path = book(&app, &ada, "portrait").await;
    let pdf = ada.get(&format!("{path}/pdf")).await;
    pdf.expect_free();
    assert_eq!(pdf.header("x-service-credits-available"), "0");
    assert_eq!(pdf.header("cache-control"), "private, no-store");
}

#[tokio::test]
async fn a_book_is_not_ready_while_a_page_is_not_and_the_response_names_the_pages() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}, {"title": "An owl"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let path = format!("/books/{}", accepted.book_id());
    let operation = accepted.operation_id();
    let page = |index: usize| accepted.book().pages[index].id.to_string();
    let error = ada
        .get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    assert_eq!(
        error["details"],
        json!([
            {"field": "pages[0]", "message": format!("{} is generating, by {operation}", page(0))},
            {"field": "pages[1]", "message": format!("{} is generating, by {operation}", page(1))},
            {"field": "cover", "message": format!("is generating, by {operation}")},
        ])
    );
    app.draw_what_is_due().await;
    assert_eq!(ada.get(&format!("{path}/pdf")).await.status, 200);

    let regenerate = format!("/pages/{}/regenerate", page(1));
    let redrawn = app.accepted(&ada, &regenerate, &json!({})).await;
    let operation = redrawn.operation_id();
    let error = ada
        .get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    assert_eq!(
        error["details"],
        json!([{"field": "pages[1]", "message": format!("{} is generating, by {operation}", page(1))}])
    );
    // Without the missing page the book is complete.
    ada.delete(&format!("{path}/pages/{}", page(1)))
        .await
        .expect_no_content();
    assert_eq!(ada.get(&format!("{path}/pdf")).await.status, 200);
    ada.delete(&format!("{path}/pages/{}", page(0)))
        .await
        .expect_no_content();
    ada.get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
}

#[tokio::test]
async fn a_pdf_that_fails_for_an_object_names_book_and_object_in_the_log() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "portrait").await;
    let id = path.rsplit('/').next().unwrap();
    let masters: Vec<String> = app
        .objects()
        .into_iter()
        .filter(|key| key.ends_with("master.pdf"))
        .collect();
    let storage = &app.server.storage;
    let whole = storage.get(&masters[0]).await.unwrap().unwrap();
    storage.put(&masters[0], whole.slice(..whole.len() / 2)).await.unwrap();
    let failure = async |words: &str| {
        let log = Log::default();
        let captured = log.capture();
        ada.get(&format!("{path}/pdf"))
            .await
            .expect_error(500, "internal_error");
        drop(captured);
        let tells = |line: &String| line.contains(id) && line.contains(&masters[0]) && line.contains(words);
        assert!(log.lines().iter().any(tells), "{:?}", log.lines());
    };
    failure("is damaged").await;
    storage.delete(&masters[0]).await.unwrap();
    failure("is missing").await;
}

#[tokio::test]
async fn files_are_named_after_titles_in_every_script() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "portrait").await;
    ada.patch(&path, &json!({"book": {"title": "Bären"}})).await.expect(200);
    let pdf = ada.get(&format!("{path}/pdf?format=a4")).await;
    assert_eq!(
        pdf.header("content-disposition"),
        "attachment; filename=\"b-ren-a4.pdf\"; filename*=UTF-8''b%C3%A4ren-a4.pdf"
    );
    let cover = ada.get(&format!("{path}/cover_image")).await;
    assert_eq!(
        cover.header("content-disposition"),
        "inline; filename=\"b-ren.png\"; filename*=UTF-8''b%C3%A4ren.png"
    );
    let page = app.imported_page(&ada, "狐").await;
    let image = ada.get(&format!("/pages/{page}/image")).await;
    assert_eq!(
        image.header("content-disposition"),
        "inline; filename=\"image.png\"; filename*=UTF-8''%E7%8B%90.png"
    );
    let pip = app.ready_character(&ada, "Pip").await;
    let image = ada.get(&format!("/characters/{pip}/reference_image")).await;
    assert_eq!(image.header("content-disposition"), "inline; filename=\"pip.png\"");
}

#[tokio::test]
async fn a_book_that_the_layout_declines_differs_from_a_broken_layout() {
    let app = TestApp::builder()
        .config(|config| config.layout = "testbed.folio".into())
        .start()
        .await;
    let ada = app.account(1).await;
    for (title, status, code) in [("declined", 422, "format_mismatch"), ("beyond", 500, "internal_error")] {
        let body = json!({"book": {"title": title, "pages": [{"page_id": app.imported_page(&ada, "A fox").await}]}});
        let book = app.accepted(&ada, "/books", &body).await;
        app.draw_what_is_due().await;
        let path = format!("/books/{}/pdf", book.book_id());
        let error = ada.get(&path).await.expect_error(status, code);
        assert!(!error["message"].as_str().unwrap().contains("paper"), "{error}");
    }
}

#[tokio::test]
async fn a_pdf_is_returned_although_all_others_seem_to_be_newer() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let ahead = app.server.clock.now().plus(Duration::from_secs(3600));
    let mut tx = app.server.database.begin().await.unwrap();
    for number in 0..100 {
        // The edition was made by a clock that was an hour ahead.
        let statement = "INSERT INTO editions (book_id, name, account_id, object_key, byte_size, made_at) \
             SELECT id, $1, account_id, $1, 1, $2 FROM books";
        sqlx::query(statement)
            .bind(format!("other/{number}"))
            .bind(ahead.microseconds())
            .execute(&mut *tx)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    let path = format!("/books/{book}/pdf");
    let first = ada.get(&path).await;
    assert_eq!(first.status, 200);
    assert_eq!(ada.get(&path).await.body, first.body);
}
