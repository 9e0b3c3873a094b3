//! The services that a manifest asks for.
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::store::{MAX_STORE_BYTES, MAX_STORE_VALUES};

/// A service of the host that a plugin may use only with the operator's approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// To store values in the server's database.
    Store,
    /// To keep values in the server's memory between calls.
    Cache,
}

impl Permission {
    /// The name in a manifest and in a grant.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Cache => "cache",
        }
    }

    /// The permission for the operator, such as "to store ...".
    pub fn in_words(self) -> String {
        let mebibytes = MAX_STORE_BYTES >> 20;
        match self {
            Self::Store => {
                format!("to store up to {MAX_STORE_VALUES} values, {mebibytes} MiB together, in the server's database")
            }
            Self::Cache => format!("to keep up to {mebibytes} MiB in the server's memory between its calls"),
        }
    }
}

/// The `[permissions]` table of a manifest.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PermissionTable {
    store: bool,
    cache: bool,
}

impl PermissionTable {
    pub(crate) fn permissions(self) -> BTreeSet<Permission> {
        let asked = [(self.store, Permission::Store), (self.cache, Permission::Cache)];
        let asked = asked.into_iter().filter(|(is_asked, _)| *is_asked);
        asked.map(|(_, permission)| permission).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permission_is_in_words_what_the_plugin_may_do() {
        assert_eq!(
            Permission::Store.in_words(),
            "to store up to 256 values, 1 MiB together, in the server's database"
        );
        assert_eq!(
            Permission::Cache.in_words(),
            "to keep up to 1 MiB in the server's memory between its calls"
        );
        for permission in [Permission::Store, Permission::Cache] {
            assert_eq!(serde_json::to_value(permission).unwrap(), permission.as_str());
        }
    }

    #[test]
    fn a_table_asks_for_what_is_true_in_it() {
        let asked = |text: &str| toml::from_str::<PermissionTable>(text).map(PermissionTable::permissions);
        assert_eq!(asked("").unwrap(), BTreeSet::new());
        assert_eq!(
            asked("store = true\ncache = false").unwrap(),
            BTreeSet::from([Permission::Store])
        );
        assert!(asked("disk = true").unwrap_err().to_string().contains("disk"));
    }
}
