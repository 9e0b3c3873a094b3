//! Addresses of resources.
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

/// The URL of a resource at the interface that serves it. The core makes no URLs: an address is unset until an
/// interface sets it. It is left out of JSON while it is unset, and it is not read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Address(Option<String>);

impl Address {
    pub fn is_unset(&self) -> bool {
        self.0.is_none()
    }

    pub fn set(&mut self, url: String) {
        self.0 = Some(url);
    }
}

/// Ignores the value, and yields an unset address.
impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Ok(Self::default())
    }
}
