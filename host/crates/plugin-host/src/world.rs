//! The WIT worlds that this host supports, and the imports that each allows.
use std::collections::BTreeSet;
use std::fmt;

use crate::inspect::Surface;
use crate::log_text::excerpt;
use crate::services::Permission;

/// Maximum size of a quotation from a component or manifest in a refusal.
const MAX_QUOTED_BYTES: usize = 200;

/// The contract that a plugin implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(crate) version: ContractVersion,
}

/// The kind of a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ImageProvider,
    BookPlanner,
    BookLayout,
    Reviewer,
}

/// A version of a world, named after the folder of `wit/` that defines it. It is a semver track: `0.1` means every
/// 0.1.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContractVersion {
    V0,
    V1,
}

/// The optional interface of image providers.
const VOCABULARY: &str = "linepress:image/vocabulary";

/// The version of the packages `linepress:types` and `linepress:host`, which every version of a world imports.
const HOST_TRACK: &str = "0.1";
const WASI_TRACK: &str = "0.2";
const WASI_PACKAGES: [&str; 6] = [
    "wasi:cli",
    "wasi:clocks",
    "wasi:filesystem",
    "wasi:io",
    "wasi:random",
    "wasi:sockets",
];

impl ContractVersion {
    fn track(self) -> &'static str {
        match self {
            Self::V0 => "0.1",
            Self::V1 => "1",
        }
    }
}

impl Kind {
    const ALL: [Self; 4] = [Self::ImageProvider, Self::BookPlanner, Self::BookLayout, Self::Reviewer];

    /// The versions of its world that this host supports.
    fn versions(self) -> &'static [ContractVersion] {
        match self {
            Self::ImageProvider | Self::Reviewer => &[ContractVersion::V0, ContractVersion::V1],
            Self::BookPlanner | Self::BookLayout => &[ContractVersion::V0],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::ImageProvider => "linepress:image/image-provider",
            Self::BookPlanner => "linepress:planner/book-planner",
            Self::BookLayout => "linepress:layout/book-layout",
            Self::Reviewer => "linepress:review/reviewer",
        }
    }

    /// The interface that its components export.
    fn export(self) -> &'static str {
        match self {
            Self::ImageProvider => "linepress:image/provider",
            Self::BookPlanner => "linepress:planner/planner",
            Self::BookLayout => "linepress:layout/layout",
            Self::Reviewer => "linepress:review/review",
        }
    }

    fn worlds(self) -> impl Iterator<Item = World> {
        self.versions().iter().map(move |version| World {
            kind: self,
            version: *version,
        })
    }
}

impl World {
    /// Returns true for a world without settings, clock and randomness, in which the same input always gives the same
    /// output.
    pub(crate) fn is_pure(self) -> bool {
        self.kind == Kind::BookLayout
    }

    /// Parses the world of a manifest, such as `linepress:image/image-provider@0.1`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let refusal = |problem: &str| {
            let worlds = Kind::ALL.into_iter().flat_map(Kind::worlds);
            let known: Vec<_> = worlds.map(|world| world.to_string()).collect();
            let quoted = excerpt(text.to_owned(), MAX_QUOTED_BYTES);
            format!("world \"{quoted}\" {problem}; this host supports {}", known.join(", "))
        };
        let (name, version) = text.split_once('@').unwrap_or((text, ""));
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| refusal("is unknown"))?;
        let mut worlds = kind.worlds();
        let world = worlds.find(|world| is_on_track(version, world.version.track()));
        world.ok_or_else(|| refusal("has another version"))
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
            ("linepress:types", "types") | ("linepress:host", "log") => HOST_TRACK,
            ("linepress:host", "config" | "progress") if !self.is_pure() => HOST_TRACK,
            ("linepress:host", "store") if permissions.contains(&Permission::Store) => HOST_TRACK,
            ("linepress:host", "cache") if permissions.contains(&Permission::Cache) => HOST_TRACK,
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
        if self.is_among(&exports) {
            return self.check_vocabulary(&exports);
        }
        if let Some(other) = self.kind.worlds().find(|world| world.is_among(&exports)) {
            return Err(format!(
                "its manifest names the world {self}, but its component implements {other}: write `world = \"{other}\"` \
                 in plugin.toml"
            ));
        }
        let exported = if exports.is_empty() {
            "nothing".to_owned()
        } else {
            excerpt(exports.join(", "), MAX_QUOTED_BYTES)
        };
        Err(format!(
            "its manifest names the world {self}, so it must export {}@{}; it exports {exported}",
            self.kind.export(),
            self.version.track()
        ))
    }

    /// Checks that the vocabulary of an image provider, which is optional, has the version of the world: the server
    /// asks no other one.
    fn check_vocabulary(self, exports: &[&str]) -> Result<(), String> {
        let exported = exports.iter().filter_map(|export| export.split_once('@'));
        let versions: Vec<&str> = exported
            .filter_map(|(name, version)| (name == VOCABULARY).then_some(version))
            .collect();
        let is_right = |version: &&str| is_on_track(version, self.version.track());
        let other = match versions.first() {
            Some(other) if self.kind == Kind::ImageProvider && !versions.iter().any(is_right) => *other,
            _ => return Ok(()),
        };
        let other = excerpt(other.to_owned(), MAX_QUOTED_BYTES);
        let (version, module) = match self.version {
            ContractVersion::V0 => ("0.1.0", "vocabulary"),
            ContractVersion::V1 => ("1.0.0", "v1::vocabulary"),
        };
        Err(format!(
            "its manifest names the world {self}, but it exports {VOCABULARY}@{other}, which that world does not have: \
             export {VOCABULARY}@{version}, in Rust with `linepress_plugin_sdk::{module}::export!`"
        ))
    }

    /// Returns true if one of these exports is the interface of this world in this version.
    fn is_among(self, exports: &[&str]) -> bool {
        exports.iter().any(|export| {
            export
                .split_once('@')
                .is_some_and(|(name, version)| name == self.kind.export() && is_on_track(version, self.version.track()))
        })
    }
}

impl fmt::Display for World {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.kind.name(), self.version.track())
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

    const IMAGE_PROVIDER: World = world(Kind::ImageProvider, ContractVersion::V0);
    const BOOK_PLANNER: World = world(Kind::BookPlanner, ContractVersion::V0);
    const BOOK_LAYOUT: World = world(Kind::BookLayout, ContractVersion::V0);

    const fn world(kind: Kind, version: ContractVersion) -> World {
        World { kind, version }
    }

    #[test]
    fn a_world_is_found_by_its_name_and_track() {
        for (text, kind, version) in [
            (
                "linepress:image/image-provider@0.1",
                Kind::ImageProvider,
                ContractVersion::V0,
            ),
            (
                "linepress:image/image-provider@1",
                Kind::ImageProvider,
                ContractVersion::V1,
            ),
            (
                "linepress:image/image-provider@1.0.0",
                Kind::ImageProvider,
                ContractVersion::V1,
            ),
            (
                "linepress:layout/book-layout@0.1.4",
                Kind::BookLayout,
                ContractVersion::V0,
            ),
            ("linepress:review/reviewer@0.1", Kind::Reviewer, ContractVersion::V0),
            ("linepress:review/reviewer@1.0", Kind::Reviewer, ContractVersion::V1),
        ] {
            assert_eq!(World::parse(text), Ok(world(kind, version)), "{text}");
        }
        for text in [
            "linepress:layout/book-layout@0.10",
            "linepress:layout/book-layout@1",
            "linepress:layout/book-layout",
            "linepress:review/reviewer@10",
            "linepress:review/reviewer@2",
        ] {
            let refusal = World::parse(text).unwrap_err();
            assert!(refusal.contains("another version"), "{refusal}");
        }
        let refusal = World::parse("acme:image/provider@0.1").unwrap_err();
        assert!(refusal.contains("unknown"), "{refusal}");
        assert!(
            refusal.contains("image-provider@0.1, linepress:image/image-provider@1, "),
            "{refusal}"
        );
    }

    #[test]
    fn any_release_of_a_track_may_be_imported() {
        for import in [
            "wasi:io/streams@0.2.99",
            "linepress:host/log@0.1.3",
            "linepress:types/types@0.1.0",
        ] {
            assert_eq!(
                BOOK_LAYOUT.refuse_import(import, false, &BTreeSet::new()),
                None,
                "{import}"
            );
        }
    }

    #[test]
    fn a_forbidden_import_is_named() {
        let http = "wasi:http/outgoing-handler@0.2.3";
        assert_eq!(IMAGE_PROVIDER.refuse_import(http, true, &BTreeSet::new()), None);
        let refusal = IMAGE_PROVIDER.refuse_import(http, false, &BTreeSet::new()).unwrap();
        assert!(refusal.contains(http) && refusal.contains("[[http]]"), "{refusal}");
        for import in [http, "wasi:http/incoming-handler@0.2.3"] {
            assert!(
                BOOK_LAYOUT.refuse_import(import, false, &BTreeSet::new()).is_some(),
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
                BOOK_PLANNER
                    .refuse_import(import, true, &BTreeSet::new())
                    .unwrap()
                    .contains(import)
            );
        }
    }

    #[test]
    fn a_pure_world_has_no_settings() {
        assert_eq!(
            BOOK_PLANNER.refuse_import("linepress:host/config@0.1.0", false, &BTreeSet::new()),
            None
        );
        assert!(
            BOOK_LAYOUT
                .refuse_import("linepress:host/config@0.1.0", false, &BTreeSet::new())
                .unwrap()
                .contains("pure")
        );
    }

    #[test]
    fn the_export_must_match_the_manifest() {
        let exports = ["linepress:planner/planner@0.1.0"];
        assert_eq!(BOOK_PLANNER.check_exports(exports.into_iter()), Ok(()));
        let refusal = IMAGE_PROVIDER.check_exports(exports.into_iter()).unwrap_err();
        assert!(
            refusal
                .ends_with("it must export linepress:image/provider@0.1; it exports linepress:planner/planner@0.1.0")
        );
    }

    #[test]
    fn a_component_of_another_version_is_refused_with_the_line_to_write() {
        let exports = ["linepress:image/provider@1.0.0", "linepress:image/vocabulary@1.0.0"];
        let newer = world(Kind::ImageProvider, ContractVersion::V1);
        assert_eq!(newer.check_exports(exports.into_iter()), Ok(()));
        let refusal = IMAGE_PROVIDER.check_exports(exports.into_iter()).unwrap_err();
        assert!(
            refusal.contains("write `world = \"linepress:image/image-provider@1\"` in plugin.toml"),
            "{refusal}"
        );
        // Both versions in one component: the manifest decides.
        let both = ["linepress:review/review@0.1.0", "linepress:review/review@1.0.0"];
        for version in [ContractVersion::V0, ContractVersion::V1] {
            assert_eq!(world(Kind::Reviewer, version).check_exports(both.into_iter()), Ok(()));
        }
    }

    #[test]
    fn the_vocabulary_must_have_the_version_of_the_provider() {
        let newer = world(Kind::ImageProvider, ContractVersion::V1);
        let (old, new) = ("linepress:image/vocabulary@0.1.0", "linepress:image/vocabulary@1.0.0");
        for (provider, export, good, bad, line) in [
            (
                IMAGE_PROVIDER,
                "linepress:image/provider@0.1.0",
                old,
                new,
                "`linepress_plugin_sdk::vocabulary::export!`",
            ),
            (
                newer,
                "linepress:image/provider@1.0.0",
                new,
                old,
                "`linepress_plugin_sdk::v1::vocabulary::export!`",
            ),
        ] {
            for exports in [vec![export], vec![export, good], vec![export, bad, good]] {
                assert_eq!(provider.check_exports(exports.into_iter()), Ok(()));
            }
            let refusal = provider.check_exports([export, bad].into_iter()).unwrap_err();
            for part in [bad, good, line] {
                assert!(refusal.contains(part), "{refusal}");
            }
        }
    }

    #[test]
    fn a_service_may_be_imported_only_by_a_plugin_that_asks_for_it() {
        for (interface, permission) in [("store", Permission::Store), ("cache", Permission::Cache)] {
            let import = format!("linepress:host/{interface}@0.1.0");
            let refuse = |world: World, asked: &[Permission]| {
                world.refuse_import(&import, false, &asked.iter().copied().collect())
            };
            assert_eq!(refuse(IMAGE_PROVIDER, &[permission]), None);
            let refusal = refuse(BOOK_PLANNER, &[]).unwrap();
            assert!(
                refusal.contains(&import) && refusal.contains(&format!("add `{interface} = true` below [permissions]")),
                "{refusal}"
            );
            assert!(refuse(BOOK_LAYOUT, &[]).unwrap().contains("pure"));
            let other = format!("linepress:host/{interface}@0.2.0");
            let asked = BTreeSet::from([permission]);
            let refusal = IMAGE_PROVIDER.refuse_import(&other, false, &asked).unwrap();
            assert!(refusal.contains("offers version 0.1"), "{refusal}");
        }
    }
}
