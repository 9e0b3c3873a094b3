//! The authorization server: how apps get access, and how they are refused.
mod authorize;
mod codes;
mod consent;
mod discovery;
mod documents;
mod flow;
mod forgetting;
mod refresh;
mod registration;
mod revocation;
mod secrets;

use axum::body::Body;
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Browser, Html, Reply, TestApp};

/// The example of RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// A challenge whose verifier is unknown.
pub(crate) const OTHER_CHALLENGE: &str = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";

pub(crate) const EMAIL: &str = "ada@example.com";
const REDIRECT: &str = "https://agent.test/callback";

/// Ada's browser, in which she is signed in, and a registered app.
pub(crate) struct Scene {
    pub app: TestApp,
    pub browser: Browser,
    pub client: Client,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::on(TestApp::start().await).await
    }

    pub(crate) async fn on(app: TestApp) -> Self {
        let browser = app.person(EMAIL, Plan::Business, 20).await;
        let client = Client::register(
            &app,
            json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"}),
        );
        let client = client.await;
        Self { app, browser, client }
    }

    /// Obtains a code for all scopes.
    pub(crate) async fn code(&mut self) -> String {
        self.client.code(&mut self.browser, &[]).await
    }

    /// Obtains tokens for all scopes.
    pub(crate) async fn tokens(&mut self) -> Value {
        let code = self.code().await;
        self.client.redeem(&self.app, &code).await.expect(200)
    }

    /// Returns the numbers of grants, codes, access tokens and refresh tokens.
    pub(crate) async fn issued(&self) -> [i64; 4] {
        let mut counts = [0; 4];
        for (count, table) in
            counts
                .iter_mut()
                .zip(["grants", "authorization_codes", "access_tokens", "refresh_tokens"])
        {
            let statement = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
            *count = sqlx::query_scalar(statement)
                .fetch_one(&self.app.server.database.read)
                .await
                .unwrap();
        }
        counts
    }

    /// Reports whether an agent can use MCP with this access token.
    pub(crate) async fn opens(&self, tokens: &Value) -> bool {
        let token = tokens["access_token"].as_str().unwrap();
        let agent = self.app.agent_of(Some(token));
        let reply = agent
            .send(&agent.message("tools/list", serde_json::Map::new()), &[])
            .await;
        reply.status == 200
    }
}

/// An app with its client credentials.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub id: String,
    pub secret: Option<String>,
    pub redirect_uri: String,
}

impl Client {
    pub(crate) async fn register(app: &TestApp, metadata: Value) -> Self {
        let registered = app.anonymous().post("/oauth/register", &metadata).await.expect(201);
        Self {
            id: registered["client_id"].as_str().unwrap().into(),
            secret: registered["client_secret"].as_str().map(str::to_owned),
            redirect_uri: registered["redirect_uris"][0].as_str().unwrap().into(),
        }
    }

    /// Returns the authorization address; `others` replace parameters, and an empty value removes one.
    pub(crate) fn address(&self, others: &[(&str, &str)]) -> String {
        let usual = [
            ("response_type", "code"),
            ("client_id", &self.id),
            ("redirect_uri", &self.redirect_uri),
            ("state", "st&te"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("resource", "http://linepress.test/mcp"),
        ];
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in usual {
            if !others.iter().any(|(other, _)| *other == name) {
                query.append_pair(name, value);
            }
        }
        query.extend_pairs(others.iter().filter(|(_, value)| !value.is_empty()));
        format!("/oauth/authorize?{}", query.finish())
    }

    /// Opens the authorization page and submits the user's decision.
    pub(crate) async fn decide(&self, browser: &mut Browser, address: &str, fields: &[(&str, &str)]) -> Html {
        let page = browser.get(address).await;
        page.expect(200, "Connect");
        let (token, request) = (page.value_of("csrf_token"), page.value_of("request"));
        let mut all = vec![("csrf_token", token.as_str()), ("request", request.as_str())];
        all.extend(fields);
        browser.post("/oauth/authorize", &all).await
    }

    /// Obtains a code for all scopes after the user's consent.
    pub(crate) async fn code(&self, browser: &mut Browser, others: &[(&str, &str)]) -> String {
        let decided = self.decide(browser, &self.address(others), &APPROVE_ALL).await;
        let code = parameter(&decided, "code");
        code.unwrap_or_else(|| panic!("the redirect has no code: {:?} {}", decided.headers, decided.text))
    }

    /// Sends a form of this client to the token endpoint or to another path.
    pub(crate) async fn send(&self, app: &TestApp, path: &str, fields: &[(&str, &str)]) -> Reply {
        let mut all = vec![("client_id", self.id.as_str())];
        all.extend(self.secret.as_deref().map(|secret| ("client_secret", secret)));
        all.extend(fields);
        form(app, path, &all).await
    }

    pub(crate) async fn redeem(&self, app: &TestApp, code: &str) -> Reply {
        self.redeem_with(app, code, &[]).await
    }

    /// Redeems a code; `others` replace fields, and an empty value removes one.
    pub(crate) async fn redeem_with(&self, app: &TestApp, code: &str, others: &[(&str, &str)]) -> Reply {
        let usual = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", VERIFIER),
            ("resource", "http://linepress.test/mcp"),
        ];
        let is_other = |name: &str| others.iter().any(|(other, _)| *other == name);
        let mut fields: Vec<_> = usual.into_iter().filter(|(name, _)| !is_other(name)).collect();
        fields.extend(others.iter().filter(|(_, value)| !value.is_empty()));
        self.send(app, "/oauth/token", &fields).await
    }

    pub(crate) async fn refresh(&self, app: &TestApp, tokens: &Value) -> Reply {
        self.refresh_with(app, tokens, &[]).await
    }

    pub(crate) async fn refresh_with(&self, app: &TestApp, tokens: &Value, others: &[(&str, &str)]) -> Reply {
        let token = tokens["refresh_token"].as_str().unwrap();
        let mut fields = vec![("grant_type", "refresh_token"), ("refresh_token", token)];
        fields.extend(others);
        self.send(app, "/oauth/token", &fields).await
    }
}

/// The fields of a decision that grants everything.
pub(crate) const APPROVE_ALL: [(&str, &str); 3] = [
    ("decision", "approve"),
    ("books_write", "yes"),
    ("credits_spend", "yes"),
];

pub(crate) async fn form(app: &TestApp, path: &str, fields: &[(&str, &str)]) -> Reply {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    let kind = [("content-type", "application/x-www-form-urlencoded")];
    app.anonymous()
        .send("POST", path, &kind, Body::from(form.finish()))
        .await
}

/// Returns a parameter of the address to which the browser is redirected.
pub(crate) fn parameter(html: &Html, name: &str) -> Option<String> {
    let location = html.headers.get("location")?.to_str().unwrap();
    let url = url::Url::parse(location).ok()?;
    let found = url.query_pairs().find(|(own, _)| own == name);
    found.map(|(_, value)| value.into_owned())
}

/// Fails unless the app gets this error code as JSON that must not be cached.
#[track_caller]
pub(crate) fn expect_refusal(reply: &Reply, status: u16, code: &str) {
    let body = reply.expect(status);
    assert_eq!(body["error"], code, "{body}");
    let words = body["error_description"].as_str().unwrap();
    // RFC 6749, section 5.2.
    let fits = |letter: char| matches!(letter, '\x20'..='\x21' | '\x23'..='\x5b' | '\x5d'..='\x7e');
    assert!(!words.is_empty() && words.chars().all(fits), "{words}");
    assert_eq!(reply.header("cache-control"), "no-store");
}
