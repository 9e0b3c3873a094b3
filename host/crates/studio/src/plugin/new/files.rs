//! The files that `plugin new` writes: the examples in `plugins/examples`, and the WIT packages in the layout that WIT
//! tools expect.

/// A file of a new plugin.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) text: &'static str,
}

/// Includes files from a folder of the repository.
macro_rules! files {
    ($folder:literal: $($path:literal),* $(,)?) => {
        &[$(File {
            path: $path,
            text: include_str!(concat!("../../../../../../", $folder, "/", $path)),
        }),*]
    };
}

macro_rules! wit {
    ($($path:literal = $source:literal),* $(,)?) => {
        &[$(File {
            path: $path,
            text: include_str!(concat!("../../../../../../wit/v0/", $source)),
        }),*]
    };
}

/// The package of the world in the root, and its dependencies in `deps`.
pub(super) const WIT: &[File] = wit![
    "wit/image.wit" = "image/image.wit",
    "wit/deps/host/host.wit" = "host/host.wit",
    "wit/deps/types/types.wit" = "types/types.wit",
];

pub(super) const RUST: &[File] = files!["plugins/examples/rust":
    "Cargo.toml", "README.md", "config.json", "plugin.toml", "src/lib.rs", "src/page.rs"
];

pub(super) const JAVASCRIPT: &[File] = files!["plugins/examples/javascript":
    "README.md", "config.json", "package.json", "plugin.toml", "provider.js"
];

pub(super) const PYTHON: &[File] = files!["plugins/examples/python":
    "README.md", "config.json", "plugin.toml", "provider.py"
];
