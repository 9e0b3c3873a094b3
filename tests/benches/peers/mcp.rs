//! `tools/call` of `get_account`, compared with a server on the TypeScript SDK whose only tool returns the same from
//! memory. Each side is a separate process.
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use axum::http::{Request, header};
use http_body_util::Full;
use linepress_accounts::accounts::Plan;
use linepress_accounts::grants::clients::{self as apps, AuthMethod, ClientMetadata, Details};
use linepress_accounts::grants::{self, NewGrant};
use linepress_operator::startup::Scope;
use linepress_platform::config::Config;
use linepress_platform::scopes::Scopes;
use serde_json::{Value, json};

use crate::app::from_environment;
use crate::client::Client;
use crate::load;
use crate::process::Process;
use crate::report::{Comparison, Unit, rounds};
use crate::server;

const ROUNDS: usize = 15;
const CLIENTS: usize = 8;
/// Upper limits for the size of the tool list, which every conversation pays for.
const MAX_TOOL_LIST_BYTES: usize = 48_000;
const MAX_TOOL_LIST_TOKENS: usize = 12_000;
/// The audience of the token, independent of the address that the server gets.
const PUBLIC_URL: &str = "http://localhost";
/// The protocol version of both sides: its requests are independent of each other.
const PROTOCOL: &str = "2026-07-28";

/// Measures the comparison; returns `None` without Node.js, after `cargo xtask bench` has reported that it is
/// missing.
pub(crate) async fn measure() -> anyhow::Result<Option<Comparison>> {
    let folder = tempfile::tempdir()?;
    let mut command = server::ours(folder.path())?;
    command.env("LINEPRESS_PUBLIC_URL", PUBLIC_URL);
    // This server creates the database.
    let server = Process::start(command).await?;
    let token = access_token(folder.path()).await?;
    let node = Node::from_environment();
    print_list(server.address, &token, node.as_ref()).await?;
    let Some(node) = node else {
        return Ok(None);
    };

    let call = Message::new("tools/call", json!({"name": "get_account", "arguments": {}}));
    let answer = call.client(server.address, &token).await?.ask().await?;
    let peer = Process::start(node.server(&tool_result(&answer)?)).await?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..CLIENTS {
        ours.push(call.client(server.address, &token).await?);
        theirs.push(call.client(peer.address, &token).await?);
    }
    let comparison = Comparison::new("tools/call get_account", Unit::PerSecond, "ratio 3 or more")
        .run(
            rounds(ROUNDS),
            async || load::per_second(&mut ours).await,
            async || load::per_second(&mut theirs).await,
        )
        .await?;
    // A refusal also has status 200, so that both results are compared with the first one.
    let (one, other) = (
        tool_result(&ours[0].ask().await?)?,
        tool_result(&theirs[0].ask().await?)?,
    );
    ensure!(
        one == other && one == tool_result(&answer)?,
        "the sides respond differently: {one} and {other}"
    );
    Ok(Some(comparison))
}

/// Returns an access token of an app to which a new account of this server granted every scope.
async fn access_token(data: &Path) -> anyhow::Result<String> {
    let config = Config {
        data_dir: data.to_owned(),
        public_url: PUBLIC_URL.into(),
        ..Config::default()
    };
    let program = from_environment("LINEPRESS_TEST_BINARY")?;
    let server = &linepress_operator::testing::open_with(config.completed()?, Scope::Database, program).await?;
    let account = linepress_accounts::testing::create_account(server, "ada@example.com", Plan::Business, 50).await?;
    let metadata = ClientMetadata {
        name: "An app".into(),
        redirect_uris: vec!["http://localhost/callback".into()],
        auth_method: AuthMethod::None,
        details: Details::default(),
    };
    let client = apps::register(server, &metadata).await?.id;
    let now = server.clock.now();
    let new = NewGrant {
        account_id: &account.id,
        client_id: &client,
        scopes: Scopes::ALL,
        resource: &server.config.mcp_url(),
        credit_cap: None,
        expires_at: now.plus(Duration::from_secs(60)),
    };
    let mut tx = server.database.begin().await?;
    let grant = grants::create(server, &mut tx, &new).await?;
    let issued = grants::issue(server, &mut tx, (&client, &grant), Scopes::ALL, now).await?;
    tx.commit().await?;
    Ok(issued.access_token.expose().into())
}

/// A message of the protocol.
struct Message {
    method: &'static str,
    name: Option<String>,
    body: String,
}

impl Message {
    fn new(method: &'static str, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        Self {
            method,
            name: params["name"].as_str().map(str::to_owned),
            body: json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string(),
        }
    }

    /// Returns a client that sends this message.
    async fn client(&self, address: SocketAddr, token: &str) -> anyhow::Result<Client> {
        let mut request = Request::post("/mcp")
            .header(header::HOST, "127.0.0.1")
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL)
            .header("mcp-method", self.method);
        if let Some(name) = &self.name {
            request = request.header("mcp-name", name);
        }
        let request = request.body(Full::from(self.body.clone()))?;
        Client::connect_for(address, request).await
    }
}

/// Returns the result of a tool without its protocol envelope.
fn tool_result(answer: &[u8]) -> anyhow::Result<Value> {
    let answer: Value = serde_json::from_slice(answer)?;
    let result = &answer["result"];
    ensure!(
        result["structuredContent"]["account"].is_object(),
        "not an account: {answer}"
    );
    Ok(json!({"content": result["content"], "structuredContent": result["structuredContent"]}))
}

/// Prints the size of our tool list.
async fn print_list(address: SocketAddr, token: &str, node: Option<&Node>) -> anyhow::Result<()> {
    let list = Message::new("tools/list", json!({}));
    let answer = list.client(address, token).await?.ask().await?;
    let answer: Value = serde_json::from_slice(&answer)?;
    let tools = answer["result"]["tools"].as_array().context("no tools")?;
    let text = serde_json::to_string(tools)?;
    println!("tools/list, {} tools:", tools.len());
    println!("- {} bytes, of at most {MAX_TOOL_LIST_BYTES}", text.len());
    if let Some(node) = node {
        println!(
            "- {} tokens of o200k_base, of at most {MAX_TOOL_LIST_TOKENS}",
            node.tokens(&text)?
        );
    }
    Ok(())
}

/// The Node.js program and the folder of its scripts.
struct Node {
    program: PathBuf,
    folder: PathBuf,
}

impl Node {
    fn from_environment() -> Option<Self> {
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        Some(Self {
            program: path("LINEPRESS_TEST_BENCH_NODE")?,
            folder: path("LINEPRESS_TEST_BENCH_MCP")?,
        })
    }

    fn run(&self, script: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(script).current_dir(&self.folder);
        command
    }

    /// Returns the command that starts the peer, whose tool returns `result`.
    fn server(&self, result: &Value) -> Command {
        let mut command = self.run("server.mjs");
        command.arg(result.to_string());
        command
    }

    fn tokens(&self, text: &str) -> anyhow::Result<usize> {
        let mut command = self.run("tokens.mjs");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        child.stdin.take().context("no input")?.write_all(text.as_bytes())?;
        let output = child.wait_with_output()?;
        let count = String::from_utf8_lossy(&output.stdout);
        count
            .trim()
            .parse()
            .with_context(|| format!("the tokens were not counted: {count:?}"))
    }
}
