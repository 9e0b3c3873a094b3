//! Clients that publish a document about themselves and use its URL as their id (OAuth Client ID Metadata Document).
//! The owner of the host vouches for the client, so the consent page can show the host as its identity.
use std::time::Duration;

use url::{Host, Url};

use super::metadata::{ClientMetadata, SentMetadata};
use super::{AuthMethod, Client, UNGRANTED_LIFETIME, store};
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::error::{Result, chain};
use linepress_platform::ids::{AccountId, ClientId};

/// The size limit of a document: claude.ai's has more than 5 KiB.
const MAX_DOCUMENT_BYTES: u64 = 64 * 1024;
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ADDRESS_BYTES: usize = 2_000;
/// The time for which a document is used without fetching it again.
const FRESH_LIFETIME: Duration = Duration::from_secs(3600);
/// The further time for which a document is used while it cannot be fetched again.
const STALE_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// The number of documents that one account may cause to be fetched. Only a signed-in person causes a fetch, so the
/// limit of one account blocks no other account.
const FETCHES_BY_ACCOUNT: Rate = Rate::new(20, Duration::from_secs(600));

/// Returns the client that the document at `address` describes, or `None` when there is no valid document, for a reason
/// that is logged. A document that was fetched within the last day is used when it cannot be fetched now.
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
        tracing::info!(problem, "client metadata address rejected");
        return Ok(None);
    }
    let stale = known.filter(|client| client.fresh_until.is_some_and(|until| until.plus(STALE_LIFETIME) > now));
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
                "client metadata document could not be fetched"
            );
            Ok(stale)
        }
        Err(FetchError::Invalid(problem)) => {
            tracing::info!(problem, "the metadata document of an OAuth client is invalid");
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
        fresh_until: now.plus(FRESH_LIFETIME),
        expires_at: now.plus(UNGRANTED_LIFETIME),
    };
    store::save_document(&mut tx, &id, &saved, now).await?;
    tx.commit().await?;
    Ok(store::find_document(&app.database.read, address)
        .await?
        .filter(|client| client.revoked_at.is_none()))
}

/// The reason why a document yields no client. No failure is cached: the next request fetches again.
enum FetchError {
    /// The document could not be fetched.
    Unavailable(String),
    /// The document violates a rule, so its owner no longer vouches for the earlier version.
    Invalid(String),
}

async fn fetch(app: &App, address: &str) -> Result<ClientMetadata, FetchError> {
    // The app chose the address, not the account, so `import_private_hosts` does not apply.
    let document = app
        .public_fetcher
        .within(FETCH_TIMEOUT)
        .read(address, None, MAX_DOCUMENT_BYTES)
        .await
        .map_err(|error| FetchError::Unavailable(chain(&error)))?;
    read(address, &document).map_err(FetchError::Invalid)
}

fn read(address: &str, document: &[u8]) -> Result<ClientMetadata, String> {
    let sent: SentMetadata = serde_json::from_slice(document)
        .map_err(|error| format!("the document is not valid JSON metadata: {error}"))?;
    // Compared byte for byte, so that an app cannot present another app's document as its own.
    if sent.client_id.as_deref() != Some(address) {
        return Err("its client_id is not the URL it was fetched from".into());
    }
    let metadata = sent
        .checked(AuthMethod::None)
        .map_err(|error| format!("the metadata is invalid: {error:?}"))?;
    if metadata.auth_method != AuthMethod::None {
        return Err("token_endpoint_auth_method must be none for a client with a document".into());
    }
    Ok(metadata)
}

/// Rejects an address that can be spelled or parsed in more than one way, and one without a public host name.
pub(super) fn check_address(address: &str) -> Result<(), &'static str> {
    if address.len() > MAX_ADDRESS_BYTES {
        return Err("the address is longer than 2000 bytes");
    }
    let url = Url::parse(address).map_err(|_| "the address is not a URL")?;
    // The parser normalizes numeric hosts, percent signs, backslashes, dot segments and capital letters.
    if url.as_str() != address {
        return Err("the address is not in the normalized form of a URL");
    }
    match url.host() {
        Some(Host::Domain(name)) if name.contains('.') && !name.ends_with('.') => {}
        _ => return Err("the address has no public host name"),
    }
    if url.scheme() != "https" || url.path() == "/" || url.fragment().is_some() || url.port().is_some() {
        return Err("the address must be an https URL with a path and without a port or a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address contains a user name or a password");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_normalized_https_address_is_accepted() {
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

    /// The documents that apps published in autumn 2026, without logos and links. Sources: the addresses themselves.
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
    fn a_document_contains_its_own_address() {
        let document = |id: &str, method: &str| {
            format!(
                r#"{{"client_id": "{id}", "client_name": "Claude", "redirect_uris": ["http://localhost/callback"],
                    "token_endpoint_auth_method": "{method}", "jwks": {{"keys": []}}}}"#
            )
        };
        let address = "https://claude.ai/client";
        let valid = read(address, document(address, "none").as_bytes()).expect("a good document");
        assert_eq!(valid.name, "Claude");
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
