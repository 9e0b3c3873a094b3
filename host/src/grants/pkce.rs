//! Proof Key for Code Exchange (RFC 7636), by the method S256 alone: who asked for a code shows that it was them.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Whether the text can be a challenge: SHA-256 in base64url.
pub fn is_challenge(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|hash| hash.len() == 32)
}

/// Whether the challenge was made from this verifier.
pub(super) fn is_verifier_of(verifier: &str, challenge: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&verifier.len())
        && verifier.bytes().all(fits)
        && URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == challenge
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn a_verifier_belongs_to_its_challenge_alone() {
        assert!(is_challenge(CHALLENGE));
        assert!(is_verifier_of(VERIFIER, CHALLENGE));
        assert!(!is_verifier_of(CHALLENGE, CHALLENGE), "that would be the method plain");
        assert!(!is_verifier_of(&VERIFIER[1..], CHALLENGE));
        assert!(!is_verifier_of("", CHALLENGE));
    }

    #[test]
    fn what_is_no_hash_is_no_challenge() {
        for text in [
            "",
            "x",
            VERIFIER.get(1..).unwrap(),
            &CHALLENGE.replace('-', "+"),
            &format!("{CHALLENGE}="),
        ] {
            assert!(!is_challenge(text), "{text}");
        }
    }
}
