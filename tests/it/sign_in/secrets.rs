//! Secrets: the database contains none that signs in, and the log contains none at all.
use crate::testing;
use linepress_accounts::accounts::{self, Plan};
use linepress_accounts::sign_in;
use linepress_platform::database::Dialect;
use sqlx::{AssertSqlSafe, Column as _, Row as _};

use crate::test_app::{Log, PASSWORD, TestApp};

/// Returns every text in every table.
async fn everything_in(app: &TestApp) -> String {
    let database = &app.server.database;
    let names = match database.dialect {
        Dialect::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
        Dialect::Postgres => "SELECT CAST(tablename AS TEXT) AS name FROM pg_tables WHERE schemaname = 'public'",
    };
    let tables: Vec<String> = sqlx::query_scalar(names).fetch_all(&database.read).await.unwrap();
    assert!(tables.iter().any(|table| table == "sessions"), "{tables:?}");
    let mut all = String::new();
    for table in tables
        .iter()
        .filter(|table| !table.starts_with("_sqlx") && !table.starts_with("sqlite_"))
    {
        let rows = sqlx::query(AssertSqlSafe(format!("SELECT * FROM {table}")))
            .fetch_all(&database.read)
            .await
            .unwrap();
        for row in rows {
            for column in row.columns() {
                if let Ok(Some(text)) = row.try_get::<Option<String>, _>(column.ordinal()) {
                    all.push_str(&text);
                    all.push('\n');
                }
            }
        }
    }
    all
}

#[tokio::test]
async fn no_secret_is_stored_or_logged() {
    let log = Log::default();
    let captured = log.capture();
    let app = TestApp::start().await;
    let first = sign_in::offer_first_account(&app.server).await.unwrap().unwrap();
    app.browser()
        .get(&format!("/first-account/{}", first.expose()))
        .await
        .expect(200, "Business");
    let mut ada = app.person("ada@example.com", Plan::Business, 1).await;
    let made = ada
        .submit("/account/keys", "/account/keys", &[("name", "laptop")])
        .await;
    let (_, rest) = made.text.split_once("class=\"secret\">lp_").unwrap();
    let key = rest.split('<').next().unwrap().to_owned();
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    let reset = testing::offer_password_reset(&app.server, &account).await.unwrap();
    app.browser()
        .get(&format!("/reset/{}", reset.expose()))
        .await
        .expect(200, "ada@");
    let csrf_token = ada.csrf_token("/account").await;
    let (authenticator, recovery_codes) = ada.turn_on_second_factor(&app).await;
    let mut pending = app.browser();
    pending.begin_sign_in("ada@example.com").await;
    pending.enter_code(&recovery_codes[0]).await.expect_redirect("/");
    pending.begin_sign_in("ada@example.com").await;
    app.browser().sign_in("nobody@example.com", "wrong horse battery").await;
    let stored = everything_in(&app).await;
    drop(captured);
    assert!(
        stored.contains("$argon2id$") && stored.contains("ada@example.com"),
        "{stored}"
    );
    let logged = log.lines().join("\n");
    assert!(logged.contains("/reset/{token}"), "{logged}");
    for secret in [
        PASSWORD,
        "wrong horse battery",
        first.expose(),
        &key,
        reset.expose(),
        &ada.cookies["linepress"],
        &csrf_token,
        &authenticator.secret,
        &recovery_codes[0],
        &recovery_codes[1],
        &recovery_codes[1].replace('-', ""),
        &pending.cookies["linepress-code"],
        "nobody@example.com",
    ] {
        assert!(!stored.contains(secret), "{secret} is stored");
        assert!(!logged.contains(secret), "{secret} is logged");
    }
}
