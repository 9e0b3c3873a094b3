//! Certificates of servers that a test starts.
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;

/// A certificate that is its own authority, with its key.
#[derive(Clone)]
pub(crate) struct SelfSigned {
    pub root: CertificateDer<'static>,
    pem: String,
    pub acceptor: TlsAcceptor,
}

impl SelfSigned {
    /// A certificate for these names and addresses.
    pub(crate) fn new(names: &[&str]) -> Self {
        let made = rcgen::generate_simple_self_signed(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let made = made.unwrap();
        let root = made.cert.der().clone();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let tls = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![root.clone()], key)
            .unwrap();
        Self {
            root,
            pem: made.cert.pem(),
            acceptor: TlsAcceptor::from(Arc::new(tls)),
        }
    }

    /// Writes the certificate to a file that OpenSSL and rustls read, for `SSL_CERT_FILE`.
    pub(crate) fn write(&self, file: &Path) {
        std::fs::write(file, &self.pem).unwrap();
    }
}
