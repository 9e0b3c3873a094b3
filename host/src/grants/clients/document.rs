//! Clients that publish a document about themselves, and are named by its address (OAuth Client ID Metadata Document). Whoever
//! owns the address vouches for the client, so a person can be told a host that means something.
use std::time::Duration;

use url::{Host, Url};

use super::metadata::{ClientMetadata, SentMetadata};
use super::{AuthMethod, Client, UNWANTED, store};
use crate::app::App;
use crate::error::{Result, chain};
use crate::ids::{AccountId, ClientId};
use crate::throttle::{self, Rate};

/// claude.ai's has more than five.
const LARGEST: u64 = 64 * 1024;
const TIME_LIMIT: Duration = Duration::from_secs(10);
const LONGEST_ADDRESS: usize = 2_000;
/// A document is fetched again after this.
const FRESH: Duration = Duration::from_secs(3600);
/// What a document said remains valid for this long after it was fresh, while it cannot be fetched again.
const USABLE_WHEN_STALE: Duration = Duration::from_secs(24 * 3600);

/// Only a person who is signed in makes this server fetch a document, so that the limit of one account locks nobody else out.
const FETCHES_BY_ACCOUNT: Rate = Rate::new(20, Duration::from_secs(600));

/// Returns the client that the document at `address` describes, or `None` where there is no valid document; the log has the
/// reason. What a document said within the last day stands in for one that cannot be fetched now.
pub(super) async fn resolve(app: &App, address: &str, account: &AccountId) -> Result<Option<Client>> {
    let known = store::find_document(&app.database.read, address).await?;
    let now = app.clock.now();
    if let Some(client) = &known {
        if client.revoked_at.is_some() {
            return Ok(None);
        }
        if client.fresh_until.is_some_and(|until| until > now) {
            return Ok(known);
        }
    }
    if let Err(problem) = check_address(address) {
        tracing::info!(problem, "the address of a client's document was refused");
        return Ok(None);
    }
    let stale = known.filter(|client| {
        client
            .fresh_until
            .is_some_and(|until| until.plus(USABLE_WHEN_STALE) > now)
    });
    let fetched = match throttle::take(app, "app look-ups", account.as_str(), FETCHES_BY_ACCOUNT).await {
        Ok(()) => fetch(app, address).await,
        Err(_) if stale.is_some() => return Ok(stale),
        Err(error) => return Err(error),
    };
    match fetched {
        Ok(metadata) => save(app, address, &metadata).await,
        Err(FetchError::Unavailable(problem)) => {
            tracing::info!(
                problem,
                usable = stale.is_some(),
                "a client's document cannot be fetched"
            );
            Ok(stale)
        }
        Err(FetchError::Invalid(problem)) => {
            tracing::info!(problem, "a client's document cannot be used");
            Ok(None)
        }
    }
}

async fn save(app: &App, address: &str, metadata: &ClientMetadata) -> Result<Option<Client>> {
    let now = app.clock.now();
    let id = ClientId::generate(now, &app.random);
    let mut tx = app.database.begin().await?;
    let saved = store::Document {
        address,
        metadata,
        fresh_until: now.plus(FRESH),
        expires_at: now.plus(UNWANTED),
    };
    store::save_document(&mut tx, &id, &saved, now).await?;
    tx.commit().await?;
    Ok(store::find_document(&app.database.read, address)
        .await?
        .filter(|client| client.revoked_at.is_none()))
}

/// A document that gives no client. Neither kind is remembered: the next request fetches again.
enum FetchError {
    /// No document arrived.
    Unavailable(String),
    /// The document breaks a rule, so that its owner no longer vouches for what it said before.
    Invalid(String),
}

async fn fetch(app: &App, address: &str) -> Result<ClientMetadata, FetchError> {
    // The address is the app's, not the account's: `import_private_hosts` does not apply.
    let document = app
        .public_fetcher
        .within(TIME_LIMIT)
        .read(address, None, LARGEST)
        .await
        .map_err(|error| FetchError::Unavailable(chain(&error)))?;
    read(address, &document).map_err(FetchError::Invalid)
}

fn read(address: &str, document: &[u8]) -> Result<ClientMetadata, String> {
    let sent: SentMetadata = serde_json::from_slice(document).map_err(|error| format!("it cannot be read: {error}"))?;
    // Byte for byte: another one's document must not be passed off as one's own.
    if sent.client_id.as_deref() != Some(address) {
        return Err("its client_id is not the address that it was fetched from".into());
    }
    let metadata = sent
        .checked(AuthMethod::None)
        .map_err(|error| format!("it is not valid: {error:?}"))?;
    if metadata.auth_method != AuthMethod::None {
        return Err("a client with a document has no secret to show".into());
    }
    Ok(metadata)
}

/// Refuses every way to write an address that could be read in two ways, and what names no host in the public DNS.
pub(super) fn check_address(address: &str) -> Result<(), &'static str> {
    if address.len() > LONGEST_ADDRESS {
        return Err("it is longer than 2000 bytes");
    }
    let url = Url::parse(address).map_err(|_| "it is no URL")?;
    // Numbers, percent signs, backslashes, dots between slashes, capital letters: the parser writes each of them in one way.
    if url.as_str() != address {
        return Err("it is not written in the one form that a URL has");
    }
    match url.host() {
        Some(Host::Domain(name)) if name.contains('.') && !name.ends_with('.') => {}
        _ => return Err("it names no host"),
    }
    if url.scheme() != "https" || url.path() == "/" || url.fragment().is_some() || url.port().is_some() {
        return Err("it must be https, with a path and without a port or a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a user name or a password");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_in_one_way() {
        assert_eq!(
            check_address("https://claude.ai/oauth/mcp-oauth-client-metadata"),
            Ok(())
        );
        for address in [
            "http://claude.ai/client",
            "https://claude.ai",
            "https://claude.ai/",
            "https://claude.ai:443/client",
            "https://claude.ai:8443/client",
            "https://Claude.ai/client",
            "https://claude.ai/a/../client",
            "https://claude.ai/client#x",
            "https://user@claude.ai/client",
            "https://claude.ai./client",
            "https://localhost/client",
            "https://127.0.0.1/client",
            "https://2130706433/client",
            "https://0x7f.1/client",
            "https://[::1]/client",
            "https://claude%2eai/client",
            "https://127%2e0%2e0%2e1/client",
            "https://claude.ai\\client",
            "https:\\\\claude.ai\\client",
            "https:claude.ai/client",
            " https://claude.ai/client",
            "https://claude.ai/cl\nient",
        ] {
            assert!(check_address(address).is_err(), "{address}");
        }
    }

    /// What apps published in autumn 2026, but for logos and links. Sources: the addresses themselves.
    #[test]
    fn the_documents_of_known_apps_are_valid() {
        let both = &["http://localhost/callback", "http://127.0.0.1/callback"][..];
        for (address, name, redirect_uris, others) in [
            (
                "https://claude.ai/oauth/claude-code-client-metadata",
                "Claude Code",
                both,
                NONE,
            ),
            (
                "https://claude.ai/oauth/mcp-oauth-client-metadata",
                "Claude",
                &["https://claude.ai/api/mcp/auth_callback"],
                NONE,
            ),
            (
                "https://chatgpt.com/oauth/client.json",
                "ChatGPT",
                &["https://chatgpt.com/connector_platform_oauth_redirect"],
                r#""token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "RS256",
                   "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
                   "jwks_uri": "https://chatgpt.com/oauth/jwks.json""#,
            ),
            ("https://chatgpt.com/oauth/codex/client.json", "Codex", both, NONE),
            (
                "https://vscode.dev/oauth/client-metadata.json",
                "Visual Studio Code",
                &["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
                r#""token_endpoint_auth_method": "none", "application_type": "native""#,
            ),
            (
                "https://zed.dev/oauth/client-metadata.json",
                "Zed",
                &["http://127.0.0.1/callback"],
                NONE,
            ),
            (
                "https://opencode.ai/oauth/opencode/client.json",
                "opencode",
                both,
                r#""token_endpoint_auth_method": "none", "token_endpoint_auth_methods_supported": ["none"],
                   "application_type": "native""#,
            ),
        ] {
            let uris = serde_json::to_string(redirect_uris).expect("JSON");
            let document = format!(
                r#"{{"client_id": "{address}", "client_name": "{name}", "redirect_uris": {uris}, "response_types": ["code"],
                    "grant_types": ["authorization_code", "refresh_token"], {others}}}"#
            );
            let metadata = read(address, document.as_bytes()).expect(address);
            assert_eq!(metadata.auth_method, AuthMethod::None, "{address}");
            assert_eq!(metadata.redirect_uris, redirect_uris, "{address}");
        }
    }

    const NONE: &str = r#""token_endpoint_auth_method": "none""#;

    #[test]
    fn a_document_names_the_address_that_it_is_at() {
        let document = |id: &str, method: &str| {
            format!(
                r#"{{"client_id": "{id}", "client_name": "Claude", "redirect_uris": ["http://localhost/callback"],
                    "token_endpoint_auth_method": "{method}", "jwks": {{"keys": []}}}}"#
            )
        };
        let address = "https://claude.ai/client";
        let right = read(address, document(address, "none").as_bytes()).expect("a good document");
        assert_eq!(right.name, "Claude");
        for wrong in [
            document("https://claude.ai/Client", "none"),
            document("https://claude.ai/client/", "none"),
            document(address, "client_secret_post"),
            document(address, "private_key_jwt"),
            "[]".into(),
            "{}".into(),
        ] {
            assert!(read(address, wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
