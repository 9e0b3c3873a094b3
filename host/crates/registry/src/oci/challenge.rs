//! The challenge of a registry: how it wants its clients to authenticate (RFC 9110, section 11.6.1).
use http::HeaderMap;
use http::header::WWW_AUTHENTICATE;

/// Maximum number of parameters of the challenges in a header.
const MAX_PARAMETERS: usize = 32;

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
        let texts = headers.get_all(WWW_AUTHENTICATE).iter();
        let texts = texts.filter_map(|value| value.to_str().ok());
        let offered: Vec<Offered<'_>> = texts.flat_map(offered).collect();
        let bearer = offered.iter().find_map(Offered::bearer);
        let is_basic = offered.iter().any(|offered| offered.is("basic"));
        bearer.or_else(|| is_basic.then_some(Self::Basic))
    }
}

/// One of the challenges in a header: the scheme and its parameters, whose names are in lowercase.
struct Offered<'a> {
    scheme: &'a str,
    parameters: Vec<(String, String)>,
}

impl Offered<'_> {
    /// The name of a scheme is written in any case.
    fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    fn parameter(&self, name: &str) -> Option<String> {
        let found = self.parameters.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.clone())
    }

    /// The client asks for the scope that it needs, not for the one that the registry names.
    fn bearer(&self) -> Option<Challenge> {
        let realm = self.parameter("realm").filter(|_| self.is("bearer"))?;
        let service = self.parameter("service");
        Some(Challenge::Bearer { realm, service })
    }
}

/// The challenges in a value of the header. Commas separate both challenges and their parameters.
fn offered(text: &str) -> Vec<Offered<'_>> {
    let mut challenges: Vec<Offered<'_>> = Vec::new();
    for item in items(text).take(MAX_PARAMETERS) {
        let (scheme, rest) = scheme_and_rest(item.trim());
        if let Some(scheme) = scheme {
            let parameters = Vec::new();
            challenges.push(Offered { scheme, parameters });
        }
        if let Some(challenge) = challenges.last_mut() {
            challenge.parameters.extend(parameter(rest));
        }
    }
    challenges
}

/// The parts of a text between commas that are not quoted.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(move |letter: char| {
        let is_end = letter == ',' && !is_quoted;
        match letter {
            _ if is_escaped => is_escaped = false,
            '"' => is_quoted = !is_quoted,
            '\\' => is_escaped = is_quoted,
            _ => {}
        }
        is_end
    })
}

/// The scheme with which an item begins, and the parameter after it. An item such as `service = "a"` has no scheme.
fn scheme_and_rest(item: &str) -> (Option<&str>, &str) {
    let (word, rest) = item.split_once(char::is_whitespace).unwrap_or((item, ""));
    let rest = rest.trim_start();
    match word.is_empty() || word.contains('=') || rest.starts_with('=') {
        true => (None, item),
        false => (Some(word), rest),
    }
}

/// The name and the value of a parameter.
fn parameter(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let Some(quoted) = value.strip_prefix('"') else {
        return Some((name, value.to_owned()));
    };
    let mut text = String::new();
    let mut letters = quoted.chars();
    loop {
        match letters.next()? {
            '"' => return Some((name, text)),
            '\\' => text.extend(letters.next()),
            letter => text.push(letter),
        }
    }
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
    fn one_header_may_hold_several_challenges() {
        let basic = r#"Basic realm="a, Bearer realm=b", charset="UTF-8""#;
        assert_eq!(read(&[basic]), Some(Challenge::Basic));
        let token = r#"Bearer realm="https://a.test/token",service="a.test""#;
        let bearer = bearer_of("https://a.test/token", Some("a.test"));
        for text in [
            format!("{basic}, {token}"),
            format!("{token}, {basic}"),
            format!("Negotiate, Negotiate YWJj==, {basic},{token}"),
            format!("Digest realm=\"b\", service = b,, {token}"),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(WWW_AUTHENTICATE, text.parse().unwrap());
            assert_eq!(Challenge::read(&headers), bearer, "{text}");
        }
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
