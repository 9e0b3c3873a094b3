//! The provider's metadata (OpenID Connect Discovery 1.0). It is cached for an hour, and a failure to fetch it for
//! seconds.
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::{MAX_RESPONSE_BYTES, Provider};
use crate::clock::Timestamp;
use crate::config::Oidc;
use crate::error::chain;

const CACHE_LIFETIME: Duration = Duration::from_secs(3600);
/// The time for which a failure is cached: otherwise every sign-in would wait for the provider, one after the other.
const FAILURE_CACHE_LIFETIME: Duration = Duration::from_secs(5);

/// The provider's endpoints, and the options that it supports.
#[derive(Debug)]
pub struct Endpoints {
    pub authorization: String,
    pub token: String,
    pub userinfo: Option<String>,
    /// True if every authorization response names the issuer (RFC 9207).
    pub names_itself: bool,
    /// True if the provider accepts the client secret only in the form of a token request.
    pub secret_in_form: bool,
}

/// The result of fetching the metadata.
pub(super) type Discovery = Result<Arc<Endpoints>, String>;

pub(super) struct Discovered {
    discovery: Discovery,
    until: Timestamp,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

impl Provider {
    /// The endpoints of the provider; an error text for the log when its discovery document cannot be read.
    pub async fn endpoints(&self, oidc: &Oidc, now: Timestamp) -> Discovery {
        // Locked during the request, so that concurrent sign-ins send a single request and share its result.
        let mut discovered = self.discovered.lock().await;
        if let Some(known) = discovered.as_ref().filter(|known| now < known.until) {
            return known.discovery.clone();
        }
        let discovery = self.fetch_metadata(oidc).await.map(Arc::new);
        let remembered = match &discovery {
            Ok(_) => CACHE_LIFETIME,
            Err(_) => FAILURE_CACHE_LIFETIME,
        };
        *discovered = Some(Discovered {
            discovery: discovery.clone(),
            until: now.plus(remembered),
        });
        discovery
    }

    async fn fetch_metadata(&self, oidc: &Oidc) -> Result<Endpoints, String> {
        let url = format!("{}/.well-known/openid-configuration", oidc.issuer.trim_end_matches('/'));
        let document = self.fetcher.read(&url, None, MAX_RESPONSE_BYTES).await;
        let document = document.map_err(|error| format!("{url}: {}", chain(&error)))?;
        let document = serde_json::from_slice::<Document>(&document).map_err(|error| format!("{url}: {error}"))?;
        check(document, oidc)
    }
}

fn check(document: Document, oidc: &Oidc) -> Result<Endpoints, String> {
    if document.issuer != oidc.issuer {
        return Err(format!(
            "the provider calls itself {:?}, and the setting sign_in.oidc.issuer is {:?}",
            document.issuer, oidc.issuer
        ));
    }
    if !document.authorization_endpoint.starts_with("https://") {
        return Err("the provider's authorization_endpoint is not an https:// URL".into());
    }
    let methods = &document.token_endpoint_auth_methods_supported;
    let takes = |method: &str| methods.iter().any(|known| known == method);
    Ok(Endpoints {
        authorization: document.authorization_endpoint,
        token: document.token_endpoint,
        userinfo: document.userinfo_endpoint,
        names_itself: document.authorization_response_iss_parameter_supported,
        secret_in_form: takes("client_secret_post") && !takes("client_secret_basic"),
    })
}
