//! What a client says of itself, when it registers and in a document that it publishes (RFC 7591).
use serde::{Deserialize, Serialize};

use super::{AuthMethod, redirect_uri};

const MOST_REDIRECT_URIS: usize = 10;
const LONGEST_NAME: usize = 100;
const LONGEST_TEXT: usize = 2_000;

/// What a client says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientMetadata {
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub auth_method: AuthMethod,
    pub details: Details,
}

/// What is kept for the client to read, and decides nothing.
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

/// What is wrong with what a client says of itself. The words are safe to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetadataError {
    RedirectUri(String),
    Other(String),
}

/// What was sent, of which a lot is passed over.
#[derive(Debug, Deserialize)]
pub struct SentMetadata {
    /// Of a document.
    pub client_id: Option<String>,
    redirect_uris: Option<Vec<String>>,
    client_name: Option<String>,
    token_endpoint_auth_method: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
    #[serde(flatten)]
    details: Details,
}

impl SentMetadata {
    /// All of it, when it can be used. `unnamed` is the method of a client that names none.
    pub fn checked(self, unnamed: AuthMethod) -> Result<ClientMetadata, MetadataError> {
        let other = |problem: String| Err(MetadataError::Other(problem));
        let redirect_uris = self.redirect_uris.unwrap_or_default();
        check_redirect_uris(&redirect_uris)?;
        let name = match self.client_name {
            Some(name) => visible_name(&name)?,
            None => "An app without a name".into(),
        };
        let auth_method = match self.token_endpoint_auth_method {
            None => unnamed,
            Some(method) => match AuthMethod::parse(&method) {
                Some(method) => method,
                None => {
                    return other(
                        "token_endpoint_auth_method must be none, client_secret_basic or client_secret_post.".into(),
                    );
                }
            },
        };
        let names =
            |list: Option<Vec<String>>, needed: &str| list.is_none_or(|list| list.iter().any(|one| one == needed));
        if !names(self.grant_types, "authorization_code") {
            return other("grant_types must hold authorization_code.".into());
        }
        if !names(self.response_types, "code") {
            return other("response_types must hold code.".into());
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
            if text.as_ref().is_some_and(|text| text.len() > LONGEST_TEXT) {
                return other(format!("{field} is longer than {LONGEST_TEXT} bytes."));
            }
        }
        Ok(ClientMetadata {
            name,
            redirect_uris,
            auth_method,
            details: self.details,
        })
    }
}

fn check_redirect_uris(uris: &[String]) -> Result<(), MetadataError> {
    if !(1..=MOST_REDIRECT_URIS).contains(&uris.len()) {
        let problem = format!("redirect_uris must hold 1 to {MOST_REDIRECT_URIS} URIs.");
        return Err(MetadataError::RedirectUri(problem));
    }
    for (number, uri) in uris.iter().enumerate() {
        redirect_uri::read(uri)
            .map_err(|problem| MetadataError::RedirectUri(format!("redirect_uris[{number}] {problem}.")))?;
    }
    Ok(())
}

/// A name is shown to the person who decides: it must not look as if it were a part of the page around it.
fn visible_name(name: &str) -> Result<String, MetadataError> {
    let name = name.trim();
    let hides = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.contains(hides) {
        let problem = format!("client_name must be 1 to {LONGEST_NAME} visible characters in one line.");
        return Err(MetadataError::Other(problem));
    }
    Ok(name.to_owned())
}
