//! `linepress oauth`.
use linepress_accounts::accounts::Plan;
use linepress_platform::scopes::Scopes;

use super::Operator;
use crate::test_app::TestApp;

/// Returns an operator of the installation that the application under test runs on.
async fn operator_of(app: &TestApp) -> Operator {
    let mut operator = Operator::before_the_first_start().await;
    operator.database = app.server.config.database_url.clone();
    operator
}

#[tokio::test]
async fn an_operator_lists_and_revokes_apps_and_grants() {
    let app = TestApp::start().await;
    app.account_named("ada@example.com", Plan::Business, 1).await;
    app.account_named("eve@example.com", Plan::Business, 1).await;
    let granted = app.grant("ada@example.com", Scopes::ALL, Some(7)).await;
    let other = app.grant("eve@example.com", Scopes::ALL, None).await;
    // The commands read the system's clock.
    let operator = operator_of(&app).await;
    prevent_expiry(&app).await;
    let clients = operator.reads_json("oauth client list");
    assert_eq!(clients.as_array().unwrap().len(), 2);
    assert_eq!(clients[0]["id"], granted.client_id.as_str());
    assert!(!clients.to_string().contains("hash"), "{clients}");
    assert!(
        operator
            .reads("oauth client list")
            .contains("An app\tregistered itself\t")
    );
    let grants = operator.reads_json("oauth grant list --email ada@example.com");
    assert_eq!(grants.as_array().unwrap().len(), 1);
    assert_eq!(
        (&grants[0]["credit_cap"], &grants[0]["email"]),
        (&7.into(), &"ada@example.com".into())
    );
    assert_eq!(operator.reads_json("oauth grant list").as_array().unwrap().len(), 2);
    let line = operator.reads("oauth grant list --email ada@example.com");
    assert!(line.contains("0 credits spent, of 7"), "{line}");
    assert!(
        operator
            .is_refused("oauth grant list --email bob@example.com")
            .contains("no account")
    );

    operator.reads(&format!("oauth grant revoke {}", granted.grant_id));
    assert!(
        operator
            .is_refused(&format!("oauth grant revoke {}", granted.grant_id))
            .contains("no active grant")
    );
    operator.reads(&format!("oauth client revoke {}", other.client_id));
    assert!(
        operator
            .is_refused(&format!("oauth client revoke {}", other.client_id))
            .contains("no active app")
    );
    assert_eq!(operator.reads_json("oauth grant list"), serde_json::json!([]));
    for token in [&granted.access_token, &other.access_token] {
        let found = linepress_accounts::grants::caller_of_token(&app.server, token, &app.server.config.mcp_url()).await;
        assert!(found.unwrap().is_none());
    }
    assert!(operator.reads("oauth client list").contains("revoked 20"));
    for (target, action) in [
        (granted.grant_id.as_str(), "grant.revoke"),
        (other.client_id.as_str(), "app.revoke"),
    ] {
        let log = operator.reads_json(&format!("audit-log --target {target}"));
        assert_eq!(log[0]["action"], action);
    }
}

async fn prevent_expiry(app: &TestApp) {
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE grants SET expires_at = 9000000000000000")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
}
