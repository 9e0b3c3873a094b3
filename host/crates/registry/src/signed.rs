//! Signed envelopes, in the format of DSSE (<https://github.com/secure-systems-lab/dsse>): the signature covers the
//! exact bytes of the payload and their type, so that the text of the payload needs no canonical form, and a signature
//! of one kind of text is not one of another kind.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::error::{RegistryError, Result};
use crate::keys::{PublicKey, SigningKey};

/// Maximum number of signatures that are examined.
const MAX_SIGNATURES: usize = 16;

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Signature>,
}

#[derive(Deserialize, Serialize)]
struct Signature {
    /// A hint for people. Verification tries every trusted key.
    #[serde(default)]
    keyid: String,
    sig: String,
}

/// Signs a payload of a type.
pub(crate) fn seal(kind: &str, payload: &[u8], key: &SigningKey) -> Result<Vec<u8>> {
    let envelope = Envelope {
        payload_type: kind.into(),
        payload: STANDARD.encode(payload),
        signatures: vec![Signature {
            keyid: key.public().to_string(),
            sig: key.sign(&encoding(kind, payload)),
        }],
    };
    let text = serde_json::to_string_pretty(&envelope);
    let text = text.map_err(|error| RegistryError::Refused(error.to_string()))?;
    Ok((text + "\n").into_bytes())
}

/// Returns the payload of an envelope of this type, and the trusted key that signed it. The error completes a sentence
/// that begins with the name of the file.
pub(crate) fn open(
    kind: &str,
    bytes: &[u8],
    trusted: &[PublicKey],
) -> std::result::Result<(Vec<u8>, PublicKey), String> {
    let envelope: Envelope = serde_json::from_slice(bytes).map_err(|error| format!("is no signed file: {error}"))?;
    if envelope.payload_type != kind {
        return Err(format!("is not of the type {kind}"));
    }
    let payload = STANDARD
        .decode(&envelope.payload)
        .map_err(|_| "has a payload that is not base64".to_owned())?;
    let message = encoding(kind, &payload);
    let signatures = envelope.signatures.iter().take(MAX_SIGNATURES);
    let mut pairs = signatures.flat_map(|signature| trusted.iter().map(move |key| (key, &signature.sig)));
    match pairs.find(|(key, signature)| key.verifies(&message, signature)) {
        Some((key, _)) => Ok((payload, *key)),
        None => Err("is not signed with a trusted key".into()),
    }
}

/// The bytes that are signed: the pre-authentication encoding of DSSE.
pub(crate) fn encoding(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::key;

    #[test]
    fn only_the_exact_bytes_of_a_trusted_key_are_opened() {
        let (one, other) = (key(), key());
        let sealed = seal("a/b", b"text", &one).unwrap();
        let trusted = [other.public(), one.public()];
        assert_eq!(open("a/b", &sealed, &trusted), Ok((b"text".to_vec(), one.public())));
        assert!(open("a/c", &sealed, &trusted).unwrap_err().contains("type"));
        for untrusted in [&[][..], &[other.public()]] {
            let problem = open("a/b", &sealed, untrusted).unwrap_err();
            assert_eq!(problem, "is not signed with a trusted key");
        }
        let changed = String::from_utf8(sealed).unwrap().replace("dGV4dA==", "dGV4dB==");
        assert!(open("a/b", changed.as_bytes(), &trusted).is_err());
        let changed = changed.replace("dGV4dB==", &STANDARD.encode("texts"));
        assert!(open("a/b", changed.as_bytes(), &trusted).is_err());
        assert!(open("a/b", b"{}", &trusted).unwrap_err().contains("no signed file"));
    }

    #[test]
    fn the_signed_bytes_are_those_of_the_specification() {
        // The example of DSSE's protocol.md.
        let expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world";
        assert_eq!(encoding("http://example.com/HelloWorld", b"hello world"), expected);
    }
}
