//! The files that `plugin new` writes: the examples in `plugins/examples`, and the WIT packages in the layout that WIT
//! tools expect.

/// A file of a new plugin.
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) text: &'static str,
}

/// A file that contains no names.
pub(super) struct BinaryFile {
    pub(super) path: &'static str,
    pub(super) bytes: &'static [u8],
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

/// The package of the world in the root, and its dependencies in `deps`.
macro_rules! wit {
    ($path:literal = $source:literal) => {
        &[
            File {
                path: $path,
                text: include_str!(concat!("../../../../../../wit/v0/", $source)),
            },
            File {
                path: "wit/deps/host/host.wit",
                text: include_str!("../../../../../../wit/v0/host/host.wit"),
            },
            File {
                path: "wit/deps/host/services.wit",
                text: include_str!("../../../../../../wit/v0/host/services.wit"),
            },
            File {
                path: "wit/deps/types/types.wit",
                text: include_str!("../../../../../../wit/v0/types/types.wit"),
            },
        ]
    };
}

pub(super) const IMAGE_WIT: &[File] = wit!["wit/image.wit" = "image/image.wit"];
pub(super) const PLANNER_WIT: &[File] = wit!["wit/planner.wit" = "planner/planner.wit"];
pub(super) const LAYOUT_WIT: &[File] = wit!["wit/layout.wit" = "layout/layout.wit"];
pub(super) const REVIEWER_WIT: &[File] = wit!["wit/review.wit" = "review/review.wit"];

pub(super) const RUST_PROVIDER: &[File] = files!["plugins/examples/rust":
    "Cargo.toml", "README.md", "config.json", "plugin.toml", "src/lib.rs", "src/page.rs"
];
pub(super) const JAVASCRIPT_PROVIDER: &[File] = files!["plugins/examples/javascript":
    "README.md", "config.json", "package.json", "plugin.toml", "provider.js"
];
pub(super) const PYTHON_PROVIDER: &[File] = files!["plugins/examples/python":
    "README.md", "config.json", "plugin.toml", "provider.py"
];

pub(super) const RUST_PLANNER: &[File] = files!["plugins/examples/planner/rust":
    "Cargo.toml", "README.md", "config.json", "plugin.toml", "src/lib.rs"
];
pub(super) const JAVASCRIPT_PLANNER: &[File] = files!["plugins/examples/planner/javascript":
    "README.md", "config.json", "package.json", "planner.js", "plugin.toml"
];
pub(super) const PYTHON_PLANNER: &[File] = files!["plugins/examples/planner/python":
    "README.md", "config.json", "planner.py", "plugin.toml"
];

pub(super) const RUST_LAYOUT: &[File] = files!["plugins/examples/layout/rust":
    "Cargo.toml", "README.md", "plugin.toml", "src/lib.rs"
];
pub(super) const JAVASCRIPT_LAYOUT: &[File] = files!["plugins/examples/layout/javascript":
    "README.md", "layout.js", "package.json", "plugin.toml"
];
pub(super) const PYTHON_LAYOUT: &[File] = files!["plugins/examples/layout/python":
    "README.md", "layout.py", "plugin.toml"
];

pub(super) const RUST_REVIEWER: &[File] = files!["plugins/examples/reviewer/rust":
    "Cargo.toml", "README.md", "config.json", "plugin.toml", "src/lib.rs"
];
pub(super) const JAVASCRIPT_REVIEWER: &[File] = files!["plugins/examples/reviewer/javascript":
    "README.md", "config.json", "package.json", "plugin.toml", "reviewer.js"
];
pub(super) const PYTHON_REVIEWER: &[File] = files!["plugins/examples/reviewer/python":
    "README.md", "config.json", "plugin.toml", "reviewer.py"
];

/// The templates of a new layout in any language.
pub(super) const TEMPLATES: &[File] = files!["plugins/examples/layout":
    "templates/book.typ", "templates/landscape.typ", "templates/letter.typ", "templates/square.typ"
];

/// The font of these templates, with its license.
pub(super) const FONTS: &[BinaryFile] = &[
    BinaryFile {
        path: "templates/fonts/Nunito-Regular.ttf",
        bytes: include_bytes!("../../../../../../templates/classic/fonts/Nunito-Regular.ttf"),
    },
    BinaryFile {
        path: "templates/fonts/Nunito-OFL.txt",
        bytes: include_bytes!("../../../../../../templates/classic/fonts/Nunito-OFL.txt"),
    },
];
