//! The HTTP client, independent of its environment: no proxy, no cookies, no environment variables.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Client, ClientBuilder};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::error::chain;
use crate::guard::Guard;

/// The certificate authorities that are trusted.
#[derive(Clone, Debug)]
pub enum Roots {
    /// The authorities that the operating system trusts.
    System,
    Only(Vec<CertificateDer<'static>>),
}

/// Creates a client that connects only to addresses that the guard admits. The error says what is wrong with this
/// machine, such as missing certificates.
pub(crate) fn create_client(roots: Roots, guard: Guard, connect: Duration) -> Result<Client, String> {
    let client = builder(roots, connect)?
        .dns_resolver(guard)
        // Connections are not reused, so that each fetch is checked by the guard.
        .pool_max_idle_per_host(0)
        .https_only(true)
        .build();
    client.map_err(|error| chain(&error))
}

/// The settings that all clients share.
///
/// Hyper bounds the size of headers: 100 of them, in a buffer of 408 KiB (`DEFAULT_MAX_HEADERS` and
/// `DEFAULT_MAX_BUFFER_SIZE` in its `proto::h1`).
pub(crate) fn builder(roots: Roots, connect: Duration) -> Result<ClientBuilder, String> {
    let tls = tls(roots).map_err(|error| error.to_string())?;
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(connect)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .http1_only()
        .no_proxy()
        .referer(false)
        // Cargo unifies features: another crate that enables one of these would enable it here.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .user_agent(concat!("linepress/", env!("CARGO_PKG_VERSION")));
    Ok(builder)
}

pub(crate) fn tls(roots: Roots) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions()?;
    let builder = match roots {
        Roots::System => builder
            .dangerous()
            .with_custom_certificate_verifier(system_verifier(provider)?),
        Roots::Only(certificates) => {
            let mut store = RootCertStore::empty();
            for certificate in certificates {
                store.add(certificate)?;
            }
            builder.with_root_certificates(store)
        }
    };
    Ok(builder.with_no_client_auth())
}

/// Reads the certificate authorities that the operating system trusts, which otherwise the first connection does. The
/// error says what is wrong with this machine.
pub fn read_system_certificates() -> Result<(), String> {
    tls(Roots::System).map(drop).map_err(|error| error.to_string())
}

/// The verifier that trusts the authorities of the operating system. All clients share it, because it reads about 150
/// files.
fn system_verifier(provider: Arc<CryptoProvider>) -> Result<Arc<Verifier>, rustls::Error> {
    static VERIFIER: Mutex<Option<Arc<Verifier>>> = Mutex::new(None);
    let mut shared = VERIFIER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(verifier) = &*shared {
        return Ok(verifier.clone());
    }
    let verifier = Arc::new(Verifier::new(provider)?);
    *shared = Some(verifier.clone());
    Ok(verifier)
}
