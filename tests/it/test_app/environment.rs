//! What `cargo xtask test` built for the tests.
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The linepress binary.
pub(crate) fn binary() -> PathBuf {
    from_environment("LINEPRESS_TEST_BINARY")
}

pub(crate) fn from_environment(name: &str) -> PathBuf {
    std::env::var_os(name)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{name} is not set: run the tests with `cargo xtask test`"))
}

/// A plugin folder with those of the shipped plugins and the test bed's that are wanted.
pub(crate) fn plugins_dir(within: &Path, is_wanted: impl Fn(&str) -> bool) -> PathBuf {
    let all = within.join("plugins.d");
    std::fs::create_dir(&all).unwrap();
    for source in ["LINEPRESS_TEST_PLUGINS", "LINEPRESS_TEST_TESTBED"].map(from_environment) {
        for folder in std::fs::read_dir(source).unwrap().map(Result::unwrap) {
            let id = folder.file_name().into_string().unwrap();
            if is_wanted(&id) {
                symlink(folder.path(), all.join(id)).unwrap();
            }
        }
    }
    all
}

/// The plugin folder of a server that runs as a process on this data folder, with all that can be loaded, compiled
/// already.
pub(crate) fn install_plugins(data: &Path) -> PathBuf {
    let compiled = compiled_plugins();
    std::fs::create_dir_all(&compiled).unwrap();
    symlink(compiled, data.join("compiled-plugins")).unwrap();
    plugins_dir(data, is_loadable)
}

/// Whether the plugin is one that a server loads. The others have tests of their own.
pub(crate) fn is_loadable(id: &str) -> bool {
    id.starts_with("linepress.")
        || [
            "testbed.plain",
            "testbed.flaky",
            "testbed.slow",
            "testbed.spin",
            "testbed.trap",
            "testbed.garbage",
            "testbed.flood",
            "testbed.glutton",
            "testbed.babbler",
            "testbed.moody",
        ]
        .contains(&id)
}

/// Where compiled plugins are kept: compiling takes seconds, so once for the whole run.
pub(crate) fn compiled_plugins() -> PathBuf {
    binary().parent().unwrap().join("compiled-test-plugins")
}
