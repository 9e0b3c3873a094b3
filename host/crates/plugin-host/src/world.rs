//! The WIT worlds that this host supports, and the imports that each allows.
use std::collections::BTreeSet;
use std::fmt;

use crate::inspect::Surface;
use crate::log_text::excerpt;
use crate::services::Permission;

/// Maximum size of a quotation from a component or manifest in a refusal.
const MAX_QUOTED_BYTES: usize = 200;

/// The contract that a plugin implements. Versions are semver tracks: `0.1` means every 0.1.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum World {
    ImageProvider,
    BookPlanner,
    BookLayout,
    Reviewer,
}

const TRACK: &str = "0.1";
const WASI_TRACK: &str = "0.2";
const WASI_PACKAGES: [&str; 6] = [
    "wasi:cli",
    "wasi:clocks",
    "wasi:filesystem",
    "wasi:io",
    "wasi:random",
    "wasi:sockets",
];

impl World {
    const ALL: [Self; 4] = [Self::ImageProvider, Self::BookPlanner, Self::BookLayout, Self::Reviewer];

    fn name(self) -> &'static str {
        match self {
            Self::ImageProvider => "linepress:image/image-provider",
            Self::BookPlanner => "linepress:planner/book-planner",
            Self::BookLayout => "linepress:layout/book-layout",
            Self::Reviewer => "linepress:review/reviewer",
        }
    }

    fn export(self) -> &'static str {
        match self {
            Self::ImageProvider => "linepress:image/provider",
            Self::BookPlanner => "linepress:planner/planner",
            Self::BookLayout => "linepress:layout/layout",
            Self::Reviewer => "linepress:review/review",
        }
    }

    /// Returns true for a world without settings, clock and randomness, in which the same input always gives the same
    /// output.
    pub(crate) fn is_pure(self) -> bool {
        self == Self::BookLayout
    }

    /// Parses the world of a manifest, such as `linepress:image/image-provider@0.1`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let quoted = || excerpt(text.to_owned(), MAX_QUOTED_BYTES);
        let known = || Self::ALL.map(|world| world.to_string()).join(", ");
        let (name, version) = text.split_once('@').unwrap_or((text, ""));
        let world = Self::ALL
            .into_iter()
            .find(|world| world.name() == name)
            .ok_or_else(|| format!("world \"{}\" is unknown; this host supports {}", quoted(), known()))?;
        if !is_on_track(version, TRACK) {
            return Err(format!(
                "world \"{}\" has another version; this host supports {}",
                quoted(),
                known()
            ));
        }
        Ok(world)
    }

    /// Checks that the component exports the interface of this world, and imports only what the world allows.
    /// `uses_network` is true if the manifest asks for network access, and `permissions` are the services that it asks
    /// for.
    pub(crate) fn check(
        self,
        surface: &Surface<'_>,
        uses_network: bool,
        permissions: &BTreeSet<Permission>,
    ) -> Result<(), String> {
        if let Some(refusal) = surface
            .imports
            .iter()
            .find_map(|name| self.refuse_import(name, uses_network, permissions))
        {
            return Err(refusal);
        }
        self.check_exports(surface.exports.iter().copied())
    }

    fn refuse_import(self, import: &str, uses_network: bool, permissions: &BTreeSet<Permission>) -> Option<String> {
        let quoted = excerpt(import.to_owned(), MAX_QUOTED_BYTES);
        let (name, version) = import.split_once('@').unwrap_or((import, ""));
        let (package, interface) = name.split_once('/').unwrap_or((name, ""));
        let track = match (package, interface) {
            ("linepress:types", "types") | ("linepress:host", "log") => TRACK,
            ("linepress:host", "config" | "progress") if !self.is_pure() => TRACK,
            ("linepress:host", "store") if permissions.contains(&Permission::Store) => TRACK,
            ("linepress:host", "cache") if permissions.contains(&Permission::Cache) => TRACK,
            ("linepress:host", "store" | "cache") if !self.is_pure() => {
                return Some(format!(
                    "it imports {quoted}, but its manifest does not ask for it: add `{interface} = true` below \
                     [permissions] in plugin.toml, or use a build without it"
                ));
            }
            ("linepress:host", "config" | "progress" | "store" | "cache") => {
                return Some(format!(
                    "it imports {quoted}, which the pure world {self} does not have"
                ));
            }
            ("wasi:http", "types" | "outgoing-handler") if uses_network => WASI_TRACK,
            ("wasi:http", "types" | "outgoing-handler") if !self.is_pure() => {
                return Some(format!(
                    "it imports {quoted}, but its manifest asks for no origin: add [[http]] tables that name the \
                     origins, or use a build without HTTP"
                ));
            }
            (package, _) if WASI_PACKAGES.contains(&package) => WASI_TRACK,
            _ => {
                return Some(format!(
                    "it imports {quoted}, which this host does not offer; a plugin of {self} may import \
                     linepress:types, linepress:host and WASI {WASI_TRACK}"
                ));
            }
        };
        (!is_on_track(version, track))
            .then(|| format!("it imports {quoted}, but this host offers version {track} of it"))
    }

    fn check_exports<'a>(self, exports: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let exports: Vec<_> = exports.collect();
        let found = exports.iter().any(|export| {
            export
                .split_once('@')
                .is_some_and(|(name, version)| name == self.export() && is_on_track(version, TRACK))
        });
        if found {
            return Ok(());
        }
        let exported = if exports.is_empty() {
            "nothing".to_owned()
        } else {
            excerpt(exports.join(", "), MAX_QUOTED_BYTES)
        };
        Err(format!(
            "its manifest names the world {self}, so it must export {}@{TRACK}; it exports {exported}",
            self.export()
        ))
    }
}

impl fmt::Display for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{TRACK}", self.name())
    }
}

/// Returns true if a version belongs to a track: `0.1` and `0.1.7` belong to the track `0.1`, but `0.10.0` does not.
fn is_on_track(version: &str, track: &str) -> bool {
    version
        .strip_prefix(track)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_is_found_by_its_name_and_track() {
        assert_eq!(
            World::parse("linepress:image/image-provider@0.1"),
            Ok(World::ImageProvider)
        );
        assert_eq!(
            World::parse("linepress:layout/book-layout@0.1.4"),
            Ok(World::BookLayout)
        );
        assert_eq!(World::parse("linepress:review/reviewer@0.1"), Ok(World::Reviewer));
        assert!(
            World::parse("linepress:layout/book-layout@0.10")
                .unwrap_err()
                .contains("another version")
        );
        assert!(
            World::parse("linepress:layout/book-layout")
                .unwrap_err()
                .contains("another version")
        );
        assert!(World::parse("acme:image/provider@0.1").unwrap_err().contains("unknown"));
    }

    #[test]
    fn any_release_of_a_track_may_be_imported() {
        for import in [
            "wasi:io/streams@0.2.99",
            "linepress:host/log@0.1.3",
            "linepress:types/types@0.1.0",
        ] {
            assert_eq!(
                World::BookLayout.refuse_import(import, false, &BTreeSet::new()),
                None,
                "{import}"
            );
        }
    }

    #[test]
    fn a_forbidden_import_is_named() {
        let http = "wasi:http/outgoing-handler@0.2.3";
        assert_eq!(World::ImageProvider.refuse_import(http, true, &BTreeSet::new()), None);
        let refusal = World::ImageProvider
            .refuse_import(http, false, &BTreeSet::new())
            .unwrap();
        assert!(refusal.contains(http) && refusal.contains("[[http]]"), "{refusal}");
        for import in [http, "wasi:http/incoming-handler@0.2.3"] {
            assert!(
                World::BookLayout
                    .refuse_import(import, false, &BTreeSet::new())
                    .is_some(),
                "{import}"
            );
        }
        for import in [
            "acme:vault/keys@1.0.0",
            "wasi:io/streams@0.3.0",
            "wasi:http/incoming-handler@0.2.3",
            "wasi:http/outgoing-handler@0.3.0",
            "linepress:host/purse@0.1.0",
            "plain-name",
        ] {
            assert!(
                World::BookPlanner
                    .refuse_import(import, true, &BTreeSet::new())
                    .unwrap()
                    .contains(import)
            );
        }
    }

    #[test]
    fn a_pure_world_has_no_settings() {
        assert_eq!(
            World::BookPlanner.refuse_import("linepress:host/config@0.1.0", false, &BTreeSet::new()),
            None
        );
        assert!(
            World::BookLayout
                .refuse_import("linepress:host/config@0.1.0", false, &BTreeSet::new())
                .unwrap()
                .contains("pure")
        );
    }

    #[test]
    fn the_export_must_match_the_manifest() {
        let exports = ["linepress:planner/planner@0.1.0"];
        assert_eq!(World::BookPlanner.check_exports(exports.into_iter()), Ok(()));
        let refusal = World::ImageProvider.check_exports(exports.into_iter()).unwrap_err();
        assert!(
            refusal
                .ends_with("it must export linepress:image/provider@0.1; it exports linepress:planner/planner@0.1.0")
        );
    }

    #[test]
    fn a_service_may_be_imported_only_by_a_plugin_that_asks_for_it() {
        for (interface, permission) in [("store", Permission::Store), ("cache", Permission::Cache)] {
            let import = format!("linepress:host/{interface}@0.1.0");
            let refuse = |world: World, asked: &[Permission]| {
                world.refuse_import(&import, false, &asked.iter().copied().collect())
            };
            assert_eq!(refuse(World::ImageProvider, &[permission]), None);
            let refusal = refuse(World::BookPlanner, &[]).unwrap();
            assert!(
                refusal.contains(&import) && refusal.contains(&format!("add `{interface} = true` below [permissions]")),
                "{refusal}"
            );
            assert!(refuse(World::BookLayout, &[]).unwrap().contains("pure"));
            let other = format!("linepress:host/{interface}@0.2.0");
            let asked = BTreeSet::from([permission]);
            let refusal = World::ImageProvider.refuse_import(&other, false, &asked).unwrap();
            assert!(refusal.contains("offers version 0.1"), "{refusal}");
        }
    }
}
