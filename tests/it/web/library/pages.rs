//! `/library/pages`: single pages, drawn and imported, and their pictures.
use axum::body::to_bytes;
use linepress_accounts::accounts::Plan;

use crate::test_app::{Browser, Form, TestApp, pictures};

async fn import(browser: &mut Browser, key: &str, title: &str) -> String {
    let token = browser.csrf_token("/library/pages/new").await;
    let form = Form::of_page(&token, key)
        .text("title", title)
        .picture("fox.png", &pictures::png(576, 768));
    let imported = browser.send_file("/library/pages/import", form).await;
    assert_eq!(imported.status, 303, "{}", imported.text);
    let to = imported.header("location");
    to.strip_suffix("?done=imported").unwrap().to_owned()
}

#[tokio::test]
async fn an_import_that_is_sent_twice_creates_one_page() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 3).await;
    ada.get("/library/pages").await.expect(200, "No pages yet");
    let page = import(&mut ada, "form-1", "A fox <i>by hand</i>").await;
    assert_eq!(import(&mut ada, "form-1", "A fox <i>by hand</i>").await, page);
    let shown = ada.get(&page).await;
    shown
        .expect(200, "A fox &#60;i&#62;by hand")
        .expect(200, "Imported 21 November 2026");
    ada.get("/library/pages")
        .await
        .expect(200, "3 <span")
        .expect(200, &format!("href=\"{page}\""));

    let token = ada.csrf_token(&page).await;
    let replacement = Form::of_page(&token, "form-2").picture("fox.jpg", &pictures::jpeg(576, 768));
    ada.send_file(&format!("{page}/replace"), replacement)
        .await
        .expect_done(&format!("{page}?done=replaced"));
    ada.get(&page).await.expect(200, "image?revision=2");
    ada.submit(&page, &format!("{page}/delete"), &[])
        .await
        .expect_done("/library/pages?done=deleted");
    ada.get(&page).await.expect(404, "There is nothing here");
}

#[tokio::test]
async fn a_form_without_a_picture_is_refused_with_its_input() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 3).await;
    let token = ada.csrf_token("/library/pages/new").await;
    // A browser sends an empty part if no file was chosen.
    let form = Form::of_page(&token, "form-1").text("title", "A fox").picture("", b"");
    let shown = ada.send_file("/library/pages/import", form).await;
    shown.expect(422, "id=\"file-error\"").expect(422, "value=\"A fox\"");
    ada.get("/library/pages").await.expect(200, "No pages yet");
}

#[tokio::test]
async fn a_page_is_drawn_for_a_credit_and_changed_for_none() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 3).await;
    let new = [
        ("title", "A fox"),
        ("aspect", "landscape"),
        ("idempotency_key", "form-1"),
        ("price", "1"),
    ];
    let drawn = ada.submit("/library/pages/new", "/library/pages", &new).await;
    let to = drawn.header("location").to_owned();
    let again = ada.submit("/library/pages/new", "/library/pages", &new).await;
    again.expect_redirect(&to);
    ada.get(&to).await.expect(200, "data-follow").expect(200, "2 <span");
    app.draw_what_is_due().await;
    let page = to.strip_suffix("?done=drawing").unwrap().to_owned();
    ada.get(&page).await.expect(200, "Drawn 21 November 2026 · Landscape");
    let change = [("title", "A vixen"), ("caption", "Good night"), ("prompt", "A vixen")];
    ada.submit(&page, &page, &change)
        .await
        .expect_redirect(&format!("{page}?done=saved"));
    ada.get(&page)
        .await
        .expect(200, "A vixen</h1>")
        .expect(200, "Good night</figcaption>");
    ada.submit(&page, &page, &[("title", "")])
        .await
        .expect(422, "id=\"title-error\"");
    ada.get(&page).await.expect(200, "2 <span");
}

#[tokio::test]
async fn lists_show_small_pictures_that_a_browser_may_cache() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let page = app.ready_page(&ada, "A fox").await;
    let mut browser = app.browser_of("ada@example.com").await;
    let address = format!("/library/pages/{page}/thumbnail?revision=1");
    browser.get("/library/pages").await.expect(200, &address);
    let small = browser.open(&address).await;
    assert_eq!(small.headers()["content-type"], "image/png");
    assert_eq!(small.headers()["cache-control"], "private, max-age=604800, immutable");
    assert_eq!(small.headers()["vary"], "Cookie");
    let small = to_bytes(small.into_body(), usize::MAX).await.unwrap();
    let small = image::load_from_memory(&small).unwrap();
    assert_eq!((small.width(), small.height()), (480, 640));
    let whole = browser.open(&format!("/library/pages/{page}/image?revision=1")).await;
    let whole = to_bytes(whole.into_body(), usize::MAX).await.unwrap();
    assert_eq!(whole, ada.get(&format!("/pages/{page}/image")).await.body);
}

#[tokio::test]
async fn an_earlier_picture_is_chosen_again() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 3).await;
    let page = import(&mut ada, "form-1", "A fox").await;
    let drawn = ada.get(&page).await;
    drawn.expect(200, "id=\"attempts\" aria-labelledby=\"attempts-heading\" hidden");
    assert!(!drawn.text.contains("Use this picture"));
    let first = app.chosen_attempt(page.rsplit('/').next().unwrap()).await;
    app.server.clock.advance(std::time::Duration::from_secs(60));
    let token = ada.csrf_token(&page).await;
    let replacement = Form::of_page(&token, "form-2").picture("fox.jpg", &pictures::jpeg(576, 768));
    ada.send_file(&format!("{page}/replace"), replacement)
        .await
        .expect_done(&format!("{page}?done=replaced"));
    let choose = format!("{page}/attempts/{first}/choose");
    ada.get(&page)
        .await
        .expect(200, "In use")
        .expect(200, &format!("action=\"{choose}\""))
        .expect(200, &format!("{page}/attempts/{first}/thumbnail"));
    for picture in ["image", "thumbnail"] {
        let picture = ada.open(&format!("{page}/attempts/{first}/{picture}")).await;
        assert_eq!(picture.status(), 200);
    }
    ada.submit(&page, &choose, &[])
        .await
        .expect_done(&format!("{page}?done=chosen"));
    let chosen = ada.get(&format!("{page}?done=chosen")).await;
    chosen
        .expect(200, "The picture is in use.")
        .expect(200, "image?revision=3");
    assert!(!chosen.text.contains(&choose), "the chosen one has no button");
    ada.get(&choose).await.expect_redirect(&page);
}
