//! Sending a browser back to the app that sent it here.
use axum::response::{IntoResponse as _, Redirect, Response};
use url::{Url, form_urlencoded};

use crate::app::App;

/// To the app, with these parameters, its own state, and who we are: an app that speaks to several servers can then tell
/// whose response it is (RFC 9207).
pub(super) fn back(app: &App, redirect_uri: &str, state: Option<&str>, parameters: &[(&str, &str)]) -> Response {
    Redirect::to(&address_back(app, redirect_uri, state, parameters)).into_response()
}

/// The address of the same, for a link.
pub(super) fn address_back(app: &App, redirect_uri: &str, state: Option<&str>, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    query.extend_pairs(state.map(|state| ("state", state)));
    query.append_pair("iss", &app.config.public_url);
    // The rest of the address stays as the app wrote it, to the byte.
    let joint = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{joint}{}", query.finish())
}

/// Where a redirect leads to, for the person who decides.
pub(super) fn place(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else {
        return redirect_uri.to_owned();
    };
    match (url.scheme(), url.host()) {
        ("https", Some(host)) => host.to_string(),
        ("http", Some(host)) => format!("an app on this device ({host})"),
        (scheme, _) => format!("the app on this device that opens {scheme}: addresses"),
    }
}

/// Where the form may lead, for the Content-Security-Policy of its page: browsers hold each redirect that follows a form
/// against it, those of the app's own site among them, which nobody here knows.
pub(super) fn form_targets(redirect_uri: &str) -> String {
    match Url::parse(redirect_uri) {
        Ok(url) if url.scheme() != "https" => format!("'self' https: {}:", url.scheme()),
        _ => "'self' https:".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_where_a_redirect_leads() {
        for (uri, expected) in [
            ("https://claude.ai/api/cb", "claude.ai"),
            ("https://xn--pypal-4ve.com/cb", "xn--pypal-4ve.com"),
            ("http://127.0.0.1:1/cb", "an app on this device (127.0.0.1)"),
            ("cursor://x/cb", "the app on this device that opens cursor: addresses"),
        ] {
            assert_eq!(place(uri), expected);
        }
        assert_eq!(form_targets("http://[::1]:1/cb"), "'self' https: http:");
    }
}
