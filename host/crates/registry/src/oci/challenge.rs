//! The challenge of a registry: how it wants its clients to authenticate (RFC 9110, section 11.6.1).
use http::HeaderMap;
use http::header::WWW_AUTHENTICATE;

/// Maximum number of parameters of a challenge.
const MAX_PARAMETERS: usize = 16;

/// The authentication that a registry asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    /// A token that the server at `realm` issues.
    Bearer { realm: String, service: Option<String> },
    /// The user name and password.
    Basic,
}

impl Challenge {
    /// The challenge of a response; the token, if there are several. `None` if there is none that is supported.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let texts: Vec<&str> = headers
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let bearer = texts.iter().find_map(|text| bearer(rest_of(text, "bearer ")?));
        let is_basic = texts.iter().any(|text| rest_of(text, "basic").is_some());
        bearer.or_else(|| is_basic.then_some(Self::Basic))
    }
}

/// The text after the name of the scheme, which is written in any case.
fn rest_of<'a>(text: &'a str, scheme: &str) -> Option<&'a str> {
    let (name, rest) = text.trim_start().split_at_checked(scheme.len())?;
    name.eq_ignore_ascii_case(scheme).then_some(rest)
}

fn bearer(text: &str) -> Option<Challenge> {
    let (mut realm, mut service) = (None, None);
    let mut rest = text;
    for _ in 0..MAX_PARAMETERS {
        let Some((name, value, after)) = parameter(rest) else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "realm" => realm = Some(value),
            "service" => service = Some(value),
            // The client asks for the scope that it needs, not for the one that the registry names.
            _ => {}
        }
        rest = after;
    }
    realm.map(|realm| Challenge::Bearer { realm, service })
}

/// The name and the value of the first parameter, and the text after it.
fn parameter(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text
        .trim_start_matches(|letter: char| letter == ',' || letter.is_whitespace())
        .split_once('=')?;
    let Some(quoted) = rest.strip_prefix('"') else {
        let (value, rest) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
        return Some((name.trim(), value.trim().to_owned(), rest));
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((name.trim(), value, &quoted[at + 1..])),
            '\\' => value.extend(letters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&'static str]) -> Option<Challenge> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(WWW_AUTHENTICATE, http::HeaderValue::from_static(value));
        }
        Challenge::read(&headers)
    }

    fn bearer_of(realm: &str, service: Option<&str>) -> Option<Challenge> {
        Some(Challenge::Bearer {
            realm: realm.into(),
            service: service.map(str::to_owned),
        })
    }

    #[test]
    fn a_challenge_names_the_realm_and_the_service() {
        let ghcr = r#"Bearer realm="https://ghcr.io/token",service="ghcr.io",scope="repository:acme/a:pull,push""#;
        assert_eq!(read(&[ghcr]), bearer_of("https://ghcr.io/token", Some("ghcr.io")));
        let plain = r#"BEARER  scope="a b", Realm=https://a.test/token , error="x""#;
        assert_eq!(read(&[plain]), bearer_of("https://a.test/token", None));
        let escaped = r#"Bearer realm="https://a.test/\"t,=\\oken",service=a"#;
        assert_eq!(read(&[escaped]), bearer_of(r#"https://a.test/"t,=\oken"#, Some("a")));
        assert_eq!(read(&[r#"Basic realm="a""#]), Some(Challenge::Basic));
        assert_eq!(
            read(&[r#"Basic realm="a""#, r#"Bearer realm="https://a.test""#]),
            bearer_of("https://a.test", None)
        );
    }

    #[test]
    fn a_challenge_that_is_not_understood_is_none() {
        for text in [
            "",
            "Digest realm=\"a\"",
            "Bearer",
            "Bearer service=\"a\"",
            "Bearer realm=\"a",
        ] {
            assert_eq!(read(&[text]), None, "{text}");
        }
        assert_eq!(read(&[]), None);
    }
}
