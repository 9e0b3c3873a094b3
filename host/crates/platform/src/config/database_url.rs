//! The check of a PostgreSQL URL. An error shows nothing of it, because any part may belong to the password.
use url::{ParseError, Url};

/// The values of `sslmode`.
const SSL_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

const ADVICE: &str = "Percent-encode special characters in a user name or password: %40 for @, %2F for /, %3F for ?, %23 for #, %3A for :";

/// Checks the URL of a database server; other URLs are checked when the database is opened.
pub(super) fn check(text: &str) -> Result<(), String> {
    if !text.starts_with("postgres") {
        return Ok(());
    }
    if ends_within_password(text) {
        return Err(format!(
            "has an @, /, ? or # in a place where it ends the password early. {ADVICE}"
        ));
    }
    let url = Url::parse(text).map_err(|error| match error {
        ParseError::InvalidPort => "has an invalid port: it must be a number from 1 to 65535".to_owned(),
        error => format!("is not a URL: {error}. {ADVICE}"),
    })?;
    check_ssl_mode(&url)
}

/// Returns true when an unescaped character divides the user name or password: a URL has one `@` at most, in front of
/// the host, and a database URL has no `#`.
fn ends_within_password(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let server = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_divided = rest.matches('@').count() != server.matches('@').count();
    is_divided || server.matches('@').count() > 1 || rest.contains('#')
}

fn check_ssl_mode(url: &Url) -> Result<(), String> {
    let mut modes = url
        .query_pairs()
        .filter(|(name, _)| name == "sslmode" || name == "ssl-mode");
    let is_known = |mode: &str| SSL_MODES.iter().any(|known| known.eq_ignore_ascii_case(mode));
    if modes.all(|(_, mode)| is_known(&mode)) {
        return Ok(());
    }
    Err(format!(
        "has an unknown sslmode. It must be one of {}",
        SSL_MODES.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unescaped_character_of_a_password_is_refused_and_not_shown() {
        for url in [
            "postgres://u:pa@topsecret/w#d@host/x",
            "postgres://u:pa@topsecret@host/x",
            "postgres://u:pa/topsecret@host/x",
            "postgres://u:pa#topsecret@host/x",
            "postgres://u:pa?topsecret@host/x",
            "postgres://u:pa@topsecret?word@host/x",
            "postgresql://u:1/topsecret@host/x",
        ] {
            let problem = check(url).expect_err(url);
            assert!(problem.contains("%23 for #"), "{url}: {problem}");
            assert!(!problem.contains("topsecret"), "{url}: {problem}");
        }
    }

    #[test]
    fn a_wrong_port_and_a_wrong_mode_are_called_so() {
        for (url, words) in [
            ("postgres://ada:topsecret@host:70000/x", "has an invalid port"),
            ("postgres://ada:topsecret@host:port/x", "has an invalid port"),
            (
                "postgres://ada@host/x?sslmode=bananas",
                "must be one of disable, allow, prefer",
            ),
            ("postgres://ada@[oo/x", "invalid IPv6 address"),
        ] {
            let problem = check(url).expect_err(url);
            assert!(
                problem.contains(words) && !problem.contains("topsecret"),
                "{url}: {problem}"
            );
        }
    }

    #[test]
    fn an_encoded_url_is_accepted() {
        for url in [
            "postgres://u:p%40ss%2Fw%23d@host:5432/x?sslmode=verify-full&sslrootcert=/etc/ca.crt",
            "postgres://host/x",
            "postgresql:///x?host=/run/postgresql&user=ada",
            "sqlite:///a#b@c.db",
        ] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
    }
}
