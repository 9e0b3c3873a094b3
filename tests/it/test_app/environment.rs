//! What `cargo xtask test` built for the tests.
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

/// One folder with links to the shipped plugins and the test bed's.
pub(crate) fn plugins_dir(within: &Path) -> PathBuf {
    let all = within.join("plugins.d");
    std::fs::create_dir(&all).unwrap();
    for source in ["LINEPRESS_TEST_PLUGINS", "LINEPRESS_TEST_TESTBED"].map(from_environment) {
        for folder in std::fs::read_dir(source).unwrap().map(Result::unwrap) {
            let id = folder.file_name().into_string().unwrap();
            // The others misbehave at load, and have tests of their own.
            if [
                "linepress.",
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
            .iter()
            .any(|wanted| id.starts_with(wanted))
            {
                std::os::unix::fs::symlink(folder.path(), all.join(id)).unwrap();
            }
        }
    }
    all
}
