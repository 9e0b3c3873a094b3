//! The secret of an API key: shown once, stored as a hash.
use std::fmt;

use sha2::{Digest, Sha256};

use crate::caller::SecretHash;
use linepress_platform::random::Random;

/// The beginning of a key.
const PREFIX: &str = "lp_";

/// The beginning of a test key, by which people and programs recognize it.
const TEST_PREFIX: &str = "lp_test_";

/// The length of the rest: 256 bits.
const RANDOM_CHARS: usize = 43;

/// The key itself: a prefix and 43 characters that encode 256 random bits. With that much entropy plain SHA-256 is as
/// safe as a slow hash, and it is fast on every request.
pub struct SecretKey {
    text: String,
    prefix: &'static str,
}

impl SecretKey {
    pub(super) fn generate(random: &Random, is_test: bool) -> Self {
        use base64::Engine as _;
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        let prefix = if is_test { TEST_PREFIX } else { PREFIX };
        let random = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
        Self {
            text: format!("{prefix}{random}"),
            prefix,
        }
    }

    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The beginning of the key, by which a person recognizes it. The remaining 37 characters hold 220 bits.
    pub(super) fn prefix(&self) -> String {
        const SHOWN_CHARS: usize = 6;
        self.text.chars().take(self.prefix.len() + SHOWN_CHARS).collect()
    }

    pub(super) fn hash(&self) -> SecretHash {
        hash(&self.text)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretKey(..)")
    }
}

/// The hash of a key that a client sent, for its look-up; `None` when the text cannot be a key.
pub(super) fn hash_of_text(text: &str) -> Option<SecretHash> {
    let has_form = |prefix: &str| text.len() == prefix.len() + RANDOM_CHARS && text.starts_with(prefix);
    (has_form(PREFIX) || has_form(TEST_PREFIX)).then(|| hash(text))
}

fn hash(text: &str) -> SecretHash {
    SecretHash(hex::encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_key_has_a_prefix_of_its_own_and_both_kinds_are_looked_up() {
        let random = Random::seeded(1);
        for (is_test, prefix, chars) in [(false, "lp_", 46), (true, "lp_test_", 51)] {
            let key = SecretKey::generate(&random, is_test);
            assert!(key.expose().starts_with(&key.prefix()) && key.prefix().starts_with(prefix));
            assert_eq!((key.expose().len(), key.prefix().len()), (chars, prefix.len() + 6));
            assert_eq!(hash_of_text(key.expose()).unwrap().0, key.hash().0);
            assert!(
                hash_of_text(&key.expose()[1..]).is_none() && hash_of_text(&format!("{}x", key.expose())).is_none()
            );
        }
    }
}
