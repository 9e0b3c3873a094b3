//! Clients that publish a document about themselves, and are named by its address (OAuth Client ID Metadata Document). Whoever
//! owns the address vouches for the client, so a person can be told a host that means something.
use std::time::Duration;

use url::{Host, Url};

use super::metadata::{ClientMetadata, SentMetadata};
use super::{AuthMethod, Client, UNWANTED, store};
use crate::app::App;
use crate::error::{Result, chain};
use crate::ids::ClientId;
use crate::throttle::{self, Rate};

/// claude.ai's has more than five.
const LARGEST: u64 = 64 * 1024;
const TIME_LIMIT: Duration = Duration::from_secs(10);
const LONGEST_ADDRESS: usize = 2_000;
/// A document is fetched again after this.
const FRESH: Duration = Duration::from_secs(3600);

/// Anybody can have us fetch something.
const BY_ADDRESS: Rate = Rate::new(20, Duration::from_secs(600));
const IN_ALL: Rate = Rate::new(60, Duration::from_secs(60));

/// The client that this address of a document names. Nothing where there is no document, or one that is not right: the log says
/// why. `from` tells where whoever asks comes from.
pub(super) async fn resolve(app: &App, address: &str, from: &str) -> Result<Option<Client>> {
    let known = store::find_document(&app.database.read, address).await?;
    let now = app.clock.now();
    if let Some(client) = known {
        if client.revoked_at.is_some() {
            return Ok(None);
        }
        if client.fresh_until.is_some_and(|until| until > now) {
            return Ok(Some(client));
        }
    }
    if let Err(problem) = check_address(address) {
        tracing::info!(problem, "the address of a client's document was refused");
        return Ok(None);
    }
    throttle::take(app, "documents of clients for this address", from, BY_ADDRESS).await?;
    throttle::take(app, "documents of clients", "", IN_ALL).await?;
    // No transaction is open meanwhile, and nothing of a failure is kept: the next one who asks asks again.
    let metadata = match fetch(app, address).await {
        Ok(metadata) => metadata,
        Err(problem) => {
            tracing::info!(problem, "a client's document cannot be used");
            return Ok(None);
        }
    };
    let now = app.clock.now();
    let id = ClientId::generate(now, &app.random);
    let mut tx = app.database.begin().await?;
    let saved = store::Document {
        address,
        metadata: &metadata,
        fresh_until: now.plus(FRESH),
        expires_at: now.plus(UNWANTED),
    };
    store::save_document(&mut tx, &id, &saved, now).await?;
    tx.commit().await?;
    Ok(store::find_document(&app.database.read, address)
        .await?
        .filter(|client| client.revoked_at.is_none()))
}

async fn fetch(app: &App, address: &str) -> Result<ClientMetadata, String> {
    // Whoever asks may be anybody: `import_private_hosts` is for those who have an account.
    let document = app
        .public_fetcher
        .within(TIME_LIMIT)
        .read(address, None, LARGEST)
        .await
        .map_err(|error| chain(&error))?;
    read(address, &document)
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
fn check_address(address: &str) -> Result<(), &'static str> {
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
