//! Secrets that a browser, an app or a person holds: 256 random bits, of which the server stores a hash. With that much
//! entropy plain SHA-256 is as safe as a slow hash.
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::random::Random;

/// The secret itself: 43 characters that are safe in URLs.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub fn generate(random: &Random) -> Self {
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Parses a secret that a client sent; `None` when it is malformed.
    pub fn from_text(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (text.len() == 43 && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(&self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}
