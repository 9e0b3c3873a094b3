//! The files that `cargo xtask test` builds for the tests.
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Returns the path of the linepress binary.
pub(crate) fn binary() -> PathBuf {
    from_environment("LINEPRESS_TEST_BINARY")
}

pub(crate) fn from_environment(name: &str) -> PathBuf {
    std::env::var_os(name)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{name} is not set: run the tests with `cargo xtask test`"))
}

/// Creates a plugin folder with the wanted plugins out of the shipped ones and the test bed.
pub(crate) fn plugins_dir(within: &Path, is_wanted: impl Fn(&str) -> bool) -> PathBuf {
    let built = ["LINEPRESS_TEST_PLUGINS", "LINEPRESS_TEST_TESTBED"].map(from_environment);
    plugins_dir_of(&built, within, is_wanted)
}

/// Creates a plugin folder with the wanted plugins out of these folders.
pub(crate) fn plugins_dir_of(sources: &[PathBuf], within: &Path, is_wanted: impl Fn(&str) -> bool) -> PathBuf {
    let all = within.join("plugins.d");
    std::fs::create_dir(&all).unwrap();
    for source in sources {
        for folder in std::fs::read_dir(source).unwrap().map(Result::unwrap) {
            let id = folder.file_name().into_string().unwrap();
            if is_wanted(&id) {
                symlink(folder.path(), all.join(id)).unwrap();
            }
        }
    }
    all
}

/// Creates the plugin folder of a server process with this data folder: the loadable plugins, already compiled. Of the
/// layouts only the classic one is there, because `linepress doctor` prints a sample with each template.
pub(crate) fn install_plugins(data: &Path) -> PathBuf {
    let compiled = compiled_plugins();
    std::fs::create_dir_all(&compiled).unwrap();
    symlink(compiled, data.join("compiled-plugins")).unwrap();
    let is_another_layout = |id: &str| ["linepress.print-on-demand", "linepress.storybook"].contains(&id);
    plugins_dir(data, |id| is_loadable(id) && !is_another_layout(id))
}

/// Reports whether a server loads the plugin. The other plugins have separate tests.
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
            "testbed.critic",
        ]
        .contains(&id)
}

/// Returns the cache of compiled plugins, shared by the whole run because compiling takes seconds.
pub(crate) fn compiled_plugins() -> PathBuf {
    binary().parent().unwrap().join("compiled-test-plugins")
}

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
