//! The secret that an authenticator app shares with the server, and the codes that both derive from it and the time:
//! time-based one-time passwords (RFC 6238).
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, Result};
use linepress_platform::random::Random;
use totp_rs::{Algorithm, Builder, Secret};

/// The length of a secret: 160 bits, as RFC 4226, section 4, recommends.
const SECRET_BYTES: usize = 20;
/// The number of digits of a code. Apps ignore another number, and another algorithm or time step, without an error.
pub const CODE_DIGITS: u8 = 6;
/// The time for which an app shows a code.
const TIME_STEP_SECONDS: u64 = 30;
/// The number of time steps before and after the current one whose codes are accepted, because clocks differ and people
/// need time to type (RFC 6238, section 5.2).
const ACCEPTED_TIME_STEPS: u16 = 1;

/// The secret of one account.
pub(super) struct AppSecret([u8; SECRET_BYTES]);

impl AppSecret {
    pub(super) fn generate(random: &Random) -> Self {
        let mut bytes = [0; SECRET_BYTES];
        random.fill(&mut bytes);
        Self(bytes)
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text that a person types into the app: base32, without padding.
    pub(super) fn text(&self) -> String {
        Secret::new_stack(self.0).to_base32()
    }

    /// The URL that the app reads from a QR code. It contains the secret, the server's name and the account's address.
    pub(super) fn url(&self, server: &str, email: &str) -> Result<String> {
        // A colon separates the two names.
        let name = |text: &str| text.replace(':', " ");
        let builder = self.builder().with_issuer(Some(name(server)));
        let url = builder.with_account_name(name(email)).build_noncompliant().to_url();
        url.map_err(|error| Error::internal(error.to_string()))
    }

    /// The time step of a code of the app; `None` when the code is wrong or belongs to another time.
    pub(super) fn time_step_of(&self, code: &str, now: Timestamp) -> Option<i64> {
        let seconds = u64::try_from(now.milliseconds() / 1000).ok()?;
        let time_step = self.builder().build_noncompliant().check(code, seconds)?;
        i64::try_from(time_step).ok()
    }

    fn builder(&self) -> Builder {
        Builder::new()
            .with_secret(Secret::new_stack(self.0))
            .with_algorithm(Algorithm::SHA1)
            .with_digits(CODE_DIGITS)
            .with_step_duration(TIME_STEP_SECONDS)
            .with_skew(ACCEPTED_TIME_STEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_microseconds(seconds * 1_000_000)
    }

    /// The secret of RFC 6238, appendix B.
    fn of_the_standard() -> AppSecret {
        AppSecret::from_bytes(b"12345678901234567890").unwrap()
    }

    /// RFC 6238, appendix B, has eight digits; the code consists of the last six.
    #[test]
    fn the_codes_are_those_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let time_step = of_the_standard().time_step_of(code, at(seconds));
            assert_eq!(time_step, Some(seconds / 30), "{code}");
        }
    }

    #[test]
    fn a_code_is_accepted_one_time_step_early_or_late() {
        let secret = of_the_standard();
        // The code of the seconds 1,111,111,080 to 1,111,111,109.
        for (seconds, accepted) in [
            (1_111_111_049, false),
            (1_111_111_050, true),
            (1_111_111_139, true),
            (1_111_111_140, false),
        ] {
            assert_eq!(
                secret.time_step_of("081804", at(seconds)).is_some(),
                accepted,
                "{seconds}"
            );
        }
        for malformed in ["", "81804", "0081804", "08180a", "+81804", "０８１８０４"] {
            assert_eq!(secret.time_step_of(malformed, at(1_111_111_109)), None, "{malformed}");
        }
    }

    #[test]
    fn the_url_names_server_and_account() {
        let url = of_the_standard().url("Ada: Books & more", "ada@example.com").unwrap();
        assert_eq!(
            url,
            "otpauth://totp/Ada%20%20Books%20%26%20more:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\
             &issuer=Ada%20%20Books%20%26%20more"
        );
    }
}
