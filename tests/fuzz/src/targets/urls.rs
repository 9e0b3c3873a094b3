//! URLs and hosts.
use linepress_egress::{Origin, exact_host};

use crate::Input;

/// Origins and hosts have one form: reading what was written changes nothing.
pub(super) fn run(bytes: &[u8]) -> Input {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Input::Unusable;
    };
    if let Ok(origin) = Origin::parse(text) {
        assert_eq!(Origin::parse(&origin.to_string()).as_ref(), Ok(&origin), "{text:?}");
        assert_eq!(exact_host(origin.host()).as_deref(), Some(origin.host()), "{text:?}");
    }
    if let Some(host) = exact_host(text) {
        assert_eq!(exact_host(&host).as_deref(), Some(&*host), "{text:?}");
    }
    Input::Used
}
