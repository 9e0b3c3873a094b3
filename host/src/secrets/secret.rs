//! Secrets that a browser, an app or a person keeps: 256 random bits, of which we keep a hash. With so many bits a plain SHA-256 is
//! as safe as a slow hash.
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::random::Random;

/// The secret itself; 43 letters of which each fits into an address.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    pub(crate) fn generate(random: &Random) -> Self {
        let mut bytes = [0; 32];
        random.fill(&mut bytes);
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// What somebody sent; nothing for what cannot be one.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (text.len() == 43 && text.bytes().all(fits)).then(|| Self(text.to_owned()))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn hash(&self) -> String {
        hex::encode(Sha256::digest(&self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}
