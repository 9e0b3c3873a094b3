//! The altered server as a process, and the clients of the other tests, which reach it through the network.
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, header};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use url::Url;

use crate::oauth::{Client, VERIFIER};
use crate::recovery::Server;
use crate::test_app::{Actor, Agent, Browser, Html, PASSWORD, from_environment, install_plugins};

const EMAIL: &str = "ada@example.com";
const REDIRECT: &str = "https://agent.test/callback";

/// The name by which the clients know the server.
const HOST: &str = "linepress.test";

/// An installation with an account of 1,000 credits.
pub(super) struct Installation {
    // Stopped before its folder is deleted.
    _server: Server,
    _folder: TempDir,
    pub router: Router,
    /// The account's browser.
    pub browser: Browser,
    /// A client with an API key of the account.
    pub ada: Actor,
    /// The page on which the account was created.
    pub first_page: Html,
}

impl Installation {
    pub(super) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        install_plugins(folder.path());
        // Every character in a storm fails at the first attempt.
        let settings = "[plugins.\"testbed.flaky\"]\nfail = \"refused\"\nseeds = \"all\"\nprompt = \"storm\"\n";
        std::fs::write(folder.path().join("linepress.toml"), settings).unwrap();
        let mut server = Server::spawn(command(folder.path()).stdout(Stdio::piped()));
        let mut output = BufReader::new(server.process.stdout.take().unwrap()).lines();
        let link = output.find_map(|line| Some(line.unwrap()).filter(|line| line.contains("/first-account/")));
        let router = router_to(Url::parse(&server.base).unwrap().socket_addrs(|| None).unwrap()[0]);
        let mut browser = Browser::of(router.clone());
        let link = link.unwrap();
        let first_page = browser.get(&link).await;
        let fields = [("email", EMAIL), ("password", PASSWORD), ("credits", "1000")];
        browser.post(&link, &fields).await.expect_redirect("/");
        let key = read(command(folder.path()).args(["key", "create", "--email", EMAIL, "--name", "test"]));
        Self {
            _server: server,
            _folder: folder,
            ada: Actor::new(router.clone(), Some(key)),
            router,
            browser,
            first_page,
        }
    }

    /// Registers an app.
    pub(super) async fn client(&self) -> Client {
        let metadata = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"});
        let registered = self.anonymous().post("/oauth/register", &metadata).await.expect(201);
        Client {
            id: registered["client_id"].as_str().unwrap().into(),
            secret: None,
            redirect_uri: REDIRECT.into(),
        }
    }

    /// Returns an agent that the account granted everything.
    pub(super) async fn agent(&mut self) -> Agent {
        let client = self.client().await;
        let code = client.code(&mut self.browser, &[]).await;
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("client_id", &client.id)
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", &code)
            .append_pair("redirect_uri", REDIRECT)
            .append_pair("code_verifier", VERIFIER)
            .append_pair("resource", &format!("http://{HOST}/mcp"))
            .finish();
        let kind = [("content-type", "application/x-www-form-urlencoded")];
        let reply = self.anonymous().send("POST", "/oauth/token", &kind, form.into()).await;
        Agent::new(self.router.clone(), reply.expect(200)["access_token"].as_str())
    }

    /// Returns a client without an API key.
    pub(super) fn anonymous(&self) -> Actor {
        Actor::new(self.router.clone(), None)
    }

    /// Waits until the operation of this reply has ended, and returns it.
    pub(super) async fn ended(&self, accepted: &Value) -> Value {
        let address = accepted["operation"]["url"].as_str().unwrap();
        let operation = async || self.ada.get(address).await.expect(200)["operation"].clone();
        crate::test_app::wait_until("the operation ends", async || {
            !operation().await["finished_at"].is_null()
        })
        .await;
        operation().await
    }
}

/// Returns the altered program with this data folder.
fn command(data: &Path) -> Command {
    let mut command = Command::new(from_environment("LINEPRESS_TEST_ALTERED_BINARY"));
    command
        .current_dir(data)
        .env("LINEPRESS_DATA_DIR", data)
        .env("LINEPRESS_PLUGINS_DIR", data.join("plugins.d"))
        .env("LINEPRESS_PUBLIC_URL", format!("http://{HOST}"))
        .env("LINEPRESS_IMAGE_PROVIDERS", "testbed.flaky");
    command
}

fn read(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Returns a router that forwards every request to the process at this address.
fn router_to(address: SocketAddr) -> Router {
    Router::new().fallback(move |request: Request<Body>| forward(address, request))
}

async fn forward(address: SocketAddr, mut request: Request<Body>) -> Response<Body> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let host = HeaderValue::from_static(HOST);
    request.headers_mut().entry(header::HOST).or_insert(host);
    sender.send_request(request).await.unwrap().map(Body::new)
}
