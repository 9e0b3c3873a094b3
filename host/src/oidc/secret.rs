//! What this server proves itself with to the provider.
use crate::config::Oidc;

/// The secret of the settings, or of the file that they name, which may change while the server runs; a text that says what
/// is wrong when it cannot be read.
pub(super) fn of(oidc: &Oidc) -> Result<Option<String>, String> {
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

/// Whether the secret can be read: a server should say at its start what would keep everybody out.
pub fn check(oidc: Option<&Oidc>) -> Result<(), String> {
    oidc.map_or(Ok(()), |oidc| of(oidc).map(|_| ()))
}
