//! Approvals of plugins in the settings file.
use std::collections::BTreeMap;

use linepress_plugin_host::{CredentialSource, Grant};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, value};

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

    /// Removes the grant of a plugin from the settings file. The sources of its secrets remain.
    pub fn disapprove_plugin(self, id: &str) -> Result<Edited, EditError> {
        self.edit(|document| {
            if let Some(grants) = document.get_mut("grants").and_then(Item::as_table_like_mut) {
                grants.remove(id);
            }
        })
    }
}

fn write_grant(document: &mut DocumentMut, id: &str, grant: &Grant) {
    let mut written = Table::new();
    written["digest"] = value(&grant.digest);
    written["origins"] = value(grant.origins.iter().map(String::as_str).collect::<Array>());
    if !grant.private.is_empty() {
        written["private"] = value(grant.private.iter().map(String::as_str).collect::<Array>());
    }
    // Existing tables are changed in place, which preserves the comments before them.
    let grants = table(document.as_table_mut(), "grants");
    match grants.get_mut(id).and_then(Item::as_table_mut) {
        Some(old) => {
            for (key, item) in written {
                old[&key] = item;
            }
            if grant.private.is_empty() {
                old.remove("private");
            }
        }
        None => grants[id] = Item::Table(written),
    }
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
        credentials[name] = value(inline);
    }
}

/// A subtable that contains only tables; created without its own header when it is missing.
fn table<'a>(within: &'a mut Table, name: &str) -> &'a mut Table {
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
