//! Client metadata, from a registration request or from a document that the client publishes (RFC 7591).
use serde::{Deserialize, Serialize};

use super::{AuthMethod, redirect_uri};
use linepress_platform::text::is_invisible;

const MAX_REDIRECT_URIS: usize = 10;
const MAX_NAME_CHARS: usize = 100;
const MAX_TEXT_BYTES: usize = 2_000;
/// The size limit of all stored metadata of a client, because registration requires no authentication.
const MAX_STORED_BYTES: usize = 4 * 1024;

/// The validated metadata of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientMetadata {
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub auth_method: AuthMethod,
    pub details: Details,
}

/// Metadata that is only stored for display and for the registration response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_uri: Option<String>,
}

/// The reason why metadata is rejected. The text is safe to send to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetadataError {
    RedirectUri(String),
    Other(String),
}

/// Metadata as the client sent it; unknown fields are ignored.
#[derive(Debug, Deserialize)]
pub struct SentMetadata {
    /// Only set in a document.
    pub client_id: Option<String>,
    redirect_uris: Option<Vec<String>>,
    client_name: Option<String>,
    token_endpoint_auth_method: Option<String>,
    /// The methods of a client that supports several: ChatGPT prefers `private_key_jwt` and lists `none`.
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
    #[serde(flatten)]
    details: Details,
}

impl SentMetadata {
    /// Validates the metadata. `unnamed` is the method of a client that names none.
    pub fn checked(self, unnamed: AuthMethod) -> Result<ClientMetadata, MetadataError> {
        let other = |problem: String| Err(MetadataError::Other(problem));
        let redirect_uris = self.redirect_uris.unwrap_or_default();
        check_redirect_uris(&redirect_uris)?;
        let name = match self.client_name {
            Some(name) => visible_name(&name)?,
            None => "An app without a name".into(),
        };
        let listed = self.token_endpoint_auth_methods_supported.unwrap_or_default();
        let Some(auth_method) = auth_method(self.token_endpoint_auth_method, &listed, unnamed) else {
            return other(
                "token_endpoint_auth_method, or one of token_endpoint_auth_methods_supported, must be none, \
                 client_secret_basic or client_secret_post."
                    .into(),
            );
        };
        let names =
            |list: Option<Vec<String>>, needed: &str| list.is_none_or(|list| list.iter().any(|one| one == needed));
        if !names(self.grant_types, "authorization_code") {
            return other("grant_types must contain authorization_code.".into());
        }
        if !names(self.response_types, "code") {
            return other("response_types must contain code.".into());
        }
        if !matches!(self.details.application_type.as_deref(), None | Some("web" | "native")) {
            return other("application_type must be web or native.".into());
        }
        let Details {
            scope,
            client_uri,
            logo_uri,
            application_type: _,
        } = &self.details;
        for (field, text) in [("scope", scope), ("client_uri", client_uri), ("logo_uri", logo_uri)] {
            if text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES) {
                return other(format!("{field} is longer than {MAX_TEXT_BYTES} bytes."));
            }
        }
        let stored = serde_json::to_string(&(&name, &redirect_uris, &self.details));
        if stored.map_or(usize::MAX, |stored| stored.len()) > MAX_STORED_BYTES {
            return other(format!(
                "The metadata is longer than {MAX_STORED_BYTES} bytes. Send fewer or shorter redirect_uris."
            ));
        }
        Ok(ClientMetadata {
            name,
            redirect_uris,
            auth_method,
            details: self.details,
        })
    }
}

/// The authentication method that the client and this server have in common; `None` when there is none. The client's
/// preferred method comes first, then those that it lists; but `none` comes before all others where it is the default
/// (`unnamed`).
fn auth_method(preferred: Option<String>, listed: &[String], unnamed: AuthMethod) -> Option<AuthMethod> {
    let Some(preferred) = preferred else {
        return Some(unnamed);
    };
    let common: Vec<AuthMethod> = std::iter::once(&preferred)
        .chain(listed)
        .filter_map(|name| AuthMethod::parse(name))
        .collect();
    let public = common
        .iter()
        .find(|method| **method == AuthMethod::None && unnamed == AuthMethod::None);
    public.or(common.first()).copied()
}

fn check_redirect_uris(uris: &[String]) -> Result<(), MetadataError> {
    if !(1..=MAX_REDIRECT_URIS).contains(&uris.len()) {
        let problem = format!("redirect_uris must contain 1 to {MAX_REDIRECT_URIS} URIs.");
        return Err(MetadataError::RedirectUri(problem));
    }
    for (number, uri) in uris.iter().enumerate() {
        redirect_uri::read(uri)
            .map_err(|problem| MetadataError::RedirectUri(format!("redirect_uris[{number}] {problem}.")))?;
    }
    Ok(())
}

/// Normalizes a name for the consent page: the name must not look like a part of the page or like another name.
fn visible_name(name: &str) -> Result<String, MetadataError> {
    let name = name.trim();
    let has_control = name.contains(char::is_control);
    // Variation selectors, which may follow an emoji, only choose its presentation.
    let name: String = name
        .chars()
        .filter(|letter| !matches!(letter, '\u{fe00}'..='\u{fe0f}'))
        .collect();
    let hides = name.contains(is_invisible);
    // A run of white space becomes a single space.
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let says_something = name.contains(char::is_alphanumeric);
    if has_control || hides || !says_something || name.chars().count() > MAX_NAME_CHARS {
        let problem = format!(
            "client_name must be 1 to {MAX_NAME_CHARS} visible characters in one line, with a letter or a digit among them."
        );
        return Err(MetadataError::Other(problem));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_contains_only_visible_characters() {
        for (sent, shown) in [
            ("Claude", "Claude"),
            ("  Claude  Code ", "Claude Code"),
            ("Claude\u{2003}\u{3000}Code", "Claude Code"),
            ("\u{2615}\u{fe0f} Caf\u{e9}", "\u{2615} Caf\u{e9}"),
            ("\u{7d75}\u{672c}", "\u{7d75}\u{672c}"),
            ("7", "7"),
        ] {
            assert_eq!(visible_name(sent).as_deref(), Ok(shown), "{sent:?}");
        }
        for letter in [
            '\0',
            '\n',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{600}',
            '\u{61c}',
            '\u{6dd}',
            '\u{70f}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{180b}',
            '\u{180e}',
            '\u{180f}',
            '\u{200b}',
            '\u{200d}',
            '\u{200f}',
            '\u{2028}',
            '\u{202e}',
            '\u{2060}',
            '\u{206f}',
            '\u{2800}',
            '\u{3164}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff0}',
            '\u{fffb}',
            '\u{110bd}',
            '\u{13430}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
            '\u{e0fff}',
        ] {
            for name in [format!("Cla{letter}ude"), letter.to_string()] {
                assert!(visible_name(&name).is_err(), "{name:?}");
            }
        }
        for name in ["", " ", "...", "\u{2615}", "\u{fe0f}", "\u{301}"] {
            assert!(visible_name(name).is_err(), "{name:?}");
        }
    }
}
