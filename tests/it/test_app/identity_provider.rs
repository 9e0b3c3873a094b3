//! An OpenID Connect provider that says what a test wants it to say.
use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use linepress_platform::config::{Config, Oidc};
use serde_json::{Value, json};

use super::{Browser, Builder, Html, Page, TestApp, Web};

pub(crate) const ISSUER: &str = "https://id.pictures.test";
pub(crate) const CLIENT_ID: &str = "linepress at work";
pub(crate) const CLIENT_SECRET: &str = "s3cret/of the client";

pub(crate) struct IdentityProvider {
    pub web: Web,
}

/// A browser that has left for the provider, and what it brought there.
pub(crate) struct Journey {
    pub parameters: HashMap<String, String>,
}

impl Journey {
    pub(crate) fn state(&self) -> &str {
        &self.parameters["state"]
    }

    /// Where the browser comes back with a code.
    pub(crate) fn way_back(&self) -> String {
        format!("/sign-in/provider/callback?code=c0de&state={}", self.state())
    }

    /// Claims of an ID token for this journey.
    pub(crate) fn claims(&self, subject: &str, email: &str) -> Value {
        json!({"iss": ISSUER, "sub": subject, "aud": CLIENT_ID, "exp": 1_795_262_400 + 864_000, "nonce": self.parameters["nonce"],
            "email": email, "email_verified": true})
    }
}

impl IdentityProvider {
    pub(crate) async fn open() -> Self {
        let web = Web::open().await;
        web.name("id.pictures.test", [web.address]);
        let provider = Self { web };
        provider.describe(json!({}));
        provider
    }

    /// What the provider says of itself, with these changes.
    pub(crate) fn describe(&self, changes: Value) {
        let mut description = json!({
            "issuer": ISSUER,
            "authorization_endpoint": format!("{ISSUER}/authorize?realm=work"),
            "token_endpoint": format!("{ISSUER}/token"),
        });
        for (name, value) in changes.as_object().unwrap() {
            description[name] = value.clone();
        }
        self.web
            .file("/.well-known/openid-configuration", description.to_string().as_bytes());
    }

    /// A server whose people may sign in with it.
    pub(crate) fn builder(&self, new_accounts: bool) -> Builder {
        let settings: Oidc = serde_json::from_value(json!({"issuer": ISSUER, "client_id": CLIENT_ID, "name": "Work",
            "client_secret": CLIENT_SECRET, "new_accounts": new_accounts}))
        .unwrap();
        let set = |config: &mut Config| config.sign_in.oidc = Some(settings);
        TestApp::builder().fetcher(self.web.fetcher()).config(set)
    }

    /// Has the token endpoint give out an ID token of these claims, which nobody signed.
    pub(crate) fn says(&self, claims: &Value) {
        let id_token = format!(
            "{}.{}.c2lnbmF0dXJl",
            encoded("{\"alg\":\"RS256\"}"),
            encoded(&claims.to_string())
        );
        let tokens = json!({"access_token": "acce55", "token_type": "Bearer", "id_token": id_token});
        self.web.file("/token", tokens.to_string().as_bytes());
    }

    /// Has the token endpoint refuse.
    pub(crate) fn refuses(&self) {
        let body = json!({"error": "invalid_grant", "error_description": "internal words"}).to_string();
        let response = format!(
            "HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.web.page("/token", Page::Whole(response.into_bytes()));
    }

    /// A browser leaves for the provider.
    pub(crate) async fn depart(&self, browser: &mut Browser, return_to: &str) -> Journey {
        let left = browser.get(&format!("/sign-in/provider?return_to={return_to}")).await;
        assert_eq!(left.status, 303, "{}", left.text);
        let url = url::Url::parse(left.header("location")).unwrap();
        assert_eq!(url.origin().ascii_serialization(), ISSUER);
        Journey {
            parameters: url.query_pairs().into_owned().collect(),
        }
    }

    /// The whole way, for somebody whom the provider knows.
    pub(crate) async fn sign_in(&self, browser: &mut Browser, subject: &str, email: &str) -> Html {
        let journey = self.depart(browser, "/account").await;
        self.says(&journey.claims(subject, email));
        browser.get(&journey.way_back()).await
    }
}

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}
