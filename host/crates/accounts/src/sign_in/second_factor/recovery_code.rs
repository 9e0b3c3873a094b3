//! Recovery codes, each of which replaces the authenticator app once.
use std::fmt;

use sha2::{Digest, Sha256};

use linepress_platform::ids::AccountId;
use linepress_platform::random::Random;

/// The number of codes of an account.
pub const RECOVERY_CODES: usize = 10;
/// The length of a code: 80 random bits. With that much entropy plain SHA-256 is as safe as a slow hash.
const CODE_BYTES: usize = 10;
/// Crockford's digits, which cannot be confused with each other on paper.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const DIGIT_BITS: usize = 5;
/// The number of digits between two hyphens.
const GROUP_DIGITS: usize = 4;

/// A code, as it is shown: `7k2m-0v9x-ptq4-c8aw`. Only its hash is stored.
pub struct RecoveryCode(String);

impl RecoveryCode {
    pub(super) fn generate(random: &Random) -> Self {
        let mut bytes = [0; CODE_BYTES];
        random.fill(&mut bytes);
        let bits = bytes.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        let digits = (0..CODE_BYTES * 8 / DIGIT_BITS).map(|place| {
            let digit = (bits >> (place * DIGIT_BITS)) % 32;
            char::from(DIGITS[digit as usize])
        });
        let mut text = String::new();
        for (place, digit) in digits.enumerate() {
            if place > 0 && place % GROUP_DIGITS == 0 {
                text.push('-');
            }
            text.push(digit);
        }
        Self(text)
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub(super) fn hash(&self, account: &AccountId) -> String {
        hash_of(account, &self.0)
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RecoveryCode(..)")
    }
}

/// The hash of a typed code. Case, spaces and hyphens do not matter, nor letters that look like digits.
pub(super) fn hash_of(account: &AccountId, typed: &str) -> String {
    let digits = typed.chars().filter(char::is_ascii_alphanumeric);
    let digits = digits.map(|digit| match digit.to_ascii_lowercase() {
        'o' => '0',
        'i' | 'l' => '1',
        other => other,
    });
    let code: String = digits.collect();
    hex::encode(Sha256::digest(format!("{account} {code}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_recognized_however_it_is_typed() {
        let account = AccountId::from_text("acct_1");
        let code = RecoveryCode("01ab-cdef-0123-4567".into());
        for typed in ["01ab-cdef-0123-4567", "01ABCDEF01234567", " oiab cdef ol23 4567 "] {
            assert_eq!(hash_of(&account, typed), code.hash(&account), "{typed}");
        }
        assert_ne!(code.hash(&AccountId::from_text("acct_2")), code.hash(&account));
        assert_ne!(hash_of(&account, "01ab-cdef-0123-4568"), code.hash(&account));
    }

    #[test]
    fn codes_consist_of_four_groups_and_differ() {
        let random = Random::seeded(1);
        let (one, other) = (RecoveryCode::generate(&random), RecoveryCode::generate(&random));
        assert_ne!(one.expose(), other.expose());
        let groups: Vec<&str> = one.expose().split('-').collect();
        assert_eq!(groups.iter().map(|group| group.len()).collect::<Vec<_>>(), [4; 4]);
        assert!(
            groups.concat().bytes().all(|digit| DIGITS.contains(&digit)),
            "{groups:?}"
        );
        assert_eq!(format!("{one:?}"), "RecoveryCode(..)");
    }
}
