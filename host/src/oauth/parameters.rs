//! Parameters, as queries and forms hold them: each at most once (RFC 6749, section 3.1), and not too many.
use std::collections::{BTreeMap, BTreeSet};

use url::form_urlencoded;

/// More than any request has, with all that providers add.
const MOST: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Parameters {
    values: BTreeMap<String, String>,
    repeated: BTreeSet<String>,
}

/// There are more than any request has.
#[derive(Debug)]
pub(super) struct TooMany;

impl Parameters {
    pub(super) fn parse(encoded: &[u8]) -> Result<Self, TooMany> {
        let mut parameters = Self::default();
        for (number, (name, value)) in form_urlencoded::parse(encoded).enumerate() {
            if number == MOST {
                return Err(TooMany);
            }
            let name = name.into_owned();
            if parameters.values.insert(name.clone(), value.into_owned()).is_some() {
                parameters.repeated.insert(name);
            }
        }
        Ok(parameters)
    }

    /// Nothing for a parameter that is missing, or empty, which is the same (RFC 6749, section 3.1).
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The same for one that decides where an error is told: of two, neither counts.
    pub(super) fn get_single(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|_| !self.repeated.contains(name))
    }

    pub(super) fn are_repeated(&self) -> bool {
        !self.repeated.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_counts_once() {
        let parameters = Parameters::parse(b"a=1&b=&c=x%20y&a=2").expect("few");
        assert_eq!((parameters.get("b"), parameters.get("c")), (None, Some("x y")));
        assert_eq!(parameters.get_single("a"), None);
        assert!(parameters.are_repeated());
        assert!(Parameters::parse("a=1&".repeat(41).as_bytes()).is_err());
    }
}
