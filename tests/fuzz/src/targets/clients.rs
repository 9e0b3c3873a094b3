//! Metadata of OAuth clients.
use linepress_accounts::grants::clients::{AuthMethod, SentMetadata};

use crate::Input;

/// Metadata that is accepted has a visible name, at least one redirect URI, and no redirect URI that a browser could
/// read differently.
pub(super) fn run(bytes: &[u8]) -> Input {
    let Ok(sent) = serde_json::from_slice::<SentMetadata>(bytes) else {
        return Input::Used;
    };
    let Ok(client) = sent.checked(AuthMethod::None) else {
        return Input::Used;
    };
    assert!(!client.name.trim().is_empty());
    assert!(!client.name.contains(char::is_control));
    assert!(!client.redirect_uris.is_empty());
    for uri in &client.redirect_uris {
        assert!(
            uri.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\'),
            "{uri}"
        );
        assert!(!uri.contains('#'), "{uri}");
    }
    Input::Used
}
