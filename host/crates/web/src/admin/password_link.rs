//! Links with which the owner of an account sets a password.
use crate::when::When;
use linepress_accounts::sign_in::PasswordLink;
use linepress_platform::app::App;

/// A link that was just made, which is shown once.
pub(super) struct ShownLink {
    pub email: String,
    pub url: String,
    pub until: When,
}

impl ShownLink {
    pub(super) fn new(app: &App, email: String, link: &PasswordLink) -> Self {
        Self {
            email,
            url: format!("{}/reset/{}", app.config.public_url, link.token.expose()),
            until: When::new(link.expires_at),
        }
    }
}
