//! The difference between two sets of plugins.
use std::collections::BTreeMap;
use std::path::PathBuf;

use semver::Version;

use crate::registry::{Loaded, Refused, States};

/// Plugins that were added, replaced, removed or refused by a reload.
pub(crate) struct Difference {
    pub(crate) added: Vec<Loaded>,
    /// Each new plugin with the version that it replaces.
    pub(crate) replaced: Vec<(Loaded, Version)>,
    pub(crate) removed: Vec<Loaded>,
    /// Each newly refused folder, with the version of its plugin that remains loaded, if any.
    pub(crate) refused: Vec<(PathBuf, Refused, Option<Version>)>,
}

impl Difference {
    pub(crate) fn between(before: &States, next: &States) -> Self {
        let (old, new) = (by_id(before), by_id(next));
        let mut difference = Self {
            added: Vec::new(),
            replaced: Vec::new(),
            removed: Vec::new(),
            refused: Vec::new(),
        };
        for (id, loaded) in &new {
            match old.get(id) {
                None => difference.added.push((*loaded).clone()),
                Some(old) if !loaded.is_same_load(old) => {
                    difference.replaced.push(((*loaded).clone(), old.version.clone()));
                }
                Some(_) => {}
            }
        }
        let removed = old.iter().filter(|(id, _)| !new.contains_key(*id));
        difference.removed = removed.map(|(_, loaded)| (*loaded).clone()).collect();
        for (folder, state) in next {
            let Some(refused) = state.refused.as_ref().filter(|refused| refused.is_problem) else {
                continue;
            };
            if before.get(folder).and_then(|before| before.refused.as_ref()) != Some(refused) {
                let serving = state.loaded.as_ref().map(|loaded| loaded.version.clone());
                difference.refused.push((folder.clone(), refused.clone(), serving));
            }
        }
        difference
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.replaced.is_empty() && self.removed.is_empty() && self.refused.is_empty()
    }

    pub(crate) fn log(&self) {
        for loaded in &self.added {
            loaded.log("plugin loaded");
        }
        for (loaded, before) in &self.replaced {
            loaded.log(&format!(
                "plugin replaced: it was version {before}; running calls finish with the old version"
            ));
        }
        for loaded in &self.removed {
            loaded.log("plugin removed; running calls finish with it");
        }
        for (folder, Refused { id, reason, .. }, serving) in &self.refused {
            // A text field, because the log escapes it: file names may contain control characters.
            let folder = &*folder.to_string_lossy();
            match serving {
                Some(version) => tracing::error!(
                    plugin = id,
                    folder,
                    reason,
                    %version,
                    "plugin refused: the previous version stays loaded"
                ),
                None => tracing::error!(plugin = id, folder, reason, "plugin refused"),
            }
        }
    }
}

fn by_id(states: &States) -> BTreeMap<&str, &Loaded> {
    let loaded = states.values().filter_map(|state| state.loaded.as_ref());
    loaded.map(|loaded| (loaded.id.as_str(), loaded)).collect()
}
