//! Secrets: the database contains none that can be used.
use linepress_platform::database::Dialect;
use serde_json::json;
use sqlx::{AssertSqlSafe, Row as _};

use super::{CHALLENGE, Client, REDIRECT, Scene, VERIFIER};

/// Returns every text of every row.
async fn texts(scene: &Scene) -> Vec<String> {
    let database = &scene.app.server.database;
    let tables = match database.dialect {
        Dialect::Sqlite => {
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
             WHERE m.type = 'table' AND m.name <> '_sqlx_migrations'"
        }
        Dialect::Postgres => {
            "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT) FROM information_schema.columns \
             WHERE table_schema = 'public' AND data_type = 'text'"
        }
    };
    let columns = sqlx::query(tables).fetch_all(&database.read).await.unwrap();
    let mut texts = Vec::new();
    for column in columns {
        let (table, column): (String, String) = (column.get(0), column.get(1));
        let statement = format!("SELECT CAST({column} AS TEXT) FROM {table} WHERE {column} IS NOT NULL");
        let values: Vec<String> = sqlx::query_scalar(AssertSqlSafe(statement))
            .fetch_all(&database.read)
            .await
            .unwrap();
        texts.extend(values);
    }
    texts
}

#[tokio::test]
async fn codes_tokens_and_secrets_are_not_stored_in_plain_text() {
    let mut scene = Scene::new().await;
    let anyone = scene.app.anonymous();
    let registered = anyone
        .post("/oauth/register", &json!({"redirect_uris": [REDIRECT]}))
        .await
        .expect(201);
    let client = Client {
        id: registered["client_id"].as_str().unwrap().into(),
        secret: registered["client_secret"].as_str().map(str::to_owned),
        redirect_uri: REDIRECT.into(),
    };
    let page = scene.browser.get(&client.address(&[])).await;
    let used = client.code(&mut scene.browser, &[]).await;
    let unused = client.code(&mut scene.browser, &[]).await;
    let first = client.redeem(&scene.app, &used).await.expect(200);
    let second = client.refresh(&scene.app, &first).await.expect(200);
    let mut secrets = vec![
        used,
        unused,
        page.value_of("request"),
        page.value_of("csrf_token"),
        VERIFIER.to_owned(),
    ];
    secrets.extend(scene.browser.cookies.values().cloned());
    for (value, fields) in [
        (&registered, ["client_secret", "registration_access_token"]),
        (&first, ["access_token", "refresh_token"]),
        (&second, ["access_token", "refresh_token"]),
    ] {
        secrets.extend(fields.map(|field| value[field].as_str().unwrap().to_owned()));
    }
    let texts = texts(&scene).await;
    assert!(
        texts.iter().any(|text| text == CHALLENGE),
        "a value that is not secret is found"
    );
    for secret in secrets {
        assert!(secret.len() >= 43);
        assert!(!texts.iter().any(|text| text.contains(&secret)), "{secret}");
    }
}
