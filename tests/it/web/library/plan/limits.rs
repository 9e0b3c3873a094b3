//! The number of an account's plans, and the size of their forms.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::Plan;

use super::{PLAN_FIELDS, opened, planned, value};
use crate::test_app::{PASSWORD, TestApp, borrowed};

#[tokio::test]
async fn a_form_of_more_fields_than_any_book_has_is_not_saved() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let plan = planned(&mut ada).await;
    let mut fields = vec![("page_title", ""), ("page_prompt", ""), ("page_caption", "")];
    fields = fields.repeat(330);
    let own = value(&plan.fields, "own");
    fields.extend([("seen", value(&plan.fields, "seen")), ("own", own)]);
    let saved = ada.submit("/library/books/new", &plan.path, &fields).await;
    saved.expect_redirect(&format!("{}?done=saved", plan.path));
    fields.extend_from_within(..30);
    let refused = ada.submit("/library/books/new", &plan.path, &fields).await;
    refused.expect(400, "it has too many fields");
}

#[tokio::test]
async fn the_plans_of_an_account_are_limited_and_old_ones_are_deleted() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 10).await;
    let plan = planned(&mut ada).await;
    // Copies of a plan that was changed in another tab.
    let mut late = plan.fields.clone();
    late.iter_mut().find(|(name, _)| name == "seen").unwrap().1 = String::new();
    for number in 1..50 {
        let own = format!("{number:032}");
        late.iter_mut().find(|(name, _)| name == "own").unwrap().1 = own;
        late.iter_mut().find(|(name, _)| name == "title").unwrap().1 = format!("Number {number}");
        assert_eq!(ada.post(&plan.path, &borrowed(&late)).await.status, 303);
    }
    let full = "The limit of this account for plans that are not ordered is 50";
    let refused = ada
        .submit("/library/books/new", "/library/books/plan", &PLAN_FIELDS)
        .await;
    refused.expect(422, full).expect(422, "A woodland day");
    late.iter_mut().find(|(name, _)| name == "title").unwrap().1 = "One more".into();
    let refused = ada.post(&plan.path, &borrowed(&late)).await;
    refused.expect(422, full).expect(422, "One more");

    app.server.clock.advance(Duration::from_secs(80 * 24 * 3600));
    assert_eq!(testing::forget_drafts(&app.server).await.unwrap(), 0);
    ada.sign_in("ada@example.com", PASSWORD).await;
    let current = opened(&mut ada, plan.path.clone()).await;
    let ordered = ada.post(&current.order(), &borrowed(&current.fields)).await;
    assert_eq!(ordered.status, 303, "{}", ordered.text);
    app.server.clock.advance(Duration::from_secs(8 * 24 * 3600));
    assert_eq!(testing::forget_drafts(&app.server).await.unwrap(), 1);
    app.server.clock.advance(Duration::from_secs(3 * 24 * 3600));
    assert_eq!(testing::forget_drafts(&app.server).await.unwrap(), 49);
}

/// The address of an unknown plan.
const NO_PLAN: &str = "/library/drafts/draft_01KAFMYG00000000000000000A";

#[tokio::test]
async fn a_whole_book_may_be_larger_than_other_forms() {
    let app = TestApp::start().await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let plan = planned(&mut ada).await;
    let prompt = "x".repeat(2_000);
    let page = [
        ("page_title", "A"),
        ("page_prompt", prompt.as_str()),
        ("page_caption", ""),
    ];
    let mut pages = page.repeat(100);
    pages.extend([("title", "A"), ("price", "100")]);
    pages.extend(["seen", "own"].map(|name| (name, value(&plan.fields, name))));
    let saved = ada.submit("/library", &plan.path, &pages).await;
    saved.expect_redirect(&format!("{}?done=saved", plan.path));
    let refused = ada.submit("/library", &plan.order(), &pages).await;
    refused.expect(402, "The plan of your book");
    let filler = "x".repeat(4 * 1024 * 1024);
    let refused = ada.post(&plan.path, &[("title", &filler)]).await;
    refused.expect(413, "too large");
    let long = "x".repeat(1024 * 1024);
    let mut fields = pages.clone();
    fields.push(("author", &long));
    let refused = ada.submit("/library", &plan.path, &fields).await;
    refused.expect(422, "is too long to be saved");
}

#[tokio::test]
async fn the_form_of_an_account_without_the_business_plan_is_not_read() {
    let app = TestApp::start().await;
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    for form in ["", "/autosave", "/order"] {
        // The rest of the form never arrives.
        let refused = bob
            .post_around(
                &format!("{NO_PLAN}{form}"),
                &[("title", "A book")],
                std::future::pending(),
            )
            .await;
        refused.expect(403, "Business plan");
    }
}

#[tokio::test]
async fn incoming_book_forms_count_as_transfers_of_their_account() {
    let app = TestApp::builder()
        .config(|config| config.limits.transfers = 1)
        .start()
        .await;
    let mut ada = app.person("ada@example.com", Plan::Business, 2).await;
    let mut other = ada.clone();
    let (begin, has_begun) = tokio::sync::oneshot::channel();
    let never = async move {
        begin.send(()).unwrap();
        std::future::pending::<()>().await;
    };
    let slow = ada.post_around(NO_PLAN, &[("title", "A book")], never);
    let second = async {
        has_begun.await.unwrap();
        other.post(NO_PLAN, &[("title", "Another")]).await
    };
    tokio::select! {
        _ = slow => unreachable!("the form never ends"),
        refused = second => {
            refused.expect(429, "Please wait a moment");
        }
    };
}
