//! Grants to apps, created without a browser.
use std::time::Duration;

use linepress_accounts::accounts;
use linepress_accounts::grants::clients::{self, AuthMethod, ClientMetadata, Details};
use linepress_accounts::grants::{self, NewGrant};
use linepress_platform::ids::{ClientId, GrantId};
use linepress_platform::scopes::Scopes;

use super::TestApp;

/// An app with a grant and its tokens.
pub(crate) struct Granted {
    pub client_id: ClientId,
    pub grant_id: GrantId,
    pub access_token: String,
    pub refresh_token: String,
}

impl TestApp {
    /// Creates an app with a grant by the account with this address.
    pub(crate) async fn grant(&self, email: &str, scopes: Scopes, credit_cap: Option<i64>) -> Granted {
        let server = &self.server;
        let account = accounts::find(server, email).await.unwrap().unwrap();
        let client = ClientMetadata {
            name: "An app".into(),
            redirect_uris: vec!["http://localhost/callback".into()],
            auth_method: AuthMethod::None,
            details: Details::default(),
        };
        let client_id = clients::register(server, &client).await.unwrap().id;
        let now = server.clock.now();
        let new = NewGrant {
            account_id: &account.id,
            client_id: &client_id,
            scopes,
            resource: &server.config.mcp_url(),
            credit_cap,
            expires_at: now.plus(Duration::from_secs(60)),
        };
        let mut tx = server.database.begin().await.unwrap();
        let grant_id = grants::create(server, &mut tx, &new).await.unwrap();
        let issued = grants::issue(server, &mut tx, (&client_id, &grant_id), scopes, now)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        Granted {
            access_token: issued.access_token.expose().into(),
            refresh_token: issued.refresh_token.expose().into(),
            client_id,
            grant_id,
        }
    }
}
