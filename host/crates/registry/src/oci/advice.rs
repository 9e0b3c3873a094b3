//! The advice for a connection to a registry that failed: the setting that permits what was refused.
use linepress_egress::DialError;

/// A sentence for the operator, or nothing. `host` is the name of the server's table in the settings; `None` for a
/// server that no setting can permit.
pub(super) fn for_connection(error: &DialError, host: Option<&str>) -> String {
    let Some(host) = host else {
        return String::new();
    };
    let settings = format!("[oci_registries.\"{host}\"] of the settings file");
    if error.is_of_private_address() {
        return format!(". If it is in your private network, set `private = true` in {settings}");
    }
    if error.may_lack_tls() {
        return format!(
            ". If it speaks plain http, which only a server in a private network may, set `private = true` and \
             `plain_http = true` in {settings}"
        );
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use std::io;

    use linepress_egress::Refusal;

    use super::*;

    #[test]
    fn a_refused_connection_names_the_setting_that_permits_it() {
        let (name, address) = ("registry.intranet".to_owned(), [10, 0, 0, 5].into());
        for (error, words) in [
            (
                DialError::Refused(Refusal::NotPublic {
                    name: name.clone(),
                    address,
                }),
                "set `private = true` in [oci_registries.\"registry.intranet:5000\"]",
            ),
            (
                DialError::Tls(io::ErrorKind::UnexpectedEof.into()),
                "set `private = true` and `plain_http = true` in [oci_registries.\"registry.intranet:5000\"]",
            ),
            (DialError::Tls(io::ErrorKind::InvalidData.into()), ""),
            (DialError::Refused(Refusal::Denied { name, address }), ""),
        ] {
            let advice = for_connection(&error, Some("registry.intranet:5000"));
            assert!(
                advice.contains(words) && advice.is_empty() == words.is_empty(),
                "{error}: {advice}"
            );
            assert_eq!(for_connection(&error, None), "");
        }
    }
}
