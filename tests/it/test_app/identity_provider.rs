//! An OpenID Connect provider that returns what a test configures.
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

/// A browser that has been redirected to the provider, and the parameters of that redirect.
pub(crate) struct Journey {
    pub parameters: HashMap<String, String>,
}

impl Journey {
    pub(crate) fn state(&self) -> &str {
        &self.parameters["state"]
    }

    /// Returns the path to which the browser returns with a code.
    pub(crate) fn way_back(&self) -> String {
        format!("/sign-in/provider/callback?code=c0de&state={}", self.state())
    }

    /// Returns the claims of an ID token for this journey.
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

    /// Publishes the provider's metadata with these changes.
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

    /// Returns a builder for a server whose users may sign in with this provider.
    pub(crate) fn builder(&self, new_accounts: bool) -> Builder {
        let settings: Oidc = serde_json::from_value(json!({"issuer": ISSUER, "client_id": CLIENT_ID, "name": "Work",
            "client_secret": CLIENT_SECRET, "new_accounts": new_accounts}))
        .unwrap();
        let set = |config: &mut Config| config.sign_in.oidc = Some(settings);
        TestApp::builder().fetcher(self.web.fetcher()).config(set)
    }

    /// Makes the token endpoint return an unsigned ID token with these claims.
    pub(crate) fn set_claims(&self, claims: &Value) {
        let id_token = format!(
            "{}.{}.c2lnbmF0dXJl",
            encoded("{\"alg\":\"RS256\"}"),
            encoded(&claims.to_string())
        );
        let tokens = json!({"access_token": "acce55", "token_type": "Bearer", "id_token": id_token});
        self.web.file("/token", tokens.to_string().as_bytes());
    }

    /// Makes the token endpoint return an error.
    pub(crate) fn refuses(&self) {
        let body = json!({"error": "invalid_grant", "error_description": "internal words"}).to_string();
        let response = format!(
            "HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.web.page("/token", Page::Whole(response.into_bytes()));
    }

    /// Sends a browser to the provider.
    pub(crate) async fn depart(&self, browser: &mut Browser, return_to: &str) -> Journey {
        let left = browser.get(&format!("/sign-in/provider?return_to={return_to}")).await;
        assert_eq!(left.status, 303, "{}", left.text);
        let url = url::Url::parse(left.header("location")).unwrap();
        assert_eq!(url.origin().ascii_serialization(), ISSUER);
        Journey {
            parameters: url.query_pairs().into_owned().collect(),
        }
    }

    /// Signs in a user of the provider, from the redirect to the return.
    pub(crate) async fn sign_in(&self, browser: &mut Browser, subject: &str, email: &str) -> Html {
        let journey = self.depart(browser, "/account").await;
        self.set_claims(&journey.claims(subject, email));
        browser.get(&journey.way_back()).await
    }
}

fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}
