//! The credentials for an S3 server: from the settings and a file, from the environment, or from the machine.
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use object_store::CredentialProvider;
use object_store::aws::{AmazonS3Builder, AwsCredential};

use crate::config::S3;
use crate::error::{Error, Result};

/// The environment variables that the tools of Amazon read for credentials: those of an access key, of a role with a
/// web identity (Kubernetes), and of a container.
const CREDENTIAL_VARIABLES: [&str; 9] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// Adds the credentials of the settings; if there are none, those of the environment. Without either, the library
/// requests those of the machine's instance profile.
pub(super) fn add(mut builder: AmazonS3Builder, settings: &S3) -> Result<AmazonS3Builder> {
    if !settings.access_key_id.is_empty() {
        let file = SecretFile {
            key_id: settings.access_key_id.clone(),
            path: settings.secret_access_key_file.clone(),
        };
        // The operator learns of a missing file when the server starts, and not with the first object.
        file.parse(std::fs::read_to_string(&file.path))?;
        return Ok(builder.with_credentials(Arc::new(file)));
    }
    for name in CREDENTIAL_VARIABLES {
        let value = std::env::var(name).unwrap_or_default();
        if let (Ok(key), false) = (name.to_ascii_lowercase().parse(), value.is_empty()) {
            builder = builder.with_config(key, value);
        }
    }
    Ok(builder)
}

/// An access key whose secret is in a file, which may change while the server runs.
#[derive(Debug)]
struct SecretFile {
    key_id: String,
    path: PathBuf,
}

impl SecretFile {
    fn parse(&self, text: std::io::Result<String>) -> Result<AwsCredential> {
        let path = self.path.display();
        let text = text.map_err(|error| Error::unavailable(format!("secret_access_key_file: {path}: {error}")))?;
        match text.trim() {
            "" => Err(Error::unavailable(format!("secret_access_key_file: {path} is empty"))),
            secret => Ok(AwsCredential {
                key_id: self.key_id.clone(),
                secret_key: secret.to_owned(),
                token: None,
            }),
        }
    }
}

#[async_trait]
impl CredentialProvider for SecretFile {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let credential = self.parse(tokio::fs::read_to_string(&self.path).await);
        credential.map(Arc::new).map_err(|error| object_store::Error::Generic {
            store: "S3",
            source: error.for_operator().into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_changed_secret_counts_from_the_next_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        let settings = S3 {
            access_key_id: "ada".into(),
            secret_access_key_file: path.clone(),
            ..S3::default()
        };
        let open = || add(AmazonS3Builder::new().with_bucket_name("books"), &settings);
        assert!(
            open()
                .expect_err("no file")
                .for_operator()
                .contains("secret_access_key_file")
        );
        std::fs::write(&path, "\n").expect("a file");
        assert!(open().expect_err("no secret").for_operator().contains("is empty"));
        std::fs::write(&path, "first\n").expect("a file");
        let file = SecretFile {
            key_id: "ada".into(),
            path: path.clone(),
        };
        assert_eq!(file.get_credential().await.expect("read").secret_key, "first");
        std::fs::write(&path, "second").expect("a file");
        assert_eq!(file.get_credential().await.expect("read").secret_key, "second");
        std::fs::remove_file(&path).expect("a file");
        let error = file.get_credential().await.expect_err("no file").to_string();
        assert!(error.contains("secret_access_key_file"), "{error}");
    }
}
