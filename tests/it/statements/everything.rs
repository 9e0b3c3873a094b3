//! A use of the server that runs every statement.
use std::time::Duration;

use crate::testing;
use linepress::server;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::grants::{self, clients};
use linepress_accounts::{credits, outbox, requests, sign_in, webhooks};
use linepress_core::objects::{self, Thoroughness};
use linepress_core::operations::OperationStatus;
use linepress_drawings::spending;
use linepress_operator::administration::{self, plugin_calls};
use linepress_operator::backup::{self, LastBackup, Origin, Target};
use linepress_operator::monitoring::Monitor;
use linepress_operator::plugin_store::DatabaseStore;
use linepress_platform::config::ProviderSettings;
use linepress_platform::ids::{AccountId, BookId};
use linepress_platform::maintenance;
use linepress_platform::scopes::Scopes;
use linepress_plugin_host::PluginStore as _;
use serde_json::json;

use crate::oauth::Client;
use crate::test_app::{
    Actor, Agent, Browser, Form, Html, IdentityProvider, MailBehavior, MailServer, PASSWORD, Page, TestApp, Web,
    book_of, id, pictures,
};

/// Uses the server in every way that runs a statement.
pub(super) async fn do_everything() -> TestApp {
    let provider = IdentityProvider::open().await;
    let app = provider
        .builder(true)
        .image_provider("testbed.flaky", json!({"fail": "asked", "seeds": "all"}))
        .webhook_fetcher(provider.web.fetcher())
        .installed("linepress.sketchbook")
        .config(|config| config.sign_up = true)
        .start()
        .await;
    let server = &app.server;
    let link = sign_in::offer_first_account(server).await.unwrap().unwrap();
    let link = format!("/first-account/{}", link.expose());
    let fields = [
        ("email", "operator@example.com"),
        ("password", PASSWORD),
        ("credits", "1"),
    ];
    app.browser().post(&link, &fields).await.expect_redirect("/");
    let ada = app.account(100).await;
    use_account_pages(&app).await;
    use_second_factor(&app).await;
    use_apps(&app, &provider.web).await;
    provider
        .sign_in(&mut app.browser(), "1", "dora@example.com")
        .await
        .expect_redirect("/account");
    let fields = [("email", "emil@example.com"), ("password", PASSWORD)];
    app.browser().post("/sign-up", &fields).await.expect_redirect("/");
    provider
        .sign_in(&mut app.browser(), "2", "emil@example.com")
        .await
        .expect_redirect("/account");
    let webhook = add_webhook(&ada).await;
    ada.post_nothing("/callback_secret").await.expect(200);
    let called = json!({"page": {"title": "A"}, "callback_url": "https://id.pictures.test/events"});
    app.accepted(&ada, "/pages", &called).await;
    draw(&app, &ada).await;
    deliver_events(&app, &provider.web, &ada, &webhook).await;
    import(&app, &ada).await;
    look_at_page(&app, &ada).await;
    use_bin(&app, &ada).await;
    use_reviews(&app, &ada).await;
    for list in [
        "/characters",
        "/pages",
        "/books",
        "/operations",
        "/operations?status=failed",
        "/me",
        "/requests",
        "/ledger",
        "/usage",
        "/requests?status=4xx&code=not_found",
        "/books?q=dog&status=ready&aspect=portrait",
        "/books?q=dog&status=incomplete&sort=title",
        "/books?status=generating&sort=changed",
        "/pages?q=dog&status=ready&aspect=portrait",
        "/pages?q=dog%20night&sort=title",
        "/pages?sort=changed",
        "/characters?q=pip&status=ready",
        "/characters?archived=true&sort=title",
        "/characters?sort=changed",
    ] {
        ada.get(list).await.expect(200);
    }
    let plan = json!({"book_plan": {"theme": "Woods", "page_count": 1}});
    while ada.post("/book_plans", &plan).await.status != 429 {}
    let account = accounts::find(server, "ada@example.com").await.unwrap().unwrap();
    testing::index(server).await.unwrap();
    testing::write_request_log(server).await.unwrap();
    testing::write_plugin_calls(server).await.unwrap();
    let command_line = administration::Actor::command_line();
    let calls = plugin_calls::last(server, &command_line, "testbed.flaky")
        .await
        .unwrap();
    let call = plugin_calls::find(server, &command_line, &calls[0].id).await.unwrap();
    assert_eq!(call.unwrap().0, "testbed.flaky");
    store_values_of_a_plugin(&app).await;
    testing::trim_request_log(server, &account.id, 1).await.unwrap();
    accounts::summary(server, &account).await.unwrap();
    testing::grant(server, &account, 1).await.unwrap();
    testing::set_plan(server, &account, Plan::Business).await.unwrap();
    testing::debit(server, &account, 1, "a mistake").await.unwrap();
    credits::entries(server, &account.id, 10).await.unwrap();
    spending::since(server, None).await.unwrap();
    Monitor::new(server.clone()).text().await.unwrap();
    server.storage.put("imports/stray/image.png", "stray").await.unwrap();
    let lost = app.referred().await.into_iter().next().unwrap();
    let object = server.storage.get(&lost).await.unwrap().unwrap();
    server.storage.delete(&lost).await.unwrap();
    let found = objects::compare(server, Thoroughness::Full).await.unwrap();
    assert_eq!(found.missing.len(), 1);
    server.storage.put(&lost, object).await.unwrap();
    administer(&app).await;
    use_keys(&app, &ada).await;
    mail(&app).await;
    for key in accounts::list_keys(server, &account).await.unwrap() {
        testing::revoke_key(server, &key.id).await.unwrap();
    }
    testing::close(server, &account).await.unwrap();
    server.clock.advance(Duration::from_secs(48 * 3600));
    testing::forget_idempotency_keys(server).await.unwrap();
    testing::forget_uploads(server).await.unwrap();
    testing::forget_drafts(server).await.unwrap();
    testing::sweep_objects(server).await.unwrap();
    testing::forget_sessions(server).await.unwrap();
    testing::forget_links(server).await.unwrap();
    testing::forget_journeys(server).await.unwrap();
    testing::forget_pending_sign_ins(server).await.unwrap();
    testing::forget_grants(server).await.unwrap();
    testing::forget_throttles(server).await.unwrap();
    testing::forget_plugin_calls(server).await.unwrap();
    testing::forget_closed_plugin_stores(server).await.unwrap();
    testing::give_up_mails(server).await.unwrap();
    webhooks::forget_old(server).await.unwrap();
    requests::forget_old(server).await.unwrap();
    linepress_reviews::links::forget_old(server).await.unwrap();
    give_up(&app).await;
    server.clock.advance(Duration::from_secs(31 * 24 * 3600));
    testing::forget_requests(server).await.unwrap();
    credits::mismatches(server).await.unwrap();
    accounts::miscounted(server).await.unwrap();
    back_up(&app).await;
    maintain(&app).await;
    let actor = administration::Actor::command_line();
    administration::installation::renew_secrets(server, &actor)
        .await
        .unwrap();
    app
}

/// Uses the store of a plugin, and what operators do with it.
async fn store_values_of_a_plugin(app: &TestApp) {
    let store = DatabaseStore::new(app.server.database.clone(), app.server.clock.clone());
    for key in ["token", "price"] {
        store.set("acme.flux", key, "1".into()).await.unwrap();
    }
    store.get("acme.flux", "token").await.unwrap();
    store.delete("acme.flux", "price").await.unwrap();
    store.keys("acme.flux").await.unwrap();
    let actor = administration::Actor::command_line();
    let deleted = administration::plugin_values::clear(&app.server, &actor, "acme.flux").await;
    assert_eq!(deleted.unwrap(), 1);
    let removed = administration::plugin_values::close(&app.server, &actor, "acme.flux").await;
    assert_eq!(removed.unwrap(), 0);
}

/// Uses the functions of operators.
async fn administer(app: &TestApp) {
    let operator = app.account_named("olga@example.com", Plan::Business, 0).await;
    app.make_operator("olga@example.com").await;
    for list in [
        "/admin/accounts",
        "/admin/accounts?search=ada",
        "/admin/audit_log",
        "/admin/audit_log?target=acct_1",
        "/admin/operations",
        "/admin/operations?open=true",
        "/admin/operations?account_id=acct_1",
        "/admin/operations?account_id=acct_1&open=true",
        "/admin/queue",
        "/admin/providers",
        "/admin/spending",
        "/admin/plugins",
        "/admin/plugins/testbed.flaky/calls",
        "/admin/health",
    ] {
        operator.get(list).await.expect(200);
    }
    let new = json!({"managed_account": {"email": "hal@example.com", "plan": "free"}});
    let invited = operator.post("/admin/accounts", &new).await.expect(201);
    let hal = format!("/admin/accounts/{}", invited["managed_account"]["id"].as_str().unwrap());
    operator.get(&hal).await.expect(200);
    let plan = json!({"managed_account": {"plan": "business", "limits": {"pages": 70}}});
    operator.patch(&hal, &plan).await.expect(200);
    let gift = json!({"amount": 1, "reason": "A gift"});
    operator
        .generate(&format!("{hal}/credits"), "k1", &gift)
        .await
        .expect(200);
    let reason = json!({"reason": "A mistake"});
    operator.post(&format!("{hal}/suspend"), &reason).await.expect(200);
    operator.post_nothing(&format!("{hal}/resume")).await.expect(200);
    operator
        .post_nothing(&format!("{hal}/reset_second_factor"))
        .await
        .expect(200);
    operator.post_nothing(&format!("{hal}/close")).await.expect(200);
    operator.post("/admin/queue/pause", &reason).await.expect(200);
    operator.post_nothing("/admin/queue/resume").await.expect(200);
    let provider = "/admin/providers/testbed.flaky";
    operator
        .post(&format!("{provider}/switch_off"), &reason)
        .await
        .expect(200);
    for change in ["switch_on", "end_pause"] {
        operator.post_nothing(&format!("{provider}/{change}")).await.expect(200);
    }
    let ida = app.account_named("ida@example.com", Plan::Business, 5).await;
    let ordered = app.new_page(&ida, "A fox").await;
    let operation = format!("/admin/operations/{}", ordered.operation_id());
    operator.get(&operation).await.expect(200);
    for change in ["retry", "cancel"] {
        operator
            .post_nothing(&format!("{operation}/{change}"))
            .await
            .expect(200);
    }
}

/// Makes a backup, and one that fails.
async fn back_up(app: &TestApp) {
    let folder = tempfile::tempdir().unwrap();
    let target = Target::create(folder.path().to_str().unwrap(), &app.server.config).unwrap();
    let scratch = app.server.config.incoming_dir();
    let origin = Origin::of(&app.server);
    backup::create(origin, &target, None, &scratch).await.unwrap();
    let newer = folder.path().join("snapshots/newer");
    std::fs::create_dir(&newer).unwrap();
    std::fs::write(newer.join("snapshot.json"), "{\"format\": 99}").unwrap();
    backup::create(origin, &target, None, &scratch).await.unwrap_err();
}

/// Begins maintenance, looks at it and at the age of the last backup, and ends it.
async fn maintain(app: &TestApp) {
    crate::maintenance::begin_with(app, "").await;
    assert!(crate::maintenance::end(app).await);
    assert!(maintenance::current(&app.server).await.unwrap().is_none());
    for dir in ["", "/backups"] {
        let node = app.another_node_with(|config| config.backup.dir = dir.into()).await;
        LastBackup::find(&node).await.unwrap();
        let actor = administration::Actor::command_line();
        administration::backups::request(&node, &actor).await.unwrap();
        administration::backups::state(&node, &actor).await.unwrap();
    }
}

async fn look_at_page(app: &TestApp, ada: &Actor) {
    let page = app.new_page(ada, "A cat").await;
    let page = format!("/pages/{}", page.page_id());
    let caption = json!({"page": {"caption": "Who sleeps here?"}});
    ada.patch(&page, &caption).await.expect(200);
    let mut browser = app.browser_of("ada@example.com").await;
    browser.get(&format!("/library{page}")).await.expect(200, "A cat");
    ada.delete(&page).await.expect_no_content();
    let book = app.ready_book(ada, &["A dog"]).await;
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, "A dog");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
}

/// Restores a page and a book, and deletes pages for good in every way.
async fn use_bin(app: &TestApp, ada: &Actor) {
    let book = app.ready_book(ada, &["A dog"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.get("/bin").await.expect(200);
    // It takes the place to which the page returns.
    let other = app.imported_page(ada, "A cow").await;
    ada.post(&format!("/books/{book}/pages"), &json!({"page_id": other}))
        .await
        .expect(200);
    ada.post_nothing(&format!("/bin/{page}/restore")).await.expect(200);
    app.accepted(ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.post_nothing(&format!("/bin/{page}/restore")).await.expect(200);
    testing::attempt(&app.server, &claimed).await;
    // Drawings that end in the bin.
    for (kind, id, again, change) in [
        (
            "pages",
            &page,
            "regenerate",
            json!({"page": {"prompt": "A dog at night"}}),
        ),
        (
            "books",
            &book,
            "cover/regenerate",
            json!({"cover": {"prompt": "A cat"}}),
        ),
    ] {
        let path = format!("/{kind}/{id}");
        app.accepted(ada, &format!("{path}/{again}"), &change).await;
        let claimed = testing::claim(&app.server).await.unwrap().unwrap();
        ada.delete(&path).await.expect_no_content();
        testing::attempt(&app.server, &claimed).await;
        ada.post_nothing(&format!("/bin/{id}/restore")).await.expect(200);
    }
    app.accepted(
        ada,
        &format!("/books/{book}/pages"),
        &json!({"page": {"title": "A cat"}}),
    )
    .await;
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.post_nothing(&format!("/bin/{book}/restore")).await.expect(200);
    for end in ["", "/bin", "old"] {
        let page = app.imported_page(ada, "A wolf").await;
        ada.delete(&format!("/pages/{page}")).await.expect_no_content();
        match end {
            "old" => {
                app.server.clock.advance(Duration::from_secs(31 * 24 * 3600));
                assert_eq!(testing::forget_deleted(&app.server).await.unwrap(), 1);
            }
            "" => ada.delete(&format!("/bin/{page}")).await.expect_no_content(),
            all => ada.delete(all).await.expect_no_content(),
        }
    }
    ada.post_nothing(&format!("/books/{book}/copy")).await.expect(201);
    let next = json!({"book_plan": {"theme": "Woods", "page_count": 1, "follows": book}});
    ada.post("/book_plans", &next).await.expect(200);
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library/books/new?follows={book}"))
        .await
        .expect(200, "The next volume");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.delete(&format!("/bin/{book}")).await.expect_no_content();
}

/// Shows a book to a visitor, who comments on it and on its page, and ends both.
async fn use_reviews(app: &TestApp, ada: &Actor) {
    let book = app.ready_book(ada, &["A dog"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (link, shown) = app.review_link(ada, &book).await;
    let mut visitor = app.browser();
    visitor.get(&shown).await.expect(200, "A dog");
    for picture in [
        "cover",
        &format!("pages/{page}/image"),
        &format!("pages/{page}/thumbnail"),
    ] {
        let picture = visitor.open(&format!("{shown}/{picture}")).await;
        assert_eq!(picture.status(), 200);
    }
    for about in ["", page.as_str()] {
        let fields = [("page", about), ("name", "Grandma"), ("text", "A longer tail")];
        let sent = visitor.post(&format!("{shown}/comments"), &fields).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }
    ada.get(&format!("/books/{book}/review_links")).await.expect(200);
    let comments = ada.get(&format!("/books/{book}/comments")).await.expect(200);
    let comment = format!("/comments/{}", comments["comments"][0]["id"].as_str().unwrap());
    let done = json!({"comment": {"resolved": true}});
    ada.patch(&comment, &done).await.expect(200);
    ada.delete(&comment).await.expect_no_content();
    ada.delete(&format!("/review_links/{link}")).await.expect_no_content();
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.delete(&format!("/bin/{book}")).await.expect_no_content();
}

/// Waits too long for a provider that is not loaded.
async fn give_up(app: &TestApp) {
    let gil = app.account_named("gil@example.com", Plan::Business, 1).await;
    app.new_page(&gil, "A fox").await;
    let without = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    app.server.clock.advance(Duration::from_secs(48 * 3600));
    assert_eq!(testing::give_up(&without).await.unwrap(), 1);
}

/// Creates a webhook with two secrets; returns its path.
async fn add_webhook(ada: &Actor) -> String {
    let new = json!({"webhook": {"url": "https://id.pictures.test/events"}});
    let made = ada.post("/webhooks", &new).await.expect(201);
    let path = format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    let rotate = format!("{path}/rotate_secret");
    ada.post(&rotate, &json!({"overlap_hours": 1})).await.expect(200);
    path
}

/// Sends events to a receiver that is gone, and uses the log of what was sent.
async fn deliver_events(app: &TestApp, web: &Web, ada: &Actor, webhook: &str) {
    web.page(
        "/events",
        Page::Whole(b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".to_vec()),
    );
    while testing::deliver_to_webhook(&app.server).await.unwrap() {}
    ada.get("/webhooks").await.expect(200);
    for is_paused in [false, true, false] {
        let change = json!({"webhook": {"paused": is_paused}});
        ada.patch(webhook, &change).await.expect(200);
    }
    let log = ada.get(&format!("{webhook}/deliveries")).await.expect(200);
    let delivery = log["deliveries"][0]["id"].as_str().unwrap();
    ada.post_nothing(&format!("{webhook}/deliveries/{delivery}/replay"))
        .await
        .expect(200);
    ada.post_nothing(&format!("{webhook}/test")).await.expect(200);
    ada.delete(webhook).await.expect_no_content();
}

/// Sends mails from a node that has a mail server, and uses the links in them.
async fn mail(app: &TestApp) {
    let mail = MailServer::start().await;
    let node = app.another_node_with(|config| mail.configure(config)).await;
    let browser = || Browser::of(server::router(node.clone()));
    let (email, mut ivy) = ("ivy@example.com", browser());
    ivy.post("/sign-up", &[("email", email), ("password", PASSWORD)])
        .await
        .expect_redirect("/account");
    mail.behave(MailBehavior::Busy);
    assert!(testing::deliver_mail(&node).await.unwrap());
    assert_eq!(outbox::waiting(&node).await.unwrap(), 1);
    mail.behave(MailBehavior::Take);
    node.clock.advance(Duration::from_secs(600));
    assert!(testing::deliver_mail(&node).await.unwrap());
    let link = mail.take_one().path("/verify/");
    ivy.submit(&link, &link, &[])
        .await
        .expect_redirect("/account?verified=yes");
    ivy.submit(
        "/account",
        "/account/notices",
        &[("book_ready", "yes"), ("low_credits", "yes")],
    )
    .await
    .expect_redirect("/account?saved=yes#notices");
    browser()
        .post("/forgot-password", &[("email", email)])
        .await
        .expect(200, "is on its way");
    assert!(testing::deliver_mail(&node).await.unwrap());
    mail.take_one().path("/reset/");
    let account = accounts::find(&node, email).await.unwrap().unwrap();
    testing::set_plan(&node, &account, Plan::Business).await.unwrap();
    testing::grant(&node, &account, 5).await.unwrap();
    let (_, key) = testing::create_key(&node, &account, "laptop").await.unwrap();
    let ivy = app.with_key(key.expose()).at(server::router(node.clone()));
    app.accepted(&ivy, "/books", &book_of(1)).await;
    while testing::work_once(&node).await.unwrap() {}
    while testing::deliver_mail(&node).await.unwrap() {}
    for mail in mail.take() {
        let link = mail.path("/unsubscribe/");
        browser().post(&link, &[]).await.expect(200, "no longer get an e-mail");
    }
}

/// Makes, uses, rotates and revokes an API key with a limit, also as an agent.
async fn use_keys(app: &TestApp, ada: &Actor) {
    let limited = json!({"key": {"name": "shop", "credit_cap": 1, "credit_period": "day"}});
    let made = ada.post("/keys", &limited).await.expect(201);
    let path = format!("/keys/{}", id(&made, "key"));
    let shop = app.with_key(made["secret"].as_str().unwrap());
    shop.generate("/books", &app.new_key(), &book_of(2))
        .await
        .expect_error(402, "credit_cap_reached");
    let accepted = app.accepted(&shop, "/books", &book_of(1)).await;
    let cancel = format!("/operations/{}/cancel", accepted.operation_id());
    shop.post_nothing(&cancel).await.expect(200);
    for list in ["/requests", "/requests?code=not_found"] {
        shop.get(list).await.expect(200);
    }
    let page = app.imported_page(&shop, "A fox").await;
    let node = app.another_node_with(|config| config.mcp_api_keys = true).await;
    let router = server::router(node);
    let agent = Agent::new(router.clone(), shop.key());
    let link = agent.call("get_page_image", json!({"page_id": page})).await;
    let url = link.expect()["url"].as_str().unwrap().to_owned();
    assert_eq!(app.anonymous().at(router).get(&url).await.status, 200);
    ada.get("/keys").await.expect(200);
    ada.get(&path).await.expect(200);
    ada.post_nothing(&format!("{path}/rotate")).await.expect(200);
    ada.delete(&path).await.expect_no_content();
    use_test_key(app, ada).await;
}

/// Draws with a test key on a node without other providers, when its credits are spent.
async fn use_test_key(app: &TestApp, ada: &Actor) {
    let made = ada.post("/keys", &json!({"key": {"name": "CI", "test": true}})).await;
    let test = app.with_key(made.expect(201)["secret"].as_str().unwrap());
    let sandbox = AccountId::from_text(test.account_id().await);
    let sandbox = accounts::find_by_id(&app.server, &sandbox).await.unwrap().unwrap();
    let credits = test.credits().await;
    testing::debit(&app.server, &sandbox, credits, "").await.unwrap();
    let accepted = app.accepted(&test, "/books", &book_of(1)).await;
    let node = app
        .another_node_with(|config| config.image_providers = vec!["acme.none".into()])
        .await;
    while testing::work_once(&node).await.unwrap() {}
    assert_eq!(test.status(&accepted).await, OperationStatus::Succeeded);
}

/// Signs in and out, and uses the pages of the account.
async fn use_account_pages(app: &TestApp) {
    let server = &app.server;
    let mut bob = app.person("bob@example.com", Plan::Business, 1).await;
    server.clock.advance(Duration::from_secs(48 * 3600));
    assert!(bob.is_signed_in().await);
    for _ in 0..11 {
        app.browser().sign_in("carol@example.com", "wrong horse battery").await;
    }
    bob.submit("/account/keys", "/account/keys", &[("name", "laptop")])
        .await;
    let keys = bob.get("/account/keys").await.text;
    let (_, rest) = keys.split_once("href=\"/account/keys/key_").unwrap();
    let revoke = format!("/account/keys/key_{}", rest.split('"').next().unwrap());
    bob.submit(&revoke, &revoke, &[]).await.expect_redirect("/account/keys");
    let fields = [("current", PASSWORD), ("password", "another horse battery")];
    let path = "/account/password";
    bob.submit(path, path, &fields)
        .await
        .expect_redirect("/account/password?changed=yes");
    edit_drafts(&mut bob).await;
    let account = accounts::find(server, "bob@example.com").await.unwrap().unwrap();
    let reset = testing::offer_password_reset(server, &account).await.unwrap();
    let reset = format!("/reset/{}", reset.expose());
    bob.post(&reset, &[("password", PASSWORD)]).await.expect_redirect("/");
    bob.submit("/account", "/sign-out", &[])
        .await
        .expect_redirect("/sign-in");
    testing::close(server, &account).await.unwrap();
}

/// Turns the second factor on, signs in with both kinds of codes, and turns it off.
async fn use_second_factor(app: &TestApp) {
    let mut fay = app.person("fay@example.com", Plan::Free, 0).await;
    let (authenticator, codes) = fay.turn_on_second_factor(app).await;
    for code in [&authenticator.code(app), &codes[0]] {
        let mut browser = app.browser();
        browser.begin_sign_in("fay@example.com").await;
        browser.enter_code(code).await.expect_redirect("/");
    }
    fay.turn_off_second_factor(&codes[1]).await.expect(200, "is off");
}

/// Creates two book plans, deletes one, and orders the other.
async fn edit_drafts(bob: &mut Browser) {
    let wishes = [("theme", "Woods"), ("page_count", "1")];
    for form in ["delete", "order"] {
        let planned = bob.submit("/library/books/new", "/library/books/plan", &wishes).await;
        let path = planned.header("location").to_owned();
        let shown = bob.get(&path).await;
        bob.get("/library").await.expect(200, &path);
        choose_photographs(bob, &path, &shown).await;
        let shown = bob.get(&path).await;
        let (seen, own) = (shown.value_of("seen"), shown.value_of("own"));
        let fields = [
            ("title", "Woods"),
            ("page_title", "A fox"),
            ("page_prompt", ""),
            ("page_caption", ""),
            ("price", "1"),
            ("seen", &seen),
            ("own", &own),
        ];
        let done = bob.submit(&path, &format!("{path}/{form}"), &fields).await;
        assert_eq!(done.status, 303, "{}", done.text);
        if form == "order" {
            let book = done.header("location").split('?').next().unwrap();
            bob.get(&format!("{book}/add")).await.expect(200, "Add a page");
        }
    }
    bob.get("/library/characters/archived").await.expect(200, "Archived");
}

/// Chooses a photograph for the page of a plan, and one for a page that the plan does not have.
async fn choose_photographs(bob: &mut Browser, path: &str, plan: &Html) {
    let fields = plan.form(path);
    let text = |name: &str| fields.iter().find(|(field, _)| field == name).unwrap().1.clone();
    let page = json!({
        "title": text("page_title"), "prompt": text("page_prompt"), "caption": text("page_caption"),
    });
    for (was_page, to) in [
        (page.to_string(), format!("{path}#page-0")),
        ("{}".to_owned(), format!("{path}?done=plan-changed")),
    ] {
        let sent = Form::new()
            .text("csrf_token", &text("csrf_token"))
            .text("page", "1")
            .text("was_page", &was_page)
            .picture("dog.jpg", &pictures::photograph(900, 600));
        bob.send_file(&format!("{path}/photo"), sent).await.expect_redirect(&to);
    }
}

/// Connects use_apps, lets one spend credits, and disconnects them.
async fn use_apps(app: &TestApp, web: &Web) {
    let server = &app.server;
    let email = "flora@example.com";
    let mut dora = app.person(email, Plan::Business, 5).await;
    let redirect = json!({"redirect_uris": ["https://agent.test/cb"], "token_endpoint_auth_method": "none"});
    let client = Client::register(app, redirect).await;
    client
        .decide(&mut dora, &client.address(&[]), &[("decision", "deny")])
        .await;
    let code = client.code(&mut dora, &[]).await;
    let tokens = client.redeem(app, &code).await.expect(200);
    client.refresh(app, &tokens).await.expect(200);
    let access = tokens["access_token"].as_str().unwrap();
    client.send(app, "/oauth/revoke", &[("token", access)]).await;
    assert_eq!(client.redeem(app, &code).await.status, 400);
    let (agent, granted) = app.agent_with(email, Scopes::ALL, Some(1)).await;
    let page = |title: &str| json!({"title": title, "idempotency_key": title, "confirm_credits": 1});
    agent.call("create_page", page("refused")).await.expect();
    agent
        .call("create_page", page("more"))
        .await
        .expect_error("credit_cap_reached");
    let limit = format!("/account/apps/{}/limit", granted.grant_id);
    dora.submit(&limit, &limit, &[("credit_cap", "2")])
        .await
        .expect_redirect("/account/apps");
    app.draw_everything().await;
    let drawn = agent.call("create_page", page("fox")).await;
    let queued = json!({"operation_id": drawn.expect()["operation"]["id"], "seconds": 1});
    agent.call("wait_for_operation", queued).await.expect();
    app.draw_everything().await;
    for (prompt, argument) in [("review_book", "book"), ("make_book", "character")] {
        let reference = json!({"type": "ref/prompt", "name": prompt});
        let completed = json!({"ref": reference, "argument": {"name": argument, "value": "f"}});
        agent.request("completion/complete", completed).await;
    }
    let image = agent
        .call("get_page_image", json!({"page_id": drawn.expect()["page"]["id"]}))
        .await;
    let image = image.expect()["url"].as_str().unwrap().to_owned();
    assert_eq!(app.anonymous().get(&image).await.status, 200);
    let found = grants::caller_of_token(server, &granted.access_token, &server.config.mcp_url()).await;
    let caller = found.unwrap().unwrap();
    assert!(grants::calling_app(server, &caller).await.unwrap().is_some());
    grants::list_all(server).await.unwrap();
    let owner = app.owner(email).await;
    assert!(!grants::list_for(server, &owner).await.unwrap().is_empty());
    assert!(grants::revoke(server, &owner, &granted.grant_id).await.unwrap());
    let address = "https://pictures.test/client.json";
    let document = json!({"client_id": address, "redirect_uris": ["https://agent.test/cb"]});
    web.file("/client.json", document.to_string().as_bytes());
    let client = Client {
        id: address.into(),
        ..client
    };
    client.code(&mut dora, &[]).await;
    let known = clients::list(server).await.unwrap();
    clients::revoke(server, &known[0].id).await.unwrap();
}

async fn draw(app: &TestApp, ada: &Actor) {
    let server = &app.server;
    let character = app.ready_character(ada, "Pip").await;
    let page = app.ready_page(ada, "A fox").await;
    let body = json!({"book": {"title": "B", "character_ids": [character], "pages": [
        {"title": "An owl", "character_ids": [character]}, {"title": "refused"}, {"page_id": page}]}});
    let accepted = app.accepted(ada, "/books", &body).await;
    let book = format!("/books/{}", accepted.book_id());
    let held = testing::claim(server).await.unwrap().unwrap();
    testing::renew(server, &held).await.unwrap();
    testing::note_progress(server, &held, 1, 2).await.unwrap();
    testing::release(server, &held).await.unwrap();
    app.draw_everything().await;
    for path in [format!("/characters/{character}"), format!("/pages/{page}")] {
        app.accepted(ada, &format!("{path}/regenerate"), &json!({})).await;
    }
    app.accepted(
        ada,
        &format!("{book}/pages"),
        &json!({"page": {"title": "A hare"}, "position": 1}),
    )
    .await;
    app.draw_everything().await;
    app.accepted(ada, &format!("{book}/restyle"), &json!({"book": {"detail": "simple"}}))
        .await;
    app.draw_everything().await;
    let instruction = json!({"page": {"instruction": "A hat"}});
    app.accepted(ada, &format!("/pages/{page}/refine"), &instruction).await;
    app.draw_everything().await;
    ada.get(&format!("/pages?book_id={}", accepted.book_id()))
        .await
        .expect(200);
    ada.get(&format!("/characters/{character}/reference_image")).await;
    ada.get(&format!("{book}/cover_image")).await;
    ada.get(&format!("/pages/{page}/image")).await;
    let preview = json!({"character": {"public_preview": true}});
    let shown = ada
        .patch(&format!("/characters/{character}"), &preview)
        .await
        .expect(200);
    app.anonymous()
        .get(shown["character"]["public_preview_url"].as_str().unwrap())
        .await;
    let hidden = json!({"character": {"public_preview": false}});
    ada.patch(&format!("/characters/{character}"), &hidden)
        .await
        .expect(200);
    let change = json!({"book": {"title": "C", "character_ids": [character]}});
    ada.patch(&book, &change).await.expect(200);
    let change = json!({"page": {"title": "C", "character_ids": [character]}});
    ada.patch(&format!("/pages/{page}"), &change).await.expect(200);
    let id = accepted.book_id();
    let failed = accepted.book().pages[1].id.to_string();
    ada.delete(&format!("{book}/pages/{failed}")).await.expect_no_content();
    let mut order = ada.page_ids(&id).await;
    order.reverse();
    ada.patch(&format!("{book}/pages/order"), &json!({"page_ids": order}))
        .await
        .expect(200);
    for format in ["a4", "a4", "us_letter"] {
        assert_eq!(ada.get(&format!("{book}/pdf?format={format}")).await.status, 200);
    }
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library{book}/listing"))
        .await
        .expect(200, "Keywords");
    for path in [format!("/pages/{page}"), format!("/characters/{character}")] {
        choose_attempt(ada, &path).await;
    }
    let stored = linepress_core::books::artwork_of(&app.server, &BookId::from_text(id)).await;
    assert!(stored.unwrap().is_some());
    forget_old_editions(app, ada, &book).await;
    replace_reference(app, ada, &character).await;
    ada.delete(&format!("/characters/{character}"))
        .await
        .expect_no_content();
    ada.post_nothing(&format!("/characters/{character}/restore"))
        .await
        .expect(200);
    put_off_and_canceled(app, ada).await;
    let form = Form::image(&pictures::png(576, 768));
    assert_eq!(
        ada.send_form("PUT", &format!("{book}/cover_image"), form).await.status,
        200
    );
    app.accepted(ada, &format!("{book}/cover/regenerate"), &json!({})).await;
    app.draw_everything().await;
    choose_attempt(ada, &format!("{book}/cover")).await;
    discard_attempts(app, ada, &page).await;
    ada.delete(&book).await.expect_no_content();
}

/// Chooses the oldest attempt of what has this address.
async fn choose_attempt(ada: &Actor, path: &str) {
    let listed = ada.get(&format!("{path}/attempts")).await.expect(200);
    let oldest = listed["attempts"].as_array().unwrap().last().unwrap();
    let oldest = format!("{path}/attempts/{}", oldest["id"].as_str().unwrap());
    assert_eq!(ada.get(&format!("{oldest}/image")).await.status, 200);
    ada.post_nothing(&format!("{oldest}/choose")).await.expect(200);
}

/// Has earlier pictures discarded: by age, and for a picture for which there is no room.
async fn discard_attempts(app: &TestApp, ada: &Actor, page: &str) {
    testing::forget_attempts(&app.server).await.unwrap();
    let change = async |bytes: i64| {
        let mut tx = app.server.database.begin().await.unwrap();
        sqlx::query("UPDATE accounts SET stored_bytes = stored_bytes + $1")
            .bind(bytes)
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    };
    change(1_000_000_000_000).await;
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), form)
        .await
        .expect(200);
    change(-1_000_000_000_000).await;
}

/// Makes an account exceed the limit for stored PDFs.
async fn forget_old_editions(app: &TestApp, ada: &Actor, book: &str) {
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE editions SET byte_size = 3000000000, made_at = 0 WHERE name LIKE 'us_letter/%'")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    ada.patch(book, &json!({"book": {"title": "D"}})).await.expect(200);
    assert_eq!(ada.get(&format!("{book}/pdf?format=a4")).await.status, 200);
}

/// Draws a character again while a page waits for its previous reference, which is deleted.
async fn replace_reference(app: &TestApp, ada: &Actor, character: &str) {
    let server = &app.server;
    let body = json!({"page": {"title": "A fox", "character_ids": [character]}});
    app.accepted(ada, "/pages", &body).await;
    let waiting = testing::claim(server).await.unwrap().unwrap();
    let path = format!("/characters/{character}/regenerate");
    app.accepted(ada, &path, &json!({})).await;
    testing::work_once(server).await.unwrap();
    testing::release(server, &waiting).await.unwrap();
    // Its previous reference is an attempt now, which may be discarded before the page is drawn.
    let before: String = sqlx::query_scalar(
        "SELECT a.image_key FROM attempts t JOIN artworks a ON a.id = t.artwork_id \
         WHERE t.target_id = $1 AND t.replaced_at IS NOT NULL ORDER BY t.replaced_at DESC LIMIT 1",
    )
    .bind(character)
    .fetch_one(&server.database.read)
    .await
    .unwrap();
    server.storage.delete(&before).await.unwrap();
    server.clock.advance(Duration::from_secs(3600));
    testing::sweep_objects(server).await.unwrap();
    app.draw_everything().await;
}

async fn put_off_and_canceled(app: &TestApp, ada: &Actor) {
    let server = &app.server;
    // Its provider is paused, and then tested by one call.
    let down = app.new_page(ada, "unavailable").await;
    for _ in 0..8 {
        testing::work_once(server).await.unwrap();
        server.clock.advance(Duration::from_secs(20));
    }
    ada.delete(&format!("/pages/{}", down.page_id()))
        .await
        .expect_no_content();
    server.clock.advance(Duration::from_secs(60));
    // The page of that call is deleted before it is made.
    let gone = app.new_page(ada, "A dog").await;
    let probe = testing::claim(server).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{}", gone.page_id()))
        .await
        .expect_no_content();
    testing::attempt(server, &probe).await;
    let body = json!({"page": {"title": "A cat"}});
    for _ in 0..2 {
        ada.generate("/pages", "twice", &body).await.expect(202);
    }
    testing::work_once(server).await.unwrap();
    let waiting = app.new_page(ada, "unavailable").await;
    testing::work_once(server).await.unwrap();
    server.clock.advance(Duration::from_secs(60));
    let other = app.new_page(ada, "other").await;
    ada.delete(&format!("/pages/{}", waiting.page_id()))
        .await
        .expect_no_content();
    testing::work_once(server).await.unwrap();
    ada.delete(&format!("/pages/{}", other.page_id()))
        .await
        .expect_no_content();
    let limited = app.another_node_with(|config| {
        let settings = ProviderSettings {
            per_minute: Some(60),
            ..ProviderSettings::default()
        };
        config.providers.insert("testbed.flaky".into(), settings);
    });
    app.new_page(ada, "A limited cat").await;
    assert!(testing::work_once(&limited.await).await.unwrap());
    let undrawn = ada.generate("/books", "undrawn", &book_of(1)).await.expect(202);
    ada.delete(&format!("/books/{}", undrawn["book"]["id"].as_str().unwrap()))
        .await
        .expect_no_content();
    // No job is left in the queue.
    assert!(!testing::work_once(server).await.unwrap());
    ada.post(
        "/book_plans",
        &json!({"book_plan": {"theme": "Woods", "page_count": 2}}),
    )
    .await
    .expect(200);
}

async fn import(app: &TestApp, ada: &Actor) {
    let page = app.imported_page(ada, "A bear").await;
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), form)
        .await
        .expect(200);
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    app.anonymous()
        .send_to(url, pictures::png(576, 768))
        .await
        .expect_no_content_at_all();
    let body = json!({"title": "A fox", "upload_id": upload.id});
    ada.post("/pages/import", &body).await.expect(201);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
}
