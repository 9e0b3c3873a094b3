//! ID tokens, with which the provider identifies a person to this server.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

use crate::clock::Timestamp;

/// The largest difference between the provider's clock and ours that is tolerated, in seconds.
const LEEWAY: i64 = 60;

/// A person whom the provider identified.
#[derive(Debug, PartialEq, Eq)]
pub struct Person {
    pub subject: String,
    pub email: Option<String>,
    /// True if the provider has verified that the address belongs to the person.
    pub is_verified: bool,
}

/// The claims that a token for this server and this browser must have.
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    pub now: Timestamp,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    exp: f64,
    azp: Option<String>,
    nonce: Option<String>,
    #[serde(flatten)]
    address: Address,
}

#[derive(Deserialize)]
struct Address {
    email: Option<String>,
    #[serde(default)]
    email_verified: Flag,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// A boolean that some providers write as a string.
#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Flag {
    Plain(bool),
    Text(String),
    #[default]
    Absent,
}

impl Flag {
    fn is_set(&self) -> bool {
        match self {
            Self::Plain(set) => *set,
            Self::Text(text) => text == "true",
            Self::Absent => false,
        }
    }
}

/// Reads a token that was received directly from the provider, and checks its issuer, audience, expiry, nonce and
/// subject (OpenID Connect Core 1.0, section 3.1.3.7).
pub fn read(token: &str, expected: &Expected<'_>) -> Result<Person, &'static str> {
    let parts: Vec<&str> = token.split('.').collect();
    let [_, claims, _] = parts.as_slice() else {
        return Err("the id_token is not a signed token");
    };
    let claims = URL_SAFE_NO_PAD
        .decode(claims)
        .map_err(|_| "the id_token is not base64url")?;
    let claims: Claims = serde_json::from_slice(&claims).map_err(|_| "the id_token lacks a claim")?;
    if claims.iss != expected.issuer {
        return Err("the id_token was issued by another issuer");
    }
    let (is_ours, is_others) = match &claims.aud {
        Audience::One(one) => (one == expected.client_id, false),
        Audience::Many(many) => (many.iter().any(|one| one == expected.client_id), many.len() > 1),
    };
    let authorized = claims.azp.as_deref();
    if !is_ours || authorized.map_or(is_others, |authorized| authorized != expected.client_id) {
        return Err("the id_token is for another client");
    }
    // The claim is a JSON number; its fraction of a second is dropped.
    #[expect(clippy::cast_possible_truncation, reason = "a cast from a double saturates")]
    let expires = claims.exp as i64;
    if expires.saturating_add(LEEWAY).saturating_mul(1_000_000) <= expected.now.microseconds() {
        return Err("the id_token has expired");
    }
    if claims.nonce.as_deref() != Some(expected.nonce) {
        return Err("the id_token belongs to another sign-in");
    }
    if claims.sub.is_empty() || claims.sub.len() > 255 || claims.sub.contains('\0') {
        return Err("the id_token has no valid subject");
    }
    Ok(Person {
        subject: claims.sub,
        email: claims.address.email,
        is_verified: claims.address.email_verified.is_set(),
    })
}

#[derive(Deserialize)]
struct UserInfo {
    sub: String,
    #[serde(flatten)]
    address: Address,
}

/// Adds the address from the provider's userinfo response, which must be for the same person.
pub(super) fn complete(person: Person, userinfo: &[u8]) -> Result<Person, &'static str> {
    let userinfo: UserInfo = serde_json::from_slice(userinfo).map_err(|_| "the userinfo lacks a claim")?;
    if userinfo.sub != person.subject {
        return Err("the userinfo is about another person");
    }
    Ok(Person {
        email: userinfo.address.email,
        is_verified: userinfo.address.email_verified.is_set(),
        ..person
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NOW: Timestamp = Timestamp::from_microseconds(1_000_000_000_000);

    fn read_claims(claims: &Value) -> Result<Person, &'static str> {
        let token = format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let expected = Expected {
            issuer: "https://id.example",
            client_id: "linepress",
            nonce: "n",
            now: NOW,
        };
        read(&token, &expected)
    }

    fn claims() -> Value {
        json!({"iss": "https://id.example", "sub": "7", "aud": "linepress", "exp": 1_000_300, "nonce": "n",
            "email": "ada@example.com", "email_verified": true})
    }

    #[test]
    fn a_token_for_this_server_identifies_a_person() {
        let ada = Person {
            subject: "7".into(),
            email: Some("ada@example.com".into()),
            is_verified: true,
        };
        assert_eq!(read_claims(&claims()), Ok(ada));
        for (claim, value) in [
            ("aud", json!(["linepress"])),
            ("email_verified", json!("true")),
            ("exp", json!(1_000_300.5)),
            ("azp", json!("linepress")),
        ] {
            let mut changed = claims();
            changed[claim] = value;
            assert!(read_claims(&changed).is_ok_and(|person| person.is_verified), "{claim}");
        }
        for (claim, value) in [
            ("email_verified", json!(false)),
            ("email_verified", json!("yes")),
            ("email_verified", json!(null)),
        ] {
            let mut changed = claims();
            changed[claim] = value;
            assert!(read_claims(&changed).is_ok_and(|person| !person.is_verified), "{claim}");
        }
    }

    #[test]
    fn every_other_token_is_rejected() {
        for (claim, value) in [
            ("iss", json!("https://id.example/")),
            ("iss", json!("https://evil.example")),
            ("aud", json!("another")),
            ("aud", json!(["another"])),
            // Issued to several clients, without naming this one as the authorized party.
            ("aud", json!(["linepress", "another"])),
            ("azp", json!("another")),
            ("exp", json!(999_000)),
            ("nonce", json!("m")),
            ("nonce", json!(null)),
            ("sub", json!("")),
            ("sub", json!("a\0")),
            ("sub", json!("x".repeat(256))),
        ] {
            let mut changed = claims();
            changed[claim] = value.clone();
            assert!(read_claims(&changed).is_err(), "{claim}: {value}");
        }
        let expected = Expected {
            issuer: "https://id.example",
            client_id: "linepress",
            nonce: "n",
            now: NOW,
        };
        for token in ["", "a.b", "a.b.c.d", "e30.!.c2ln", "e30.e30.c2ln"] {
            assert!(read(token, &expected).is_err(), "{token}");
        }
    }

    #[test]
    fn userinfo_about_another_person_is_rejected() {
        let person = || Person {
            subject: "7".into(),
            email: None,
            is_verified: false,
        };
        let userinfo = json!({"sub": "7", "email": "a@b.c", "email_verified": true}).to_string();
        let completed = complete(person(), userinfo.as_bytes()).expect("of the same person");
        assert_eq!(
            (completed.email.as_deref(), completed.is_verified),
            (Some("a@b.c"), true)
        );
        let userinfo = json!({"sub": "8", "email": "a@b.c", "email_verified": true}).to_string();
        assert!(complete(person(), userinfo.as_bytes()).is_err());
    }
}
