//! Signing in and out, the pages of an account, and plans of books.
use std::time::Duration;

use linepress_accounts::accounts::{self, Plan};
use serde_json::json;

use crate::test_app::{Browser, Form, Html, PASSWORD, TestApp, pictures};
use crate::testing;

/// Signs in and out, and uses the pages of the account.
pub(super) async fn use_account_pages(app: &TestApp) {
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
pub(super) async fn use_second_factor(app: &TestApp) {
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
