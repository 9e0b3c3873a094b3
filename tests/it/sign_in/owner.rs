//! Accounts that an attacker created with another person's address, when the owner of the address arrives.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::grants::{self, NewGrant};
use linepress_accounts::sign_in::{self, PasswordHash};
use linepress_platform::scopes::Scopes;
use serde_json::json;
use sqlx::AssertSqlSafe;

use crate::maintenance;
use crate::oauth::{APPROVE_ALL, Client};
use crate::test_app::{Actor, Browser, Builder, IdentityProvider, PASSWORD, TestApp, Web, all_accounts, borrowed};
use crate::webhooks::status;

const ADA: &str = "ada@example.com";
const NEW_PASSWORD: &str = "another horse battery";

fn open_to_all(builder: Builder) -> Builder {
    builder.config(|config| {
        config.sign_up = true;
        config.sign_up_plan = Plan::Business;
        config.sign_up_credits = 10;
    })
}

/// Creates an account with Ada's address for the attacker Eve, and an API key of it.
async fn eve(app: &TestApp) -> (Browser, Actor) {
    let mut eve = app.browser();
    eve.post("/sign-up", &[("email", ADA), ("password", PASSWORD)])
        .await
        .expect_redirect("/");
    let key = key(app, &mut eve).await;
    (eve, key)
}

async fn key(app: &TestApp, browser: &mut Browser) -> Actor {
    let made = browser
        .submit("/account/keys", "/account/keys", &[("name", "a key")])
        .await;
    let (_, rest) = made.text.split_once("class=\"secret\">lp_").unwrap();
    app.with_key(&format!("lp_{}", rest.split('<').next().unwrap()))
}

async fn book(app: &TestApp, owner: &Actor) -> String {
    let page = app.imported_page(owner, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    app.accepted(owner, "/books", &body).await.book_id()
}

/// Makes a review link to a new book; returns the path of its page.
async fn show_a_book(app: &TestApp, owner: &Actor) -> String {
    let book = book(app, owner).await;
    app.review_link(owner, &book).await.1
}

/// Makes a character with a public preview; returns the address of the preview.
async fn show_a_character(app: &TestApp, owner: &Actor) -> String {
    let character = app.ready_character(owner, "Pip").await;
    let body = json!({"character": {"public_preview": true}});
    let shared = owner
        .patch(&format!("/characters/{character}"), &body)
        .await
        .expect(200);
    shared["character"]["public_preview_url"].as_str().unwrap().to_owned()
}

/// The operator has verified that the request comes from Ada.
async fn give_to_ada(app: &TestApp, by_link: bool) {
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    if by_link {
        let link = testing::offer_password_reset(&app.server, &account).await.unwrap();
        app.browser()
            .post(&format!("/reset/{}", link.expose()), &[("password", NEW_PASSWORD)])
            .await
            .expect_redirect("/");
    } else {
        testing::set_password(&app.server, &account, NEW_PASSWORD)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_password_set_by_the_operator_revokes_everything_of_the_attacker() {
    for by_link in [true, false] {
        let app = open_to_all(TestApp::builder()).start().await;
        let (mut eve, back_door) = eve(&app).await;
        back_door.get("/me").await.expect(200);
        app.grant(ADA, Scopes::ALL, None).await;
        let shown = show_a_book(&app, &back_door).await;
        let preview = show_a_character(&app, &back_door).await;
        let (mut visitor, anyone) = (app.browser(), app.anonymous());
        visitor.get(&shown).await.expect(200, "<h1 dir=\"auto\">B</h1>");
        assert_eq!(anyone.get(&preview).await.status, 200);
        give_to_ada(&app, by_link).await;
        assert!(!eve.is_signed_in().await);
        visitor.get(&shown).await.expect(404, "This link does not work");
        assert_eq!(anyone.get(&preview).await.status, 404);
        back_door.get("/me").await.expect_error(401, "unauthorized");
        app.browser().sign_in(ADA, PASSWORD).await.expect(422, "is wrong");
        let mut ada = app.browser();
        ada.sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
        ada.get("/account/apps").await.expect(200, "No app is connected");

        // Keys, grants, previews and review links that the owner creates afterwards stay.
        let own = key(&app, &mut ada).await;
        app.grant(ADA, Scopes::ALL, None).await;
        let shown = show_a_book(&app, &own).await;
        let preview = show_a_character(&app, &own).await;
        give_to_ada(&app, by_link).await;
        assert_eq!(anyone.get(&preview).await.status, 200);
        visitor.get(&shown).await.expect(200, "<h1 dir=\"auto\">B</h1>");
        own.get("/me").await.expect(200);
        app.browser().sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
        assert!(!ada.is_signed_in().await);
        ada.sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
        ada.get("/account/apps").await.expect(200, "An app");
    }
}

#[tokio::test]
async fn orders_of_the_attacker_that_are_under_way_lose_their_callbacks() {
    let web = Web::open_for(&["shop.test"]).await;
    for path in ["/eve", "/ada"] {
        web.page(path, status("204 No Content"));
    }
    let builder = TestApp::builder().webhook_fetcher(web.fetcher());
    let app = open_to_all(builder).start().await;
    let order = |url: &str| json!({"page": {"title": "A fox"}, "callback_url": url});
    let (_, back_door) = eve(&app).await;
    app.accepted(&back_door, "/pages", &order("https://shop.test/eve"))
        .await;
    give_to_ada(&app, false).await;
    let mut ada = app.browser();
    ada.sign_in(ADA, NEW_PASSWORD).await.expect_redirect("/");
    let own = key(&app, &mut ada).await;
    app.accepted(&own, "/pages", &order("https://shop.test/ada")).await;
    app.draw_everything().await;
    while testing::deliver_to_webhook(&app.server).await.unwrap() {}
    let requests = web.requests();
    let called: Vec<&str> = requests
        .iter()
        .filter_map(|request| request.split(' ').nth(1))
        .collect();
    assert_eq!(called, ["/ada"]);
}

#[tokio::test]
async fn a_replaced_link_revokes_nothing() {
    let app = open_to_all(TestApp::builder()).start().await;
    let (mut eve, _) = eve(&app).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    let replaced = testing::offer_password_reset(&app.server, &account).await.unwrap();
    testing::offer_password_reset(&app.server, &account).await.unwrap();
    let reset = sign_in::reset_password(&app.server, replaced.expose(), NEW_PASSWORD).await;
    assert!(reset.unwrap().is_none());
    assert!(eve.is_signed_in().await);
}

#[tokio::test]
async fn a_grant_made_while_the_owner_signs_in_is_revoked_as_well() {
    let provider = IdentityProvider::open().await;
    let app = open_to_all(provider.builder(false)).start().await;
    eve(&app).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    let client_id = app.grant(ADA, Scopes::ALL, None).await.client_id;
    // Locks the account, as an approval does.
    let mut approval = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE accounts SET updated_at = updated_at WHERE id = $1")
        .bind(account.id.as_str())
        .execute(&mut *approval)
        .await
        .unwrap();
    let new = NewGrant {
        account_id: &account.id,
        client_id: &client_id,
        scopes: Scopes::ALL,
        resource: &app.server.config.mcp_url(),
        credit_cap: None,
        expires_at: app.server.clock.now().plus(Duration::from_secs(60)),
    };
    grants::create(&app.server, &mut approval, &new).await.unwrap();
    let approve = async {
        app.until_another_waits_for(&mut approval).await;
        approval.commit().await.unwrap();
    };
    let mut ada = app.browser();
    // The provider's web server responds while the approval has not ended.
    let (came, ()) = tokio::join!(provider.sign_in(&mut ada, "7", ADA), approve);
    came.expect_redirect("/account");
    ada.get("/account/apps").await.expect(200, "No app is connected");
}

/// Hands the account over to Ada once the request has been authenticated and waits for the handover.
async fn around_handover<T>(app: &TestApp, request: impl Future<Output = T>) -> T {
    // Otherwise the last use of a key would be written during the handover, and wait for it as well.
    maintenance::stored(&app.server).await;
    let account = app.account_of(ADA).await;
    let password = PasswordHash::of(&app.server, ADA, NEW_PASSWORD).await.unwrap();
    let mut handover = app.server.database.begin().await.unwrap();
    sign_in::set_password(&app.server, &mut handover, &account.id, &password)
        .await
        .unwrap();
    let commit = async {
        app.until_another_waits_for(&mut handover).await;
        handover.commit().await.unwrap();
    };
    let (response, ()) = tokio::join!(request, commit);
    response
}

/// Returns the numbers of public previews, review links and webhooks, and of the keys and grants that are not revoked.
async fn in_force(app: &TestApp) -> [i64; 5] {
    const ROWS: [&str; 5] = [
        "characters WHERE preview_token IS NOT NULL",
        "review_links",
        "webhooks",
        "api_keys WHERE revoked_at IS NULL",
        "grants WHERE revoked_at IS NULL",
    ];
    let mut counts = [0; 5];
    for (count, rows) in counts.iter_mut().zip(ROWS) {
        *count = sqlx::query_scalar(AssertSqlSafe(format!("SELECT COUNT(*) FROM {rows}")))
            .fetch_one(&app.server.database.read)
            .await
            .unwrap();
    }
    counts
}

#[tokio::test]
async fn a_request_with_a_key_that_waits_for_the_handover_makes_nothing() {
    for (what, is_test) in [
        ("public preview", false),
        ("review link", false),
        ("webhook", false),
        ("webhook", true),
        ("callback secret", false),
        ("key", false),
        ("key", true),
    ] {
        let app = open_to_all(TestApp::builder()).start().await;
        let (_, live) = eve(&app).await;
        let (path, body) = match what {
            "public preview" => {
                let character = app.ready_character(&live, "Pip").await;
                let body = json!({"character": {"public_preview": true}});
                (format!("/characters/{character}"), body)
            }
            "review link" => {
                let book = book(&app, &live).await;
                (format!("/books/{book}/review_links"), json!({"review_link": {}}))
            }
            "webhook" => {
                let url = "https://shop.example.com/events";
                ("/webhooks".into(), json!({"webhook": {"url": url}}))
            }
            "callback secret" => ("/callback_secret".into(), json!({"overlap_hours": 0})),
            _ => ("/keys".into(), json!({"key": {"name": "a key to keep"}})),
        };
        let key = if is_test {
            let made = live.post("/keys", &json!({"key": {"name": "CI", "test": true}})).await;
            app.with_key(made.expect(201)["secret"].as_str().unwrap())
        } else {
            live
        };
        key.get("/me").await.expect(200);
        let request = async {
            if what == "public preview" {
                key.patch(&path, &body).await
            } else {
                key.post(&path, &body).await
            }
        };
        let refused = around_handover(&app, request).await;
        let error = refused.expect_error(401, "unauthorized");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("was revoked"), "{what} {is_test}: {message}");
        assert_eq!(in_force(&app).await, [0; 5], "{what} {is_test}");
    }
}

#[tokio::test]
async fn a_form_that_waits_for_the_handover_makes_nothing() {
    for what in [
        "public preview",
        "review link",
        "webhook",
        "key",
        "password",
        "second factor",
        "grant",
    ] {
        let app = open_to_all(TestApp::builder()).start().await;
        let (mut eve, key) = eve(&app).await;
        let book = book(&app, &key).await;
        let character = app.ready_character(&key, "Pip").await;
        let metadata = json!({"redirect_uris": ["https://agent.test/callback"], "token_endpoint_auth_method": "none"});
        let client = Client::register(&app, metadata).await;
        let page = eve.get(&client.address(&[])).await;
        let mut fields = vec![("csrf_token".to_owned(), page.value_of("csrf_token"))];
        let mut add = |name: &str, value: &str| fields.push((name.to_owned(), value.to_owned()));
        let (path, status, problem) = match what {
            "public preview" => {
                add("public_preview", "on");
                (
                    format!("/library/characters/{character}/share"),
                    401,
                    "session has ended",
                )
            }
            "review link" => (format!("/library/books/{book}/review-links"), 401, "session has ended"),
            "webhook" => {
                add("url", "https://shop.example.com/events");
                add("events", "page.ready");
                ("/account/webhooks".into(), 401, "session has ended")
            }
            "key" => {
                add("name", "a key to keep");
                ("/account/keys".into(), 401, "session has ended")
            }
            "password" => {
                add("current", PASSWORD);
                add("password", "the password of Eve");
                ("/account/password".into(), 401, "session has ended")
            }
            "second factor" => {
                add("password", PASSWORD);
                ("/account/second-factor".into(), 401, "session has ended")
            }
            _ => {
                add("request", &page.value_of("request"));
                for (name, value) in APPROVE_ALL {
                    add(name, value);
                }
                ("/oauth/authorize".into(), 400, "nothing to decide")
            }
        };
        let fields = borrowed(&fields);
        let refused = around_handover(&app, eve.post(&path, &fields)).await;
        refused.expect(status, problem);
        assert_eq!(in_force(&app).await, [0; 5], "{what}");
        assert!(!eve.is_signed_in().await);
    }
}

#[tokio::test]
async fn an_address_now_used_by_another_person_does_not_sign_in_to_the_account() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut ada = app.browser();
    provider.sign_in(&mut ada, "7", ADA).await.expect_redirect("/account");
    let mut successor = app.browser();
    provider
        .sign_in(&mut successor, "8", ADA)
        .await
        .expect(403, "belongs to another person");
    assert!(!successor.is_signed_in().await);
    assert!(ada.is_signed_in().await);
    provider
        .sign_in(&mut app.browser(), "7", ADA)
        .await
        .expect_redirect("/account");
    provider
        .sign_in(&mut successor, "8", "successor@example.com")
        .await
        .expect_redirect("/account");
    assert_eq!(all_accounts(&app.server).await.len(), 2);
}
