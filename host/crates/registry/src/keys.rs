//! Ed25519 keys of publishers and registries.
use std::fmt;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, ED25519_PUBLIC_KEY_LEN, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{RegistryError, Result, failed, refused};

/// The prefix of a key's text. Another algorithm would have another one.
const ALGORITHM: &str = "ed25519:";
const PEM_BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const PEM_END: &str = "-----END PRIVATE KEY-----";
const PEM_LINE_CHARS: usize = 64;
/// Maximum size of the file of a private key.
const MAX_KEY_FILE_BYTES: u64 = 4 << 10;

/// A key that verifies signatures. Its text is `ed25519:` and the key in base64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey([u8; ED25519_PUBLIC_KEY_LEN]);

impl PublicKey {
    /// Returns true if the signature, in base64, is one of this message with this key.
    pub(crate) fn verifies(&self, message: &[u8], signature: &str) -> bool {
        let Ok(signature) = STANDARD.decode(signature) else {
            return false;
        };
        UnparsedPublicKey::new(&ED25519, &self.0)
            .verify(message, &signature)
            .is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{ALGORITHM}{}", STANDARD.encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for PublicKey {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bytes = text
            .trim()
            .strip_prefix(ALGORITHM)
            .and_then(|key| STANDARD.decode(key).ok());
        let key = bytes.and_then(|bytes| bytes.try_into().ok());
        key.map(Self)
            .ok_or_else(|| "must be a public key that `linepress plugin keygen` printed, such as ed25519:...".into())
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|problem| {
            let problem = format!("a key {problem}");
            serde::de::Error::custom(problem)
        })
    }
}

/// A private key that signs.
pub struct SigningKey(Ed25519KeyPair);

impl SigningKey {
    /// Creates a key and writes it into a new file that only this user may read. Never replaces a file.
    pub fn create(file: &Path) -> Result<Self> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let document =
            document.map_err(|_| RegistryError::Refused("this machine has no randomness for a key".into()))?;
        let key = Self::from_pkcs8(document.as_ref(), file)?;
        let mut options = OpenOptions::new();
        let mut new = options
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(file)
            .map_err(failed(file, "created"))?;
        let written = new.write_all(pem(document.as_ref()).as_bytes());
        written.and_then(|()| new.sync_all()).map_err(failed(file, "written"))?;
        Ok(key)
    }

    /// Reads a key in PKCS #8 from a PEM file: one that [`SigningKey::create`] or OpenSSL wrote.
    pub fn read(file: &Path) -> Result<Self> {
        let bytes = linepress_files::read(file, MAX_KEY_FILE_BYTES)?;
        let text = String::from_utf8_lossy(&bytes);
        let body = text
            .split_once(PEM_BEGIN)
            .and_then(|(_, rest)| rest.split_once(PEM_END));
        let body: String = body
            .map(|(body, _)| body.split_whitespace().collect())
            .unwrap_or_default();
        Self::from_pkcs8(&STANDARD.decode(body).unwrap_or_default(), file)
    }

    fn from_pkcs8(document: &[u8], file: &Path) -> Result<Self> {
        match Ed25519KeyPair::from_pkcs8_maybe_unchecked(document) {
            Ok(pair) => Ok(Self(pair)),
            Err(_) => refused(format!(
                "{} contains no private Ed25519 key: create one with `linepress plugin keygen`",
                file.display()
            )),
        }
    }

    pub fn public(&self) -> PublicKey {
        let mut key = [0; ED25519_PUBLIC_KEY_LEN];
        key.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(key)
    }

    /// The signature of a message, in base64.
    pub(crate) fn sign(&self, message: &[u8]) -> String {
        STANDARD.encode(self.0.sign(message))
    }
}

fn pem(document: &[u8]) -> String {
    let encoded = STANDARD.encode(document);
    let mut text = format!("{PEM_BEGIN}\n");
    for line in encoded.as_bytes().chunks(PEM_LINE_CHARS) {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text + PEM_END + "\n"
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_is_read_back_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key.pem");
        let key = SigningKey::create(&file).unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let read = SigningKey::read(&file).unwrap();
        assert_eq!(read.public(), key.public());
        assert!(key.public().verifies(b"a", &read.sign(b"a")));
        assert!(!key.public().verifies(b"b", &read.sign(b"a")));
        assert!(!key.public().verifies(b"a", "no base64"));
        assert!(SigningKey::create(&file).is_err(), "no key is replaced");
        std::fs::write(&file, "-----BEGIN PRIVATE KEY-----\nYWJj\n-----END PRIVATE KEY-----\n").unwrap();
        assert!(SigningKey::read(&file).is_err());
    }

    #[test]
    fn a_public_key_has_one_text() {
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::create(&folder.path().join("key.pem")).unwrap().public();
        let text = key.to_string();
        assert!(text.starts_with("ed25519:"), "{text}");
        assert_eq!(text.parse(), Ok(key));
        for wrong in ["", "ed25519:", "ed25519:YWJj", &text["ed25519:".len()..]] {
            assert!(wrong.parse::<PublicKey>().is_err(), "{wrong}");
        }
    }
}
