//! Limits of an account: each is refused by name and reported with its use under `/me`.
use std::time::Duration;

use crate::testing;
use linepress::server;
use linepress_accounts::accounts::Plan;
use linepress_core::artwork::Status;
use linepress_core::operations::{FailureCode, OperationStatus};
use linepress_platform::scopes::Scopes;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, Reply, TestApp, pictures};

/// Returns the limit and the use with this name under `/me`.
async fn limit(actor: &Actor, name: &str) -> Value {
    actor.look("/me", "account").await["limits"][name].clone()
}

async fn import(actor: &Actor) -> Reply {
    let form = Form::image(&pictures::png(576, 768)).text("title", "A fox");
    actor.import(form).await
}

#[tokio::test]
async fn pages_are_limited_whether_generated_or_imported() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A"]).await;
    assert_eq!(limit(&ada, "pages").await, json!({"limit": 2, "used": 1}));
    import(&ada).await.expect(201);
    assert_eq!(limit(&ada, "pages").await, json!({"limit": 2, "used": 2}));
    let page = json!({"page": {"title": "A fox"}});
    for (path, body) in [
        ("/pages", page.clone()),
        (&format!("/books/{book}/pages"), page.clone()),
        ("/books", json!({"book": {"title": "B", "pages": [{"title": "A"}]}})),
    ] {
        let reply = ada.generate(path, "k1", &body).await;
        reply.expect_error(422, "account_limit_reached");
        reply.expect_free();
    }
    import(&ada).await.expect_error(422, "account_limit_reached");
    // The refused import left nothing behind, and the refused generations charged nothing.
    assert_eq!((ada.credits().await, ada.count("operations").await), (8, 1));
    app.check_books().await;
    let page_id = ada.page_ids(&book).await[0].clone();
    ada.delete(&format!("/pages/{page_id}")).await.expect_no_content();
    ada.generate("/pages", "k1", &page).await.expect(202);
}

#[tokio::test]
async fn a_book_of_more_new_pages_than_there_is_room_for_is_refused_whole() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let pages: Vec<_> = (0..3)
        .map(|number| json!({"title": format!("Page {number}")}))
        .collect();
    ada.generate("/books", "k1", &json!({"book": {"title": "B", "pages": pages}}))
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!((ada.count("books").await, ada.count("pages").await), (0, 0));
    assert_eq!(ada.credits().await, 9);
}

#[tokio::test]
async fn books_are_limited() {
    let app = TestApp::builder()
        .config(|config| config.limits.books = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A"]).await;
    assert_eq!(limit(&ada, "books").await, json!({"limit": 1, "used": 1}));
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
    ada.generate("/books", "k1", &body)
        .await
        .expect_error(422, "account_limit_reached");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.generate("/books", "k1", &body).await.expect(202);
}

#[tokio::test]
async fn active_characters_are_limited_and_archived_ones_do_not_count() {
    let app = TestApp::builder()
        .config(|config| config.limits.characters = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let pip = app.ready_character(&ada, "Pip").await;
    assert_eq!(limit(&ada, "characters").await, json!({"limit": 1, "used": 1}));
    let body = json!({"character": {"name": "Kit"}});
    ada.generate("/characters", "k1", &body)
        .await
        .expect_error(422, "account_limit_reached");
    ada.delete(&format!("/characters/{pip}")).await.expect_no_content();
    assert_eq!(limit(&ada, "characters").await, json!({"limit": 1, "used": 0}));
    ada.generate("/characters", "k1", &body).await.expect(202);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn pages_of_one_book_are_limited() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages_per_book = 2)
        .start()
        .await;
    let ada = app.account(9).await;
    let pages = json!([{"title": "A"}, {"title": "B"}, {"title": "C"}]);
    ada.generate("/books", "k1", &json!({"book": {"title": "B", "pages": pages}}))
        .await
        .expect_error(422, "account_limit_reached");
    let book = app.ready_book(&ada, &["A", "B"]).await;
    assert_eq!(limit(&ada, "pages_per_book").await, json!({"limit": 2, "used": null}));
    let path = format!("/books/{book}/pages");
    let page = app.imported_page(&ada, "A fox").await;
    ada.post(&path, &json!({"page_id": page}))
        .await
        .expect_error(422, "account_limit_reached");
    ada.generate(&path, "k1", &json!({"page": {"title": "C"}}))
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!((ada.page_ids(&book).await.len(), ada.credits().await), (2, 7));
}

#[tokio::test]
async fn generations_under_way_are_limited() {
    let app = TestApp::builder()
        .config(|config| config.limits.generations = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let page = app.ready_page(&ada, "A fox").await;
    let pip = app.ready_character(&ada, "Pip").await;
    let book = app.ready_book(&ada, &["A"]).await;
    app.new_page(&ada, "An owl").await;
    assert_eq!(limit(&ada, "generations").await, json!({"limit": 1, "used": 1}));
    for (path, body) in [
        ("/pages".to_owned(), json!({"page": {"title": "A"}})),
        (format!("/pages/{page}/regenerate"), json!({})),
        (
            format!("/pages/{page}/refine"),
            json!({"page": {"instruction": "A hat"}}),
        ),
        ("/characters".into(), json!({"character": {"name": "Kit"}})),
        (format!("/characters/{pip}/regenerate"), json!({})),
        (
            "/books".into(),
            json!({"book": {"title": "B", "pages": [{"title": "A"}]}}),
        ),
        (format!("/books/{book}/pages"), json!({"page": {"title": "A"}})),
        (format!("/books/{book}/restyle"), json!({})),
    ] {
        ada.generate(&path, "k1", &body)
            .await
            .expect_error(422, "account_limit_reached");
    }
    assert_eq!(ada.credits().await, 5);
    assert_eq!(ada.page(&page).await.status, Status::Ready);
    app.draw_what_is_due().await;
    assert_eq!(limit(&ada, "generations").await, json!({"limit": 1, "used": 0}));
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
}

#[tokio::test]
async fn uploads_are_limited_until_they_expire() {
    let app = TestApp::builder()
        .config(|config| config.limits.uploads = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let create = async || ada.post_nothing("/artwork_uploads").await;
    create().await.expect(201);
    assert_eq!(limit(&ada, "uploads").await, json!({"limit": 1, "used": 1}));
    create().await.expect_error(422, "account_limit_reached");
    app.server.clock.advance(Duration::from_secs(3600));
    assert_eq!(limit(&ada, "uploads").await, json!({"limit": 1, "used": 0}));
    create().await.expect(201);
}

#[tokio::test]
async fn a_limit_is_each_accounts_own() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 9).await;
    import(&ada).await.expect(201);
    import(&ben).await.expect(201);
    import(&ada).await.expect_error(422, "account_limit_reached");
    assert_eq!(limit(&ben, "pages").await, json!({"limit": 1, "used": 1}));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_do_not_share_the_last_place() {
    let app = TestApp::builder()
        .config(|config| config.limits.pages = 3)
        .start()
        .await;
    let ada = app.account(20).await;
    let requests = (0..12).map(|number| {
        let ada = ada.clone();
        let body = json!({"page": {"title": format!("Page {number}")}});
        tokio::spawn(async move { ada.generate("/pages", &format!("key-{number}"), &body).await })
    });
    let replies = futures::future::join_all(requests).await;
    let accepted = replies
        .iter()
        .filter(|reply| reply.as_ref().unwrap().status == 202)
        .count();
    assert_eq!((accepted, ada.count("pages").await, ada.credits().await), (3, 3, 17));
    app.check_ledger().await;
}

fn wish() -> Value {
    json!({"book_plan": {"theme": "A woodland day", "page_count": 2}})
}

#[tokio::test]
async fn planning_is_limited_in_a_minute_and_retry_after_is_true() {
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 3)
        .start()
        .await;
    let ada = app.account(0).await;
    for used in 0..3 {
        assert_eq!(limit(&ada, "plans_per_minute").await, json!({"limit": 3, "used": used}));
        ada.post("/book_plans", &wish()).await.expect(200);
    }
    assert_eq!(limit(&ada, "plans_per_minute").await, json!({"limit": 3, "used": 3}));
    for _ in 0..4 {
        let refused = ada.post("/book_plans", &wish()).await;
        refused.expect_error(429, "rate_limited");
        refused.expect_free();
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert_eq!(wait, 20);
        app.server.clock.advance(Duration::from_secs(wait - 1));
        let early = ada.post("/book_plans", &wish()).await;
        early.expect_error(429, "rate_limited");
        assert_eq!(early.header("retry-after"), "1");
        app.server.clock.advance(Duration::from_secs(1));
        ada.post("/book_plans", &wish()).await.expect(200);
    }
}

#[tokio::test]
async fn retry_after_is_never_too_short_by_a_fraction() {
    // One place becomes free every 8.57 seconds.
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 7)
        .start()
        .await;
    let ada = app.account(0).await;
    for _ in 0..7 {
        ada.post("/book_plans", &wish()).await.expect(200);
    }
    for _ in 0..10 {
        let refused = ada.post("/book_plans", &wish()).await;
        refused.expect_error(429, "rate_limited");
        let wait = refused.header("retry-after").parse().unwrap();
        app.server.clock.advance(Duration::from_secs(wait));
        ada.post("/book_plans", &wish()).await.expect(200);
        while ada.post("/book_plans", &wish()).await.status == 200 {}
    }
}

/// The headers `RateLimit-Policy` and `RateLimit` of a response; `None` if it has neither.
fn rate_limit(reply: &Reply) -> Option<(String, String)> {
    let [policy, state] = ["ratelimit-policy", "ratelimit"].map(|name| reply.headers.get(name));
    assert_eq!(policy.is_some(), state.is_some());
    let [policy, state] = [policy?, state?].map(|value| value.to_str().unwrap().to_owned());
    Some((policy, state))
}

#[tokio::test]
async fn responses_report_what_is_left_of_a_rate_limit() {
    let app = TestApp::builder()
        .config(|config| {
            config.limits.plans_per_minute = 3;
            config.limits.changes_per_minute = 6;
        })
        .start()
        .await;
    let ada = app.account(3).await;
    let policy = |name: &str, times: u32| format!("\"{name}\";q={times};w=60");
    let plan = async || rate_limit(&ada.post("/book_plans", &wish()).await);
    for (left, seconds) in [(2, 20), (1, 40), (0, 60), (0, 60)] {
        let state = format!("\"plans_per_minute\";r={left};t={seconds}");
        assert_eq!(plan().await, Some((policy("plans_per_minute", 3), state)));
    }
    app.server.clock.advance(Duration::from_secs(25));
    let state = "\"plans_per_minute\";r=0;t=55".to_owned();
    assert_eq!(plan().await, Some((policy("plans_per_minute", 3), state)));

    let page = json!({"page": {"title": "A"}});
    let generate = async |key: &str, page: &Value| ada.generate("/pages", key, page).await;
    let drawn = generate("p1", &page).await;
    drawn.expect(202);
    let changes = |left: u32, seconds: u32| {
        let state = format!("\"changes_per_minute\";r={left};t={seconds}");
        Some((policy("changes_per_minute", 6), state))
    };
    assert_eq!(rate_limit(&drawn), changes(5, 10));
    // Neither a replay nor a rejected request counts.
    assert_eq!(rate_limit(&generate("p1", &page).await), None);
    let rejected = generate("p2", &json!({"page": {"title": ""}})).await;
    rejected.expect_error(422, "validation_failed");
    assert_eq!(rate_limit(&rejected), None);
    assert_eq!(rate_limit(&ada.get("/me").await), None);
    for key in ["p3", "p4"] {
        generate(key, &page).await.expect(202);
    }
    // The turn of a change that is rolled back is returned.
    let unpaid = generate("p5", &page).await;
    unpaid.expect_error(402, "insufficient_credits");
    assert_eq!(rate_limit(&unpaid), None);
    let key = json!({"key": {"name": "The shop"}});
    let made = ada.generate("/keys", "k1", &key).await;
    made.expect(201);
    let (policies, states) = rate_limit(&made).unwrap();
    assert_eq!(
        policies,
        "\"changes_per_minute\";q=6;w=60, \"new_keys_per_day\";q=100;w=86400"
    );
    assert_eq!(
        states,
        "\"changes_per_minute\";r=2;t=40, \"new_keys_per_day\";r=99;t=864"
    );
}

#[tokio::test]
async fn planning_is_limited_for_each_account_and_no_refused_request_counts() {
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 1)
        .start()
        .await;
    let ada = app.account(0).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 0).await;
    ada.post("/book_plans", &json!({"book_plan": {"theme": "", "page_count": 2}}))
        .await
        .expect_error(422, "validation_failed");
    ada.post("/book_plans", &wish()).await.expect(200);
    ada.post("/book_plans", &wish()).await.expect_error(429, "rate_limited");
    ben.post("/book_plans", &wish()).await.expect(200);
}

#[tokio::test]
async fn two_nodes_on_one_database_share_the_limits() {
    let app = TestApp::builder()
        .config(|config| {
            config.limits.plans_per_minute = 2;
            config.limits.pages = 1;
        })
        .start()
        .await;
    let account = testing::create_account(&app.server, "ada@example.com", Plan::Business, 5)
        .await
        .unwrap();
    let (_, secret) = testing::create_key(&app.server, &account, "test").await.unwrap();
    let other = app.another_node().await;
    let here = app.with_key(secret.expose());
    let there = Actor::new(server::router(other.clone()), Some(secret.expose().into()));

    here.post("/book_plans", &wish()).await.expect(200);
    there.post("/book_plans", &wish()).await.expect(200);
    here.post("/book_plans", &wish())
        .await
        .expect_error(429, "rate_limited");
    there
        .post("/book_plans", &wish())
        .await
        .expect_error(429, "rate_limited");
    assert_eq!(
        limit(&there, "plans_per_minute").await,
        limit(&here, "plans_per_minute").await
    );

    let body = json!({"page": {"title": "A fox"}});
    let first = here.generate("/pages", "k1", &body).await;
    let replay = there.generate("/pages", "k1", &body).await;
    assert_eq!(replay.expect(202), first.expect(202));
    replay.expect_free();
    there
        .generate("/pages", "k2", &body)
        .await
        .expect_error(422, "account_limit_reached");
    assert!(testing::work_once(&other).await.unwrap());
    assert!(!testing::work_once(&app.server).await.unwrap());
    assert_eq!(
        here.look(first.header("location"), "operation").await["status"],
        "succeeded"
    );
    let cursor = async |actor: &Actor| actor.get("/pages?limit=1").await.expect(200);
    assert_eq!(cursor(&here).await, cursor(&there).await);
    assert_eq!((here.credits().await, there.credits().await), (4, 4));
    app.check_ledger().await;
}

#[tokio::test]
async fn books_without_paid_pages_have_a_limited_number_of_covers_a_day() {
    let app = TestApp::builder()
        .config(|config| config.limits.free_covers_per_day = 2)
        .start()
        .await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "cover": {"prompt": "A fox"}, "pages": [{"page_id": page}]}});
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 0}));
    for key in ["k1", "k2"] {
        let book = ada.generate("/books", key, &body).await.expect(202)["book"]["id"].clone();
        app.draw_everything().await;
        // Deleting the book does not restore the free cover.
        ada.delete(&format!("/books/{}", book.as_str().unwrap()))
            .await
            .expect_no_content();
    }
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 2}));
    let refused = ada.generate("/books", "k3", &body).await;
    refused.expect_error(422, "account_limit_reached");
    // A book with a paid page pays for its cover with the page.
    let paid = json!({"book": {"title": "B", "pages": [{"page_id": page}, {"title": "A"}]}});
    ada.generate("/books", "k4", &paid).await.expect(202);
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    ada.generate("/books", "k3", &body).await.expect(202);
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 1}));
}

/// Starts an app with two free covers a day, in which pages whose titles say so are refused.
async fn two_free_covers() -> TestApp {
    TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .config(|config| config.limits.free_covers_per_day = 2)
        .start()
        .await
}

/// A book whose only page the provider refuses.
fn refused() -> Value {
    json!({"book": {"title": "B", "cover": {"prompt": "A castle"}, "pages": [{"title": "refused"}]}})
}

#[tokio::test]
async fn a_cover_whose_pages_are_refunded_is_a_free_one() {
    let app = two_free_covers().await;
    let ada = app.account(1).await;
    let mut covers = Vec::new();
    for _ in 0..3 {
        let accepted = app.accepted(&ada, "/books", &refused()).await;
        app.draw_everything().await;
        covers.push(ada.operation(&accepted).await.items.swap_remove(0));
    }
    let ended: Vec<_> = covers.iter().map(|cover| cover.status).collect();
    use linepress_drawings::queue::DrawingStatus::{Failed, Succeeded};
    assert_eq!(ended, [Succeeded, Succeeded, Failed]);
    assert_eq!(covers[2].error.as_ref().unwrap().code, FailureCode::FreeCovers);
    // The third order drew no cover, so it used none.
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 2}));
    let fourth = ada.generate("/books", "k4", &refused()).await;
    fourth.expect_error(422, "account_limit_reached");
    assert_eq!(ada.credits().await, 1);
    app.server.clock.advance(Duration::from_secs(24 * 3600));
    assert_eq!(limit(&ada, "free_covers_per_day").await["used"], 0);
    ada.generate("/books", "k4", &refused()).await.expect(202);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_cover_whose_page_was_deleted_while_it_waited_is_a_free_one() {
    let app = two_free_covers().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let accepted = app.accepted(&ada, "/books", &body).await;
        let page = accepted.book().pages[0].id.to_string();
        ada.delete(&format!("/pages/{page}")).await.expect_no_content();
        app.draw_everything().await;
        statuses.push(ada.status(&accepted).await);
    }
    use OperationStatus::{Failed, PartiallySucceeded};
    assert_eq!(statuses, [PartiallySucceeded, PartiallySucceeded, Failed]);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn the_cap_of_an_app_buys_no_more_free_covers() {
    let app = two_free_covers().await;
    let ada = app.account(5).await;
    let (agent, _) = app.agent_with("ada@example.com", Scopes::ALL, Some(1)).await;
    for number in 0..3 {
        let mut order = refused()["book"].clone();
        order["idempotency_key"] = format!("k{number}").into();
        order["confirm_credits"] = 1.into();
        agent.call("create_book", order.clone()).await.expect();
        app.draw_everything().await;
        // Refunded credits may be spent again.
        assert_eq!(ada.credits().await, 5);
    }
    let drawn: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM books WHERE cover_artwork_id IS NOT NULL")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(drawn, 2);
}

#[tokio::test]
async fn covers_of_paid_books_beyond_the_free_ones_wait_for_a_page_and_are_drawn() {
    let app = two_free_covers().await;
    let ada = app.account(5).await;
    let mut orders = Vec::new();
    for _ in 0..4 {
        let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}});
        orders.push(app.accepted(&ada, "/books", &body).await);
    }
    // As many concurrent workers as there are covers claim all four of them.
    let mut held = Vec::new();
    while let Some(assignment) = testing::claim(&app.server).await.unwrap() {
        held.push(assignment);
    }
    for assignment in &held {
        testing::attempt(&app.server, assignment).await;
    }
    app.draw_everything().await;
    for order in &orders {
        assert_eq!(ada.status(order).await, OperationStatus::Succeeded);
    }
    assert_eq!(limit(&ada, "free_covers_per_day").await, json!({"limit": 2, "used": 0}));
    assert_eq!(ada.credits().await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn changes_with_saved_replies_are_limited_per_minute() {
    let app = TestApp::builder()
        .config(|config| config.limits.changes_per_minute = 6)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A"]).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/books/{book}/pages");
    let body = json!({"page_id": page});
    assert_eq!(limit(&ada, "changes_per_minute").await, json!({"limit": 6, "used": 1}));
    for number in 0..5 {
        let attached = ada.generate(&path, &format!("a{number}"), &body).await;
        attached.expect(200);
        ada.delete(&format!("{path}/{page}")).await.expect_no_content();
    }
    assert_eq!(limit(&ada, "changes_per_minute").await, json!({"limit": 6, "used": 6}));
    let refused = ada.generate(&path, "a5", &body).await;
    refused.expect_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "10");
    let generate = async || ada.generate("/pages", "p1", &json!({"page": {"title": "A"}})).await;
    generate().await.expect_error(429, "rate_limited");
    // Replays still succeed, and so do changes whose replies are not saved.
    ada.generate(&path, "a0", &body).await.expect(200);
    ada.post(&path, &body).await.expect(200);
    app.server.clock.advance(Duration::from_secs(10));
    // A refused change does not count.
    let refused = ada.generate(&path, "a5", &body).await;
    refused.expect_fields(&["page_id"]);
    generate().await.expect(202);
    generate().await.expect(202);
    assert_eq!(ada.credits().await, 7);
}

#[tokio::test]
async fn a_long_reply_to_a_free_change_is_not_saved_but_replayed_all_the_same() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    let titles = vec!["A fox in the woods, which looks at the moon for as long as it shines"; 30];
    let book = app.ready_book(&ada, &titles).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/books/{book}/pages");
    let first = ada.generate(&path, "a1", &json!({"page_id": page})).await;
    let first = first.expect(200);
    assert!(first.to_string().len() > 4096);
    let kept: i64 = sqlx::query_scalar("SELECT CAST(length(body) AS BIGINT) FROM idempotency_keys WHERE key = 'a1'")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(kept, 0);
    let again = ada.generate(&path, "a1", &json!({"page_id": page})).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.expect(200), first);
    let other = ada
        .generate(&path, "a1", &json!({"page_id": page, "position": 1}))
        .await;
    other.expect_error(409, "idempotency_conflict");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    let gone = ada.generate(&path, "a1", &json!({"page_id": page})).await;
    // The key remains used even though the book is gone.
    gone.expect_error(409, "idempotency_conflict");
}

/// Returns the number of drawings that still contain their request.
async fn stored_requests(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT COUNT(*) FROM drawings WHERE request <> ''")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap()
}

#[tokio::test]
async fn the_request_of_a_drawing_is_deleted_a_month_after_its_end() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.ready_page(&ada, "A fox").await;
    let deleted = app.new_page(&ada, "An owl").await;
    let canceled = app.new_page(&ada, "A bat").await;
    assert_eq!(stored_requests(&app).await, 3);
    let path = format!("/pages/{}", deleted.page_id());
    ada.delete(&path).await.expect_no_content();
    let path = format!("/operations/{}/cancel", canceled.operation.id);
    ada.post(&path, &json!({})).await.expect_free();
    // They were never drawn, so no complaint can refer to them.
    assert_eq!(stored_requests(&app).await, 1);
    for ended in [&deleted, &canceled] {
        assert_eq!(ada.status(ended).await, OperationStatus::Failed);
    }
    app.server.clock.advance(Duration::from_secs(29 * 24 * 3600));
    let waiting = app.new_page(&ada, "A hare").await;
    assert_eq!(testing::forget_requests(&app.server).await.unwrap(), 0);
    app.server.clock.advance(Duration::from_secs(2 * 24 * 3600));
    assert_eq!(testing::forget_requests(&app.server).await.unwrap(), 1);
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&waiting).await, OperationStatus::Succeeded);
    app.check_books().await;
}
