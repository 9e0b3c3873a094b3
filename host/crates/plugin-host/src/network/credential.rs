//! Credentials that the host adds to requests and guests never see.
use std::path::{Path, PathBuf};

use http::HeaderValue;
use linepress_egress::Origin;
use serde::{Deserialize, Serialize};

use super::requests::CredentialRequest;
use super::secrets::Secrets;

/// Maximum size of a secret. Credentials of APIs are shorter.
const MAX_SECRET_BYTES: u64 = 16 << 10;

/// The place from which a secret is read. Settings never contain the secret itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum CredentialSource {
    /// An environment variable. If it is not set, the variable with the suffix `_FILE` names a file that contains the
    /// secret.
    Env(String),
    /// A file that contains the secret.
    File(PathBuf),
}

/// A credential and its source. It does not implement `Debug`, and the secret is read again for each request, because
/// the operator may replace a file.
#[derive(Clone)]
pub(crate) struct Credential {
    request: CredentialRequest,
    source: CredentialSource,
}

impl Credential {
    /// Creates a credential. Fails if the secret cannot be read, so that the operator learns this when the plugin is
    /// loaded and not from the first drawing.
    pub(crate) fn new(request: CredentialRequest, source: CredentialSource) -> Result<Self, String> {
        let credential = Self { request, source };
        credential.header_value(&Secrets::default())?;
        Ok(credential)
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.request.origin
    }

    pub(crate) fn header(&self) -> &http::HeaderName {
        &self.request.header
    }

    /// Reads the secret, adds it to the secrets of the call and returns the header's value, marked as sensitive so that
    /// debug output hides it.
    pub(crate) fn header_value(&self, secrets: &Secrets) -> Result<HeaderValue, String> {
        let name = &self.request.name;
        let secret = self
            .source
            .read()
            .map_err(|problem| format!("its credential {name} {problem}"))?;
        let value = self.request.format.replace("{}", &secret);
        secrets.add(&secret, &value);
        let value = HeaderValue::try_from(value);
        let mut value =
            value.map_err(|_| format!("its credential {name} contains characters that are not allowed in a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl CredentialSource {
    /// Reads the secret and trims whitespace, because files usually end with a line break.
    /// The error continues a sentence that begins with the name of the secret.
    pub fn read(&self) -> Result<String, String> {
        let secret = match self {
            Self::File(path) => read_file(path)?,
            Self::Env(name) => match std::env::var(name) {
                Ok(secret) => secret,
                Err(std::env::VarError::NotUnicode(_)) => return Err(format!("is not UTF-8 in {name}")),
                Err(std::env::VarError::NotPresent) => match std::env::var_os(format!("{name}_FILE")) {
                    Some(path) => read_file(Path::new(&path))?,
                    None => {
                        return Err(format!(
                            "has no value: set {name}, or {name}_FILE to the path of a file"
                        ));
                    }
                },
            },
        };
        let secret = secret.trim();
        if secret.is_empty() {
            return Err("is empty".into());
        }
        Ok(secret.to_owned())
    }
}

fn read_file(path: &Path) -> Result<String, String> {
    let bytes = linepress_files::read(path, MAX_SECRET_BYTES).map_err(|error| format!("cannot be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| format!("is not UTF-8 in {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(secret: &[u8]) -> Result<Credential, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, secret).unwrap();
        let request = CredentialRequest {
            name: "api_key".into(),
            origin: Origin::parse("https://api.acme.com").unwrap(),
            header: http::header::AUTHORIZATION,
            format: "Bearer {}".into(),
            optional: false,
        };
        let credential = Credential::new(request, CredentialSource::File(path))?;
        // Read again here, before the temporary folder is removed.
        assert_eq!(credential.header_value(&Secrets::default()).unwrap(), "Bearer s3cret");
        assert!(credential.header_value(&Secrets::default()).unwrap().is_sensitive());
        Ok(credential)
    }

    #[test]
    fn a_secret_is_read_from_its_file() {
        let credential = credential(b" s3cret\n").unwrap();
        assert_eq!(credential.header(), http::header::AUTHORIZATION);
        assert!(
            credential.header_value(&Secrets::default()).is_err(),
            "the file is gone"
        );
    }

    #[test]
    fn an_invalid_secret_is_refused_by_name() {
        for secret in [&b""[..], b" \n", b"a\nb", b"\xff"] {
            let refusal = credential(secret).map(|_| ()).unwrap_err();
            assert!(refusal.contains("api_key"), "{refusal}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let source = CredentialSource::Env("LINEPRESS_NO_SUCH_VARIABLE".into());
        let problem = source.read().unwrap_err();
        assert!(problem.contains("LINEPRESS_NO_SUCH_VARIABLE_FILE"), "{problem}");
    }
}
