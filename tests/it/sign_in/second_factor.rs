//! The second factor: turning it on and off, signing in with it, and attacks on it.
use std::time::Duration;

use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use url::form_urlencoded::byte_serialize;

use crate::oauth::{EMAIL, Scene};
use crate::test_app::{Authenticator, Browser, IdentityProvider, PASSWORD, SECOND_FACTOR, TIME_STEP, TestApp};

const ADA: &str = "ada@example.com";
const WRONG_CODE: &str = "The code is wrong, or it was used before";

/// Returns a server with Ada's account, whose second factor is on, her app, and her recovery codes.
async fn scene() -> (TestApp, Browser, Authenticator, Vec<String>) {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let (authenticator, codes) = ada.turn_on_second_factor(&app).await;
    (app, ada, authenticator, codes)
}

/// Returns a code that is not right now.
fn wrong_code(app: &TestApp, authenticator: &Authenticator) -> String {
    authenticator.code_after(app, 100)
}

#[tokio::test]
async fn a_second_factor_is_confirmed_and_then_needed_to_sign_in() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    ada.get(SECOND_FACTOR).await.expect(200, "Show a key for the app");
    ada.submit(SECOND_FACTOR, SECOND_FACTOR, &[("password", "wrong horse battery")])
        .await
        .expect(422, "The password is wrong");
    ada.confirm_second_factor("123456").await.expect(422, "Begin once more");
    let begun = ada
        .submit(SECOND_FACTOR, SECOND_FACTOR, &[("password", PASSWORD)])
        .await;
    begun.expect(200, "<svg class=\"qr-code\"");
    let authenticator = Authenticator::from_page(&begun);
    assert_eq!(authenticator.secret.len(), 32, "160 bits in base32");
    begun.expect(
        200,
        &format!(
            "otpauth://totp/Linepress:ada%40example.com?secret={}",
            authenticator.secret
        ),
    );
    // Nothing changes before a code shows that the app has the secret.
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
    let wrong = ada.confirm_second_factor(&wrong_code(&app, &authenticator)).await;
    wrong.expect(422, "The code is wrong");
    assert_eq!(Authenticator::from_page(&wrong).secret, authenticator.secret);
    let code = authenticator.code(&app);
    let typed = format!("{} {}", &code[..3], &code[3..]);
    let confirmed = ada.confirm_second_factor(&typed).await;
    confirmed.expect(200, "The second factor is on");
    assert_eq!(confirmed.text.matches("<li><code>").count(), 10);
    ada.get(SECOND_FACTOR).await.expect(200, "Unused recovery codes: 10");
    ada.submit(SECOND_FACTOR, SECOND_FACTOR, &[("password", PASSWORD)])
        .await
        .expect(422, "This account has a second factor already");

    let mut other = app.browser();
    other.begin_sign_in(ADA).await;
    assert!(!other.is_signed_in().await);
    other.get("/sign-in/code").await.expect(200, "6 digits, or one of");
    other
        .enter_code(&wrong_code(&app, &authenticator))
        .await
        .expect(422, WRONG_CODE);
    assert!(!other.is_signed_in().await);
    other
        .enter_code(&authenticator.code_after(&app, 1))
        .await
        .expect_redirect("/");
    assert!(other.is_signed_in().await);
    assert_eq!(other.cookies.keys().collect::<Vec<_>>(), ["linepress"]);
}

#[tokio::test]
async fn only_the_session_that_made_a_secret_sees_and_confirms_it() {
    let app = TestApp::start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    let mut thief = app.browser();
    thief.sign_in(ADA, PASSWORD).await.expect_redirect("/");
    let begun = ada
        .submit(SECOND_FACTOR, SECOND_FACTOR, &[("password", PASSWORD)])
        .await;
    let authenticator = Authenticator::from_page(&begun);
    let wrong = wrong_code(&app, &authenticator);
    for _ in 0..20 {
        let refused = thief.confirm_second_factor(&wrong).await;
        refused.expect(422, "was begun in another browser");
        assert!(!refused.text.contains("class=\"secret\""), "{}", refused.text);
    }
    let code = authenticator.code(&app);
    thief
        .confirm_second_factor(&code)
        .await
        .expect(422, "was begun in another browser");
    // The other session used up none of the ten attempts.
    for _ in 0..9 {
        ada.confirm_second_factor(&wrong).await.expect(422, "The code is wrong");
    }
    ada.confirm_second_factor(&code)
        .await
        .expect(200, "The second factor is on");
}

#[tokio::test]
async fn the_response_to_a_wrong_password_does_not_reveal_the_second_factor() {
    let (app, ..) = scene().await;
    testing::create_account_with_password(&app.server, "bob@example.com", Plan::Free, 0, PASSWORD)
        .await
        .unwrap();
    let with = app.browser().sign_in(ADA, "wrong horse battery").await;
    let without = app.browser().sign_in("bob@example.com", "wrong horse battery").await;
    assert_eq!(with.status, without.status);
    assert_eq!(with.text.replace(ADA, ""), without.text.replace("bob@example.com", ""));
    assert!(with.headers.get("set-cookie").is_none());
    app.browser().get("/sign-in/code").await.expect_redirect("/sign-in");
    app.browser()
        .enter_code("123456")
        .await
        .expect(400, "Please begin once more");
}

#[tokio::test]
async fn a_code_works_once_and_only_around_its_time() {
    let (app, _, authenticator, _) = scene().await;
    let mut browser = app.browser();
    browser.begin_sign_in(ADA).await;
    // The code that confirmed the secret was shown one time step ago.
    for time_steps in [-1, -2, 2] {
        let code = authenticator.code_after(&app, time_steps);
        browser.enter_code(&code).await.expect(422, WRONG_CODE);
    }
    let code = authenticator.code(&app);
    browser.enter_code(&code).await.expect_redirect("/");
    app.server.clock.advance(TIME_STEP);
    let mut thief = app.browser();
    thief.begin_sign_in(ADA).await;
    thief.enter_code(&code).await.expect(422, WRONG_CODE);
    thief.enter_code(&authenticator.code(&app)).await.expect_redirect("/");
}

#[tokio::test]
async fn a_code_that_two_browsers_send_at_the_same_time_works_once() {
    let (app, _, authenticator, _) = scene().await;
    let (mut one, mut other) = (app.browser(), app.browser());
    one.begin_sign_in(ADA).await;
    other.begin_sign_in(ADA).await;
    let code = authenticator.code(&app);
    tokio::join!(one.enter_code(&code), other.enter_code(&code));
    assert!(one.is_signed_in().await != other.is_signed_in().await);
}

#[tokio::test]
async fn a_recovery_code_replaces_the_app_once() {
    let (app, mut ada, _, codes) = scene().await;
    assert_eq!(codes.len(), 10);
    let mut browser = app.browser();
    browser.begin_sign_in(ADA).await;
    let typed = codes[3].to_uppercase().replace('-', " ");
    browser.enter_code(&typed).await.expect_redirect("/");
    ada.get(SECOND_FACTOR).await.expect(200, "Unused recovery codes: 9");
    let mut again = app.browser();
    again.begin_sign_in(ADA).await;
    again.enter_code(&codes[3]).await.expect(422, WRONG_CODE);
    again.enter_code(&codes[4]).await.expect_redirect("/");
    // A code belongs to one account.
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    bob.turn_on_second_factor(&app).await;
    let mut browser = app.browser();
    browser.begin_sign_in("bob@example.com").await;
    browser.enter_code(&codes[5]).await.expect(422, WRONG_CODE);
}

#[tokio::test]
async fn guessed_codes_are_limited_from_all_addresses_and_by_no_password_reset() {
    let (app, _, authenticator, _) = scene().await;
    let wrong = wrong_code(&app, &authenticator);
    let mut guesser = app.browser();
    for number in 0..10 {
        guesser.address = Some(format!("198.51.100.{number}").parse().unwrap());
        // The right password resets the attempts to enter a password.
        guesser.begin_sign_in(ADA).await;
        guesser.enter_code(&wrong).await.expect(422, WRONG_CODE);
    }
    guesser.address = Some("192.0.2.1".parse().unwrap());
    let refused = guesser.enter_code(&authenticator.code(&app)).await;
    refused.expect(429, "Too many codes for this account");
    assert!(refused.headers.contains_key("retry-after"));
    assert!(!guesser.is_signed_in().await);
    app.server.clock.advance(Duration::from_secs(60));
    guesser.enter_code(&authenticator.code(&app)).await.expect_redirect("/");
}

#[tokio::test]
async fn an_attacker_has_a_hundred_attempts_a_day_even_if_the_owner_signs_in() {
    let (app, _, authenticator, _) = scene().await;
    let mut guesser = app.browser();
    guesser.begin_sign_in(ADA).await;
    for attempt in 0..100 {
        app.server.clock.advance(Duration::from_secs(60));
        if attempt == 50 {
            let mut ada = app.browser();
            ada.begin_sign_in(ADA).await;
            ada.enter_code(&authenticator.code(&app)).await.expect_redirect("/");
        }
        if guesser.get("/sign-in/code").await.status.is_redirection() {
            guesser.begin_sign_in(ADA).await;
        }
        let wrong = wrong_code(&app, &authenticator);
        guesser.enter_code(&wrong).await.expect(422, WRONG_CODE);
    }
    // An attempt becomes available every 864 seconds: 7 came back meanwhile, and the owner used two.
    let mut further = 0;
    loop {
        app.server.clock.advance(Duration::from_secs(60));
        guesser.begin_sign_in(ADA).await;
        let tried = guesser.enter_code(&wrong_code(&app, &authenticator)).await;
        if tried.status == 429 {
            tried.expect(429, "Too many codes for this account in a day");
            break;
        }
        further += 1;
    }
    assert!((4..=6).contains(&further), "{further}");
}

#[tokio::test]
async fn a_pending_sign_in_ends_with_its_time_the_password_and_the_account() {
    let (app, _, authenticator, _) = scene().await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    for way in ["time", "password", "suspension", "closing"] {
        let mut browser = app.browser();
        browser.begin_sign_in(ADA).await;
        match way {
            "time" => app.server.clock.advance(Duration::from_secs(600)),
            "password" => testing::set_password(&app.server, &account, PASSWORD).await.unwrap(),
            "suspension" => set_suspended(&app, true).await,
            _ => {
                testing::close(&app.server, &account).await.unwrap();
            }
        }
        browser.clone().get("/sign-in/code").await.expect_redirect("/sign-in");
        let code = authenticator.code(&app);
        browser.enter_code(&code).await.expect(400, "Please begin once more");
        assert!(!browser.is_signed_in().await, "{way}");
        if way == "suspension" {
            set_suspended(&app, false).await;
        }
    }
    assert_eq!(testing::forget_pending_sign_ins(&app.server).await.unwrap(), 0);
}

async fn set_suspended(app: &TestApp, is_suspended: bool) {
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE accounts SET suspended_at = $1 WHERE email = $2")
        .bind(is_suspended.then_some(1_i64))
        .bind(ADA)
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn housekeeping_deletes_what_was_not_completed() {
    let (app, ..) = scene().await;
    app.browser().begin_sign_in(ADA).await;
    let mut bob = app.person("bob@example.com", Plan::Free, 0).await;
    let begun = bob
        .submit(SECOND_FACTOR, SECOND_FACTOR, &[("password", PASSWORD)])
        .await;
    let authenticator = Authenticator::from_page(&begun);
    assert_eq!(testing::forget_pending_sign_ins(&app.server).await.unwrap(), 0);
    app.server.clock.advance(Duration::from_secs(3600));
    bob.confirm_second_factor(&authenticator.code(&app))
        .await
        .expect(422, "This took too long");
    assert_eq!(testing::forget_pending_sign_ins(&app.server).await.unwrap(), 2);
    app.browser().begin_sign_in(ADA).await;
}

#[tokio::test]
async fn the_second_factor_is_turned_off_with_the_password_and_a_code() {
    let (app, mut ada, authenticator, codes) = scene().await;
    let wrong = "The password or the code is wrong";
    ada.turn_off_second_factor(&wrong_code(&app, &authenticator))
        .await
        .expect(422, wrong);
    let fields = [("password", "wrong horse battery"), ("code", codes[0].as_str())];
    ada.submit(SECOND_FACTOR, &format!("{SECOND_FACTOR}/off"), &fields)
        .await
        .expect(422, wrong);
    app.browser().begin_sign_in(ADA).await;
    ada.turn_off_second_factor(&authenticator.code(&app))
        .await
        .expect(200, "The second factor is off");
    app.browser().sign_in(ADA, PASSWORD).await.expect_redirect("/");
    // A new secret, and new recovery codes.
    let (again, new_codes) = ada.turn_on_second_factor(&app).await;
    assert_ne!(again.secret, authenticator.secret);
    assert!(!new_codes.contains(&codes[1]));
    ada.turn_off_second_factor(&codes[1]).await.expect(422, wrong);
    ada.turn_off_second_factor(&new_codes[1])
        .await
        .expect(200, "The second factor is off");
}

#[tokio::test]
async fn a_password_link_does_not_replace_the_code() {
    let (app, _, authenticator, _) = scene().await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    let link = testing::offer_password_reset(&app.server, &account).await.unwrap();
    let mut browser = app.browser();
    browser
        .post(
            &format!("/reset/{}", link.expose()),
            &[("password", "another horse battery")],
        )
        .await
        .expect_redirect("/sign-in/code");
    assert!(!browser.is_signed_in().await);
    browser.enter_code(&authenticator.code(&app)).await.expect_redirect("/");
}

#[tokio::test]
async fn a_person_who_connects_an_app_enters_the_code_and_returns() {
    let Scene {
        app,
        mut browser,
        client,
    } = Scene::new().await;
    let (authenticator, _) = browser.turn_on_second_factor(&app).await;
    let mut other = app.browser();
    let address = client.address(&[]);
    let fields = [("email", EMAIL), ("password", PASSWORD), ("return_to", &address)];
    let encoded: String = byte_serialize(address.as_bytes()).collect();
    let code_page = format!("/sign-in/code?return_to={encoded}");
    other.post("/sign-in", &fields).await.expect_redirect(&code_page);
    other
        .get(&address)
        .await
        .expect_redirect(&format!("/sign-in?return_to={encoded}"));
    let page = other.get(&code_page).await;
    let code = authenticator.code(&app);
    other
        .send_form(&page, "/sign-in/code", &[("code", &code)])
        .await
        .expect_redirect(&address);
    let code = client.code(&mut other, &[]).await;
    client.redeem(&app, &code).await.expect(200);
}

#[tokio::test]
async fn sign_in_with_the_provider_needs_no_code() {
    let provider = IdentityProvider::open().await;
    let app = provider.builder(true).start().await;
    let mut ada = app.person(ADA, Plan::Business, 0).await;
    ada.turn_on_second_factor(&app).await;
    provider
        .sign_in(&mut app.browser(), "1", ADA)
        .await
        .expect_redirect("/account");
    // An account without a password has nothing that a second factor would protect.
    let mut bob = app.browser();
    provider
        .sign_in(&mut bob, "2", "bob@example.com")
        .await
        .expect_redirect("/account");
    let page = bob.get(SECOND_FACTOR).await;
    page.expect(200, "this account has none");
    assert!(!page.text.contains("name=\"password\""), "{}", page.text);
    bob.submit("/account", SECOND_FACTOR, &[("password", PASSWORD)])
        .await
        .expect(422, "The password is wrong");
}

#[tokio::test]
async fn the_second_factor_of_a_stranger_ends_when_the_owner_of_the_address_arrives() {
    let app = TestApp::builder().config(|config| config.sign_up = true).start().await;
    let mut eve = app.browser();
    eve.post("/sign-up", &[("email", ADA), ("password", PASSWORD)])
        .await
        .expect_redirect("/");
    let exception = "As long as your address is not confirmed";
    eve.get(SECOND_FACTOR).await.expect(200, exception);
    eve.turn_on_second_factor(&app).await;
    let account = accounts::find(&app.server, ADA).await.unwrap().unwrap();
    testing::set_password(&app.server, &account, "another horse battery")
        .await
        .unwrap();
    let mut ada = app.browser();
    ada.sign_in(ADA, "another horse battery").await.expect_redirect("/");
    let page = ada.get(SECOND_FACTOR).await;
    page.expect(200, "Show a key for the app");
    assert!(!page.text.contains(exception), "{}", page.text);
}

#[tokio::test]
async fn a_form_of_another_site_turns_nothing_on_or_off() {
    let (app, mut ada, authenticator, _) = scene().await;
    let code = authenticator.code(&app);
    for form in ["", "/confirm", "/off"] {
        let path = format!("{SECOND_FACTOR}{form}");
        ada.post(&path, &[("password", PASSWORD), ("code", &code)])
            .await
            .expect(403, "nothing was changed");
        ada.get(&path).await;
        app.browser()
            .get(&path)
            .await
            .expect_redirect(&format!("/sign-in?return_to={}", path.replace('/', "%2F")));
    }
    ada.get(SECOND_FACTOR).await.expect(200, "Unused recovery codes: 10");
}
