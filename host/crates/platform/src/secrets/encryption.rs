//! Encryption of secrets that the server must be able to read again.
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::random::Random;

/// The key that encrypts secrets, with ChaCha20-Poly1305.
pub struct EncryptionKey(LessSafeKey);

impl EncryptionKey {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("the key has the length of the algorithm");
        Self(LessSafeKey::new(key))
    }

    /// Encrypts a secret of `owner`. It can be decrypted only as a secret of the same owner, so that a row cannot be
    /// copied to another account.
    pub fn encrypt(&self, random: &Random, owner: &str, secret: &[u8]) -> String {
        // A random nonce is unique enough for 2^32 secrets (NIST SP 800-38D, 8.3).
        let mut nonce = [0; NONCE_LEN];
        random.fill(&mut nonce);
        let mut text = secret.to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(owner.as_bytes()),
                &mut text,
            )
            .expect("a secret is shorter than the limit of the algorithm");
        URL_SAFE_NO_PAD.encode([&nonce[..], &text].concat())
    }

    /// Decrypts a secret; `None` when it was changed, or encrypted with another key or for another owner.
    pub fn decrypt(&self, owner: &str, encrypted: &str) -> Option<Vec<u8>> {
        let encrypted = URL_SAFE_NO_PAD.decode(encrypted).ok()?;
        let (nonce, text) = encrypted.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = text.to_vec();
        let secret = self
            .0
            .open_in_place(nonce, Aad::from(owner.as_bytes()), &mut text)
            .ok()?;
        Some(secret.to_vec())
    }
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EncryptionKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_decrypted_only_unchanged_for_its_owner_and_with_its_key() {
        let random = Random::seeded(1);
        let key = EncryptionKey::new(&[7; 32]);
        let encrypted = key.encrypt(&random, "acct_1", b"secret");
        assert_ne!(encrypted, key.encrypt(&random, "acct_1", b"secret"));
        assert_eq!(key.decrypt("acct_1", &encrypted).as_deref(), Some(&b"secret"[..]));
        assert_eq!(key.decrypt("acct_2", &encrypted), None);
        assert_eq!(EncryptionKey::new(&[8; 32]).decrypt("acct_1", &encrypted), None);
        let changed = format!("{}A", &encrypted[..encrypted.len() - 1]);
        assert!(changed == encrypted || key.decrypt("acct_1", &changed).is_none());
        for malformed in ["", "AAAA", "not base64!"] {
            assert_eq!(key.decrypt("acct_1", malformed), None, "{malformed}");
        }
    }
}
