//! Forms that are being received when their session or account ends.
use crate::testing;
use linepress_accounts::{accounts, sign_in};
use linepress_platform::app::App;

use crate::oauth::{APPROVE_ALL, Scene};
use crate::test_app::{Form, pictures};

const ADA: &str = "ada@example.com";
const NEW_PASSWORD: &str = "another horse battery";

const WAYS_TO_END: [&str; 4] = ["sign-out", "another password", "a link for one", "closing"];

/// Ends the session in this way.
async fn end(server: App, way: &str, session: String) {
    let ada = accounts::find(&server, ADA).await.unwrap().unwrap();
    match way {
        "sign-out" => sign_in::end(&server, &session).await.unwrap(),
        "another password" => testing::set_password(&server, &ada, NEW_PASSWORD).await.unwrap(),
        "a link for one" => {
            let link = testing::offer_password_reset(&server, &ada).await.unwrap();
            let reset = sign_in::reset_password(&server, link.expose(), NEW_PASSWORD)
                .await
                .unwrap();
            assert!(reset.is_some());
        }
        _ => {
            testing::close(&server, &ada).await.unwrap();
        }
    }
}

/// Returns the numbers of the account's keys, its pages, and its grants and tokens.
async fn stored_counts(scene: &Scene) -> (usize, i64, [i64; 4]) {
    let server = &scene.app.server;
    let ada = accounts::find(server, ADA).await.unwrap().unwrap();
    let keys = accounts::list_keys(server, &ada).await.unwrap().len();
    let pages = sqlx::query_scalar("SELECT COUNT(*) FROM pages").fetch_one(&server.database.read);
    (keys, pages.await.unwrap(), scene.issued().await)
}

/// Returns the fields of the form that approves an app.
async fn consent(scene: &mut Scene) -> Vec<(&'static str, String)> {
    let page = scene.browser.get(&scene.client.address(&[])).await;
    let mut fields = vec![
        ("csrf_token", page.value_of("csrf_token")),
        ("request", page.value_of("request")),
    ];
    fields.extend(APPROVE_ALL.map(|(name, value)| (name, value.to_owned())));
    fields
}

fn borrowed<'a>(fields: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    fields.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

#[tokio::test]
async fn a_form_whose_session_ends_while_it_arrives_has_no_effect() {
    for way in WAYS_TO_END {
        for path in ["/account/keys", "/oauth/authorize", "/library/pages/import"] {
            let mut scene = Scene::new().await;
            let consent = consent(&mut scene).await;
            let token = consent[0].1.clone();
            let before = stored_counts(&scene).await;
            let ending = end(
                scene.app.server.clone(),
                way,
                scene.browser.cookies["linepress"].clone(),
            );
            let browser = &mut scene.browser;
            let sent = match path {
                "/account/keys" => {
                    let fields = [("csrf_token", token.as_str()), ("name", "a key to keep")];
                    browser.post_around(path, &fields, ending).await
                }
                "/oauth/authorize" => browser.post_around(path, &borrowed(&consent), ending).await,
                _ => {
                    let form = Form::of_page(&token, "form-1")
                        .text("title", "A fox")
                        .picture("fox.png", &pictures::png(576, 768));
                    browser.send_file_around(path, form, ending).await
                }
            };
            sent.expect_redirect("/sign-in?ended=yes");
            assert_eq!(stored_counts(&scene).await, before, "{way} {path}");
            assert!(!scene.browser.is_signed_in().await, "{way} {path}");
        }
    }
}

#[tokio::test]
async fn a_form_concurrent_with_the_closing_of_its_account_has_no_effect() {
    for path in ["/account/keys", "/oauth/authorize"] {
        let mut scene = Scene::new().await;
        let mut fields = consent(&mut scene).await;
        fields.push(("name", "a key to keep".into()));
        let fields = borrowed(&fields);
        let before = stored_counts(&scene).await;
        // The request has found the session before it waits for the lock on the account.
        let mut closing = scene.app.server.database.begin().await.unwrap();
        sqlx::query("UPDATE accounts SET plan = 'free', closed_at = 1 WHERE email = $1")
            .bind(ADA)
            .execute(&mut *closing)
            .await
            .unwrap();
        let (app, browser) = (&scene.app, &mut scene.browser);
        let close = async {
            app.until_another_waits_for(&mut closing).await;
            closing.commit().await.unwrap();
        };
        let (sent, ()) = tokio::join!(browser.post(path, &fields), close);
        assert!(sent.status.is_client_error(), "{path}: {} {}", sent.status, sent.text);
        assert_eq!(stored_counts(&scene).await, before, "{path}");
    }
}
