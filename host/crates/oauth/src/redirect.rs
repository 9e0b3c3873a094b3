//! Redirects of a browser back to the app that it came from.
use axum::response::{IntoResponse as _, Redirect, Response};
use url::{Url, form_urlencoded};

use linepress_platform::app::App;

/// Redirects to the app with these parameters, the app's own `state`, and the issuer, by which an app that uses several
/// authorization servers knows which one responded (RFC 9207).
pub(super) fn to_app(app: &App, redirect_uri: &str, state: Option<&str>, parameters: &[(&str, &str)]) -> Response {
    Redirect::to(&app_address(app, redirect_uri, state, parameters)).into_response()
}

/// The address of the same redirect, for a link.
pub(super) fn app_address(app: &App, redirect_uri: &str, state: Option<&str>, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters);
    query.extend_pairs(state.map(|state| ("state", state)));
    query.append_pair("iss", &app.config.public_url);
    // The rest of the address remains exactly as the app registered it.
    let joint = if redirect_uri.contains('?') { '&' } else { '?' };
    format!("{redirect_uri}{joint}{}", query.finish())
}

/// Describes the destination of a redirect for the user who decides.
pub(super) fn describe_destination(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else {
        return redirect_uri.to_owned();
    };
    match (url.scheme(), url.host()) {
        ("https", Some(host)) => host.to_string(),
        ("http", Some(host)) => format!("an app on this device ({host})"),
        (scheme, _) => format!("the app on this device that opens {scheme}: addresses"),
    }
}

/// The form targets for the Content-Security-Policy of a page. Browsers also check the redirects that follow a form
/// against it, including redirects on the app's own site, which this server cannot know.
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
    fn the_destination_of_a_redirect_is_described() {
        for (uri, expected) in [
            ("https://claude.ai/api/cb", "claude.ai"),
            ("https://xn--pypal-4ve.com/cb", "xn--pypal-4ve.com"),
            ("http://127.0.0.1:1/cb", "an app on this device (127.0.0.1)"),
            ("cursor://x/cb", "the app on this device that opens cursor: addresses"),
        ] {
            assert_eq!(describe_destination(uri), expected);
        }
        assert_eq!(form_targets("http://[::1]:1/cb"), "'self' https: http:");
    }
}
