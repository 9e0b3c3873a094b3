//! The client secret with which this server authenticates itself to the provider.
use crate::config::Oidc;

/// Reads the client secret from the settings, or from the file that they name, which may change while the server runs.
/// `None` when neither is set.
pub(super) fn read(oidc: &Oidc) -> Result<Option<String>, String> {
    let set = oidc.client_secret.expose();
    if !set.is_empty() {
        return Ok(Some(set.to_owned()));
    }
    let file = &oidc.client_secret_file;
    if file.as_os_str().is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("sign_in.oidc.client_secret_file: {}: {error}", file.display()))?;
    match text.trim() {
        "" => Err(format!("sign_in.oidc.client_secret_file: {} is empty", file.display())),
        secret => Ok(Some(secret.to_owned())),
    }
}

/// Checks that the secret can be read, so that the server reports the problem at its start and not at the first
/// sign-in.
pub fn check(oidc: Option<&Oidc>) -> Result<(), String> {
    oidc.map_or(Ok(()), |oidc| read(oidc).map(|_| ()))
}
