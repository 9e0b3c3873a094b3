//! Proof Key for Code Exchange (RFC 7636), with the method S256 only: the client that redeems a code proves that it
//! requested it.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns true when the text has the form of a challenge: a SHA-256 value in base64url.
pub fn is_challenge(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|hash| hash.len() == 32)
}

/// Returns true when the challenge was derived from this verifier.
pub(super) fn is_verifier_of(verifier: &str, challenge: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&verifier.len())
        && verifier.bytes().all(fits)
        && URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) == challenge
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn a_verifier_matches_only_its_own_challenge() {
        assert!(is_challenge(CHALLENGE));
        assert!(is_verifier_of(VERIFIER, CHALLENGE));
        assert!(!is_verifier_of(CHALLENGE, CHALLENGE), "that would be the method plain");
        assert!(!is_verifier_of(&VERIFIER[1..], CHALLENGE));
        assert!(!is_verifier_of("", CHALLENGE));
    }

    #[test]
    fn a_challenge_must_be_a_hash() {
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
