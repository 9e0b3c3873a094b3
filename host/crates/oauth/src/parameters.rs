//! Parameters of queries and forms: each at most once (RFC 6749, section 3.1), and a limited number of them.
use std::collections::{BTreeMap, BTreeSet};

use url::form_urlencoded;

/// More parameters than any request has, including those that providers add.
const MAX_PARAMETERS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Parameters {
    values: BTreeMap<String, String>,
    repeated: BTreeSet<String>,
}

/// The error for more than `MAX_PARAMETERS` parameters.
#[derive(Debug)]
pub(super) struct TooMany;

impl Parameters {
    pub(super) fn parse(encoded: &[u8]) -> Result<Self, TooMany> {
        let mut parameters = Self::default();
        for (number, (name, value)) in form_urlencoded::parse(encoded).enumerate() {
            if number == MAX_PARAMETERS {
                return Err(TooMany);
            }
            let name = name.into_owned();
            if parameters.values.insert(name.clone(), value.into_owned()).is_some() {
                parameters.repeated.insert(name);
            }
        }
        Ok(parameters)
    }

    /// Returns the parameter's value; `None` if it is missing or empty, which are equivalent (RFC 6749, section 3.1).
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Like `get`, for a parameter that decides where errors are reported: a repeated one is ignored.
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
    fn repeated_and_empty_parameters_do_not_count() {
        let parameters = Parameters::parse(b"a=1&b=&c=x%20y&a=2").expect("few");
        assert_eq!((parameters.get("b"), parameters.get("c")), (None, Some("x y")));
        assert_eq!(parameters.get_single("a"), None);
        assert!(parameters.are_repeated());
        assert!(Parameters::parse("a=1&".repeat(41).as_bytes()).is_err());
    }
}
