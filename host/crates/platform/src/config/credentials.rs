//! The check of the sources of secrets.
use std::collections::BTreeMap;
use std::fmt::Arguments;

use linepress_plugin_host::CredentialSource;

/// Checks that each variable can be the name of one, because an operator may have written the secret there. An error
/// does not contain it.
pub(super) fn check(credentials: &BTreeMap<String, BTreeMap<String, CredentialSource>>) -> Result<(), String> {
    for (plugin, sources) in credentials {
        for (credential, source) in sources {
            check_source(format_args!("{credential} of {plugin}"), source)?;
        }
    }
    Ok(())
}

/// Checks the source of one secret, which the error names as `secret`.
pub(super) fn check_source(secret: Arguments<'_>, source: &CredentialSource) -> Result<(), String> {
    match source {
        CredentialSource::Env(name) if !is_variable_name(name) => Err(format!(
            "{secret} names no environment variable: a name consists of letters, digits and _. Set a variable to the secret, and \
             write `{{ env = \"NAME\" }}` or `{{ file = \"PATH\" }}`"
        )),
        _ => Ok(()),
    }
}

fn is_variable_name(name: &str) -> bool {
    let mut letters = name.bytes();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}
