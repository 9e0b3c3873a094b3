//! Approvals of plugins in the settings file.
use std::collections::BTreeMap;

use linepress_plugin_host::{CredentialSource, Grant};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::{EditError, Edited, LockedFile};

impl LockedFile {
    /// Writes the grant of a plugin, and the sources of its secrets, into the settings file. Other sources remain.
    pub fn approve_plugin(
        self,
        id: &str,
        grant: &Grant,
        sources: &BTreeMap<String, CredentialSource>,
    ) -> Result<Edited, EditError> {
        self.edit(|document| {
            write_grant(document, id, grant);
            write_sources(document, id, sources);
        })
    }

    /// Writes the grant of a plugin that is installed by name and the key of its publisher. Without a grant, the
    /// previous one is removed.
    pub fn install_plugin(
        self,
        id: &str,
        grant: Option<&Grant>,
        sources: &BTreeMap<String, CredentialSource>,
        publisher: &str,
    ) -> Result<Edited, EditError> {
        self.edit(|document| {
            match grant {
                Some(grant) => write_grant(document, id, grant),
                None => remove_from(document, "grants", id),
            }
            write_sources(document, id, sources);
            let publishers = table(document.as_table_mut(), "publishers");
            put(publishers, id, publisher);
        })
    }

    /// Removes the grant of a plugin and the key of its publisher. The sources of its secrets remain.
    pub fn remove_plugin(self, id: &str) -> Result<Edited, EditError> {
        self.edit(|document| {
            remove_from(document, "grants", id);
            remove_from(document, "publishers", id);
            let publishers = document.get("publishers").and_then(Item::as_table_like);
            if publishers.is_some_and(|publishers| publishers.is_empty()) {
                document.remove("publishers");
            }
        })
    }

    /// Removes the grant of a plugin from the settings file. The sources of its secrets remain.
    pub fn disapprove_plugin(self, id: &str) -> Result<Edited, EditError> {
        self.edit(|document| remove_from(document, "grants", id))
    }
}

fn remove_from(document: &mut DocumentMut, table: &str, id: &str) {
    if let Some(table) = document.get_mut(table).and_then(Item::as_table_like_mut) {
        table.remove(id);
    }
}

fn write_grant(document: &mut DocumentMut, id: &str, grant: &Grant) {
    // Existing tables are changed in place, which preserves the comments before them.
    let granted = table(table(document.as_table_mut(), "grants"), id);
    granted.set_implicit(false);
    put(granted, "digest", grant.digest.as_str());
    put(granted, "origins", list(&grant.origins));
    match grant.private.is_empty() {
        true => drop(granted.remove("private")),
        false => put(granted, "private", list(&grant.private)),
    }
    let permissions: Array = grant.permissions.iter().map(|permission| permission.as_str()).collect();
    match permissions.is_empty() {
        true => drop(granted.remove("permissions")),
        false => put(granted, "permissions", permissions),
    }
}

pub(super) fn list(texts: &[String]) -> Array {
    texts.iter().map(String::as_str).collect()
}

/// Sets a value, and preserves the comment after the previous one.
pub(super) fn put(table: &mut Table, key: &str, new: impl Into<Value>) {
    let mut new = new.into();
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        *new.decor_mut() = old.decor().clone();
    }
    table[key] = Item::Value(new);
}

fn write_sources(document: &mut DocumentMut, id: &str, sources: &BTreeMap<String, CredentialSource>) {
    if sources.is_empty() {
        return;
    }
    let credentials = table(table(document.as_table_mut(), "credentials"), id);
    credentials.set_implicit(false);
    for (name, source) in sources {
        let mut inline = InlineTable::new();
        match source {
            CredentialSource::Env(variable) => inline.insert("env", variable.as_str().into()),
            CredentialSource::File(path) => inline.insert("file", path.display().to_string().into()),
        };
        put(credentials, name, inline);
    }
}

/// A subtable that contains only tables; created without its own header when it is missing.
pub(super) fn table<'a>(within: &'a mut Table, name: &str) -> &'a mut Table {
    let item = within.entry(name).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    if !item.is_table() {
        // It may be an inline table.
        let converted = std::mem::take(item).into_table().unwrap_or_default();
        *item = Item::Table(converted);
    }
    item.as_table_mut().expect("it is a table now")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use linepress_plugin_host::Permission;

    use super::*;
    use crate::config::Config;

    fn grant(digest: &str) -> Grant {
        Grant {
            digest: digest.into(),
            origins: vec!["https://api.acme.com:443".into()],
            private: Vec::new(),
            permissions: BTreeSet::new(),
        }
    }

    #[test]
    fn a_repeated_approval_preserves_the_comments_of_the_previous_one() {
        let text = "# ours\n[grants.\"acme.flux\"] # Ada\n# of the files\ndigest = \"a\" # May\n\
                    origins = [\"https://a.test:443\"] # all\n\n[credentials.\"acme.flux\"]\nkey = { env = \"A\" } # hers\n";
        let mut document: DocumentMut = text.parse().expect("valid TOML");
        write_grant(&mut document, "acme.flux", &grant("b"));
        let sources = BTreeMap::from([("key".to_owned(), CredentialSource::Env("B".into()))]);
        write_sources(&mut document, "acme.flux", &sources);
        let expected = text
            .replace("\"a\"", "\"b\"")
            .replace("https://a.test:443", "https://api.acme.com:443");
        assert_eq!(document.to_string(), expected.replace("\"A\"", "\"B\""));
    }

    #[test]
    fn permissions_are_written_and_removed() {
        let mut document = DocumentMut::new();
        let storing = Grant {
            permissions: BTreeSet::from([Permission::Cache, Permission::Store]),
            ..grant("a")
        };
        write_grant(&mut document, "acme.flux", &storing);
        let text = document.to_string();
        assert!(text.contains("permissions = [\"store\", \"cache\"]"), "{text}");
        let read: BTreeMap<String, BTreeMap<String, Grant>> = toml::from_str(&text).expect("a grant");
        assert_eq!(read["grants"]["acme.flux"], storing);
        write_grant(&mut document, "acme.flux", &grant("b"));
        assert!(!document.to_string().contains("permissions"), "{document}");
    }

    #[test]
    fn the_key_of_a_publisher_is_written_and_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("linepress.toml");
        let lock = || {
            let config = Config {
                file: Some(file.clone()),
                ..Config::default()
            };
            config.lock_file().expect("a lock")
        };
        let key = format!("ed25519:{}=", "A".repeat(43));
        let installed = |grant: Option<&Grant>| {
            let edited = lock().install_plugin("acme.flux", grant, &BTreeMap::new(), &key);
            drop(edited.expect("a change"));
            std::fs::read_to_string(&file).expect("a file")
        };
        let text = installed(Some(&grant("b")));
        assert!(
            text.contains(&format!("[publishers]\n\"acme.flux\" = \"{key}\"")),
            "{text}"
        );
        assert!(text.contains("[grants.\"acme.flux\"]"), "{text}");
        let text = installed(None);
        assert!(text.contains(&key) && !text.contains("acme.flux\"]"), "{text}");
        drop(lock().remove_plugin("acme.flux").expect("a change"));
        let text = std::fs::read_to_string(&file).expect("a file");
        assert_eq!(text, "");
    }

    #[test]
    fn an_inline_grant_is_replaced() {
        let text = "[grants]\nflux = { digest = \"a\", private = [\"http://a.test:80\"] }\n";
        let mut document: DocumentMut = text.parse().expect("valid TOML");
        write_grant(&mut document, "flux", &grant("b"));
        let written: DocumentMut = document.to_string().parse().expect("valid TOML");
        let written = written["grants"]["flux"].as_table().expect("a table");
        assert_eq!(written["digest"].as_str(), Some("b"));
        assert!(!written.contains_key("private"), "{written}");
    }
}
