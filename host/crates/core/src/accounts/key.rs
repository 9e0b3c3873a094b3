//! API keys: shown once, stored as a hash.
use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};

use linepress_platform::clock::Timestamp;
use linepress_platform::ids::KeyId;
use linepress_platform::random::Random;

/// The stored data of a key.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub struct ApiKey {
    pub id: KeyId,
    pub name: String,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
}

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

    pub(super) fn hash(&self) -> String {
        hash(&self.0)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretKey(..)")
    }
}

/// The hash of a key that a client sent, for its look-up; `None` when the text cannot be a key.
pub(super) fn hash_of_text(text: &str) -> Option<String> {
    (text.len() == 46 && text.starts_with("lp_")).then(|| hash(text))
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
