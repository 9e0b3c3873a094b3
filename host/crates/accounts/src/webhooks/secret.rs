//! The secret of a webhook, and the signatures that it makes: HMAC-SHA256 of the event's id, the time of the attempt,
//! and the body.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{EventId, WebhookId};
use linepress_platform::random::Random;
use linepress_platform::secrets;
use sha2::Sha256;

/// The prefix by which programs and people recognize a secret.
const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// The secret with which the server signs the events of one webhook, and with which the receiver verifies them.
#[derive(Clone)]
pub struct SigningSecret([u8; SECRET_BYTES]);

impl std::fmt::Debug for SigningSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SigningSecret(..)")
    }
}

impl SigningSecret {
    pub(super) fn generate(random: &Random) -> Self {
        let mut bytes = [0; SECRET_BYTES];
        random.fill(&mut bytes);
        Self(bytes)
    }

    /// The text that the receiver stores.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The secret as it is stored.
    pub(super) async fn encrypted(&self, app: &App, tx: &mut Tx, webhook: &WebhookId) -> Result<String> {
        let key = secrets::encryption_key(tx, &app.random).await?;
        Ok(key.encrypt(&app.random, webhook.as_str(), &self.0))
    }

    pub(super) async fn decrypted(app: &App, tx: &mut Tx, webhook: &WebhookId, stored: &str) -> Result<Self> {
        let key = secrets::encryption_key(tx, &app.random).await?;
        let bytes = key.decrypt(webhook.as_str(), stored);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(Self)
            .ok_or_else(|| Error::internal("the secret of a webhook cannot be decrypted"))
    }

    fn sign(&self, event: &EventId, timestamp: i64, body: &str) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(format!("{event}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The header `webhook-signature` of an attempt at this time, in seconds: one signature for each secret that is valid.
pub fn signature_header(secrets: &[SigningSecret], event: &EventId, timestamp: i64, body: &str) -> String {
    let signatures: Vec<_> = secrets
        .iter()
        .map(|secret| secret.sign(event, timestamp, body))
        .collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's `hmac` from the same key, id, time and body.
    #[test]
    fn a_signature_is_that_of_the_convention() {
        let secrets = [SigningSecret([7; SECRET_BYTES]), SigningSecret([9; SECRET_BYTES])];
        let event = EventId::from_text("evt_1");
        let header = signature_header(&secrets, &event, 1_700_000_000, r#"{"type":"page.ready"}"#);
        let (first, second) = header.split_once(' ').unwrap();
        assert_eq!(first, "v1,GqnIyT0X4C9oyYvLX5EyFQtS+t+fN9Pqwke1FMv3Nfc=");
        assert_eq!(second, "v1,tYAOQOqEnwBERP2IuUeC8rFkFC+otIT9M1uFd6uA+vg=");
        assert!(secrets[0].expose().starts_with("whsec_BwcH"), "{}", secrets[0].expose());
    }
}
