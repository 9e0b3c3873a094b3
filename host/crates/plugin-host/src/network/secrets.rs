//! The secrets of one call, and their removal from responses, logs and recordings.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use memchr::memmem;

/// Replacement for a secret in a text.
const REMOVED: &str = "(secret)";

/// Replacement for each byte of a secret in a response, so that its length still matches its headers.
const MASK: u8 = b'*';

/// Minimum size of a text that is masked. Shorter texts occur in ordinary words and in pictures by chance.
const MIN_SECRET_BYTES: usize = 6;

/// The secrets that a call uses, in every encoding in which a server may return them. Clones share them.
#[derive(Clone, Default)]
pub struct Secrets(Arc<Mutex<Vec<Vec<u8>>>>);

impl Secrets {
    /// Adds a secret, and the value of the header that carries it.
    pub(super) fn add(&self, secret: &str, header_value: &str) {
        let encoded = [secret, header_value].into_iter().flat_map(|text| {
            let percent = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
            // The end of the base64 text depends on the bytes that follow the secret, so the padding is removed.
            let base64 = STANDARD.encode(text).trim_end_matches('=').to_owned();
            [text.to_owned(), percent, base64, URL_SAFE_NO_PAD.encode(text)]
        });
        let mut texts = self.texts();
        texts.extend(
            encoded
                .map(String::into_bytes)
                .filter(|text| text.len() >= MIN_SECRET_BYTES),
        );
        // The longest first: the header's value contains the secret and must be replaced as a whole.
        texts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        texts.dedup();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts().is_empty()
    }

    /// Replaces the secrets in a text.
    pub(crate) fn removed_from(&self, text: String) -> String {
        self.texts().iter().fold(text, |text, secret| {
            match std::str::from_utf8(secret).ok().filter(|secret| text.contains(secret)) {
                Some(secret) => text.replace(secret, REMOVED),
                None => text,
            }
        })
    }

    /// Replaces the secrets in a text that may begin in the middle of a secret because its beginning was cut off.
    pub(crate) fn removed_from_end_of(&self, text: String) -> String {
        let texts = self.texts();
        let cut = texts.iter().filter_map(|secret| {
            let ends = 1..=secret.len().saturating_sub(MIN_SECRET_BYTES);
            ends.map(|start| &secret[start..])
                .find(|end| text.as_bytes().starts_with(end))
                .map(<[u8]>::len)
        });
        let cut = cut.max().filter(|cut| text.is_char_boundary(*cut));
        drop(texts);
        match cut {
            Some(cut) => self.removed_from(format!("{REMOVED}{}", &text[cut..])),
            None => self.removed_from(text),
        }
    }

    /// Replaces the secrets in a complete body.
    pub(super) fn removed_from_bytes(&self, bytes: &Bytes) -> Bytes {
        let is_in = |secret: &Vec<u8>| memmem::find(bytes, secret).is_some();
        if !self.texts().iter().any(is_in) {
            return bytes.clone();
        }
        match String::from_utf8(bytes.to_vec()) {
            Ok(text) => self.removed_from(text).into(),
            Err(error) => {
                let mut bytes = error.into_bytes();
                self.mask(&mut bytes);
                bytes.into()
            }
        }
    }

    /// Replaces each byte of a secret with an asterisk.
    pub(super) fn mask(&self, bytes: &mut [u8]) {
        for secret in self.texts().iter() {
            let found: Vec<usize> = memmem::find_iter(bytes, secret).collect();
            for start in found {
                bytes[start..start + secret.len()].fill(MASK);
            }
        }
    }

    /// Masks the secrets in the values of headers.
    pub(super) fn mask_headers(&self, headers: &mut HeaderMap) {
        for value in headers.values_mut() {
            let mut bytes = value.as_bytes().to_vec();
            self.mask(&mut bytes);
            if bytes != value.as_bytes()
                && let Ok(masked) = HeaderValue::from_bytes(&bytes)
            {
                *value = masked;
            }
        }
    }

    /// The number of bytes at the end that may be the beginning of a secret.
    pub(super) fn partial_secret_at_end_of(&self, bytes: &[u8]) -> usize {
        let begun = |secret: &Vec<u8>| {
            let lengths = (1..secret.len().min(bytes.len() + 1)).rev();
            lengths.into_iter().find(|length| bytes.ends_with(&secret[..*length]))
        };
        self.texts().iter().filter_map(begun).max().unwrap_or(0)
    }

    fn texts(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let secrets = Secrets::default();
        secrets.add("s3cr+t", "Key s3cr+t");
        secrets
    }

    #[test]
    fn a_secret_is_removed_in_every_encoding() {
        for text in [
            "s3cr+t",
            "a Key s3cr+t b",
            "?key=s3cr%2Bt&a=b",
            &STANDARD.encode("s3cr+t"),
            &STANDARD.encode("Key s3cr+t"),
        ] {
            let removed = secrets().removed_from(text.to_owned());
            assert!(removed.contains(REMOVED), "{text}: {removed}");
            assert!(!removed.contains("s3cr"), "{text}: {removed}");
        }
        assert_eq!(secrets().removed_from("a secret".into()), "a secret");
    }

    #[test]
    fn the_rest_of_a_cut_secret_is_removed() {
        let cut = |text: &str| secrets().removed_from_end_of(text.into());
        assert_eq!(cut("y s3cr+t was wrong"), "(secret) was wrong");
        assert_eq!(cut("a s3cr+t"), "a (secret)");
        assert_eq!(cut("t was wrong"), "t was wrong");
    }

    #[test]
    fn masking_preserves_the_length() {
        let mut bytes = b"\xffKey s3cr+t s3cr+t".to_vec();
        secrets().mask(&mut bytes);
        assert_eq!(bytes, b"\xff********** ******");
    }

    #[test]
    fn the_beginning_of_a_secret_is_found_at_the_end() {
        let secrets = secrets();
        assert_eq!(secrets.partial_secret_at_end_of(b"{\"error\": \"Key s3"), 6);
        assert_eq!(secrets.partial_secret_at_end_of(b"wrong s3cr+"), 5);
        assert_eq!(secrets.partial_secret_at_end_of(b"wrong"), 0);
    }
}
