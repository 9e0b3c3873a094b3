//! A plan that is saved from several tabs, after it was deleted, or after its session ended.
use linepress_accounts::accounts::Plan;

use super::{opened, planned, value};
use crate::test_app::{PASSWORD, TestApp, borrowed};

#[tokio::test]
async fn two_tabs_of_one_plan_do_not_overwrite_each_other() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut first = planned(&mut ada).await;
    let mut second = opened(&mut ada, first.path.clone()).await;
    first.set("title", "The first");
    second.set("title", "The second");
    let autosave = format!("{}/autosave", first.path);
    assert_eq!(ada.post(&autosave, &borrowed(&first.fields)).await.status, 204);
    let late = ada.post(&autosave, &borrowed(&second.fields)).await;
    late.expect(409, "This plan was changed in another tab");
    let copied = ada.post(&first.path, &borrowed(&second.fields)).await;
    let copy = copied.header("location").strip_suffix("?done=plan-copied").unwrap();
    assert_ne!(copy, first.path);
    assert_eq!(
        value(&opened(&mut ada, copy.into()).await.fields, "title"),
        "The second"
    );
    let kept = opened(&mut ada, first.path.clone()).await;
    assert_eq!(value(&kept.fields, "title"), "The first");
    // The second tab's plan was not ordered either.
    let ordered = ada.post(&first.order(), &borrowed(&second.fields)).await;
    assert!(ordered.header("location").ends_with("?done=plan-copied"));
    ada.get("/library").await.expect(200, "10 <span");
}

#[tokio::test]
async fn the_last_save_of_a_page_is_sent_again_after_a_reload_and_is_no_conflict() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut before = planned(&mut ada).await;
    before.set("title", "Typed last");
    let autosave = format!("{}/autosave", before.path);
    // The reload overtakes the save: its page shows the old title.
    let reloaded = opened(&mut ada, before.path.clone()).await;
    assert_ne!(value(&reloaded.fields, "title"), "Typed last");
    // The script of the reloaded page sends the stored save again, and reloads. The first request may arrive at any
    // time.
    for _ in 0..2 {
        let saved = ada.post(&autosave, &borrowed(&before.fields)).await;
        assert_eq!(saved.status, 204, "{}", saved.text);
    }
    let mut shown = opened(&mut ada, before.path.clone()).await;
    assert_eq!(value(&shown.fields, "title"), "Typed last");
    shown.set("title", "Typed after it");
    let saved = ada.post(&autosave, &borrowed(&shown.fields)).await;
    assert_eq!(saved.status, 204, "{}", saved.text);
    // Once the new page has saved, a late request of the previous one changes nothing.
    ada.post(&autosave, &borrowed(&before.fields))
        .await
        .expect(409, "This plan was changed in another tab");
}

#[tokio::test]
async fn the_script_stores_an_unsaved_change_when_its_page_is_left() {
    let app = TestApp::start().await;
    let mut anyone = app.browser();
    let front = anyone.get("/").await;
    let script = front.text.split('"').find(|text| text.ends_with("/script.js"));
    let script = anyone.get(script.unwrap()).await;
    for part in ["sessionStorage", "storeUnsaved();", "finishLastSave();"] {
        script.expect(200, part);
    }
}

#[tokio::test]
async fn a_plan_that_was_deleted_while_it_was_open_is_saved_again() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    ada.submit("/library", &format!("{}/delete", plan.path), &[]).await;
    plan.set("title", "Still here");
    let autosave = format!("{}/autosave", plan.path);
    ada.post(&autosave, &borrowed(&plan.fields))
        .await
        .expect(409, "was deleted");
    let saved = ada.post(&plan.path, &borrowed(&plan.fields)).await;
    let again = saved.header("location").strip_suffix("?done=plan-restored").unwrap();
    assert_eq!(
        value(&opened(&mut ada, again.into()).await.fields, "title"),
        "Still here"
    );
}

#[tokio::test]
async fn the_form_of_an_ended_session_leads_to_sign_in_and_back_to_the_plan() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    ada.cookies.clear();
    ada.headers = vec![("referer", format!("http://linepress.test{}", plan.path))];
    let ended = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    let to = ended.header("location").to_owned();
    let back: String = url::form_urlencoded::byte_serialize(plan.path.as_bytes()).collect();
    assert_eq!(to, format!("/sign-in?return_to={back}&ended=yes"));
    let page = ada.get(&to).await;
    page.expect(200, "You were signed out.")
        .expect(200, &format!("name=\"return_to\" value=\"{}\"", plan.path));
    let fields = [
        ("email", "ada@example.com"),
        ("password", PASSWORD),
        ("return_to", &plan.path),
    ];
    ada.post("/sign-in", &fields).await.expect_redirect(&plan.path);
    // A form of another site does not learn the plan's address.
    let mut anyone = app.browser();
    anyone.headers = vec![("referer", "https://evil.test/library".into())];
    anyone
        .post(&plan.order(), &[])
        .await
        .expect_redirect("/sign-in?ended=yes");
}

#[tokio::test]
async fn without_a_script_the_form_of_an_ended_session_is_sent_again_after_sign_in() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Typed at last");
    ada.cookies.clear();
    ada.headers = vec![("sec-fetch-site", "same-origin".into())];
    for address in [plan.path.clone(), plan.order()] {
        ada.post(&address, &borrowed(&plan.fields))
            .await
            .expect(403, "You were signed out")
            .expect(403, "reload the page");
    }
    ada.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
    // The reload of the page.
    let saved = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    saved.expect_redirect(&format!("{}?done=signed-in-again", plan.path));
    ada.get(saved.header("location"))
        .await
        .expect(200, "Nothing was ordered")
        .expect(200, "Typed at last")
        .expect(200, "10 <span");
}

#[tokio::test]
async fn the_form_of_an_earlier_sign_in_is_saved_and_orders_nothing() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let mut plan = planned(&mut ada).await;
    plan.set("title", "Typed before");
    ada.sign_in("ada@example.com", PASSWORD).await.expect_redirect("/");
    // This client sends no header about the origin of the form.
    let refused = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    refused.expect(403, "nothing was changed");
    ada.headers = vec![("sec-fetch-site", "same-origin".into())];
    let saved = ada.post(&plan.order(), &borrowed(&plan.fields)).await;
    saved.expect_redirect(&format!("{}?done=signed-in-again", plan.path));
    ada.get(saved.header("location"))
        .await
        .expect(200, "Nothing was ordered")
        .expect(200, "Typed before")
        .expect(200, "10 <span");
    let other = [("csrf_token", value(&plan.fields, "csrf_token"))];
    ada.post(&format!("{}/delete", plan.path), &other)
        .await
        .expect(403, "nothing was changed");
}
