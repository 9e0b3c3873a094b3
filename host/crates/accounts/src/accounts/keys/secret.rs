//! The secret of an API key: shown once, stored as a hash.
use std::fmt;

use sha2::{Digest, Sha256};

use crate::caller::SecretHash;
use linepress_platform::random::Random;

/// The key itself: `lp_` and 43 characters that encode 256 random bits. With that much entropy plain SHA-256 is as safe
/// as a slow hash, and it is fast on every request.
pub struct SecretKey(String);

impl SecretKey {
    pub fn generate(random: &Random) -> Self {
        use base64::Engine as _;
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        Self(format!(
            "lp_{}",
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
        ))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The beginning of the key, by which a person recognizes it. The remaining 37 characters hold 220 bits.
    pub(super) fn prefix(&self) -> String {
        const SHOWN_CHARS: usize = 9;
        self.0.chars().take(SHOWN_CHARS).collect()
    }

    pub(super) fn hash(&self) -> SecretHash {
        hash(&self.0)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretKey(..)")
    }
}

/// The hash of a key that a client sent, for its look-up; `None` when the text cannot be a key.
pub(super) fn hash_of_text(text: &str) -> Option<SecretHash> {
    (text.len() == 46 && text.starts_with("lp_")).then(|| hash(text))
}

fn hash(text: &str) -> SecretHash {
    SecretHash(hex::encode(Sha256::digest(text)))
}
