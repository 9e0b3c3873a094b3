//! What came, went and was replaced between two sets of plugins.
use std::collections::BTreeMap;
use std::path::PathBuf;

use semver::Version;

use crate::registry::{Loaded, Refused, States};

/// What came, went and was replaced.
pub(crate) struct Difference {
    pub(crate) come: Vec<Loaded>,
    /// The new one, and the version it replaces.
    pub(crate) replaced: Vec<(Loaded, Version)>,
    pub(crate) gone: Vec<Loaded>,
    /// Why a folder is not loaded, and what of it serves nevertheless.
    pub(crate) refused: Vec<(PathBuf, Refused, Option<Version>)>,
}

impl Difference {
    pub(crate) fn between(before: &States, next: &States) -> Self {
        let (old, new) = (by_id(before), by_id(next));
        let mut difference = Self {
            come: Vec::new(),
            replaced: Vec::new(),
            gone: Vec::new(),
            refused: Vec::new(),
        };
        for (id, loaded) in &new {
            match old.get(id) {
                None => difference.come.push((*loaded).clone()),
                Some(old) if old.number != loaded.number => {
                    difference.replaced.push(((*loaded).clone(), old.version.clone()));
                }
                Some(_) => {}
            }
        }
        let gone = old.iter().filter(|(id, _)| !new.contains_key(*id));
        difference.gone = gone.map(|(_, loaded)| (*loaded).clone()).collect();
        for (folder, state) in next {
            let Some(refused) = &state.refused else { continue };
            if before.get(folder).and_then(|before| before.refused.as_ref()) != Some(refused) {
                let serving = state.loaded.as_ref().map(|loaded| loaded.version.clone());
                difference.refused.push((folder.clone(), refused.clone(), serving));
            }
        }
        difference
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.come.is_empty() && self.replaced.is_empty() && self.gone.is_empty() && self.refused.is_empty()
    }

    pub(crate) fn log(&self) {
        for loaded in &self.come {
            loaded.log("plugin loaded");
        }
        for (loaded, before) in &self.replaced {
            loaded.log(&format!(
                "plugin replaced: it was version {before}; calls that have begun end with that"
            ));
        }
        for loaded in &self.gone {
            loaded.log("plugin removed; calls that have begun end with it");
        }
        for (folder, Refused { id, reason, .. }, serving) in &self.refused {
            // As text, which the log escapes: names of files may hold anything.
            let folder = &*folder.to_string_lossy();
            match serving {
                Some(version) => tracing::error!(
                    plugin = id,
                    folder,
                    reason,
                    %version,
                    "plugin refused: the version that was there goes on serving"
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
