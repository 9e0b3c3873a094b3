//! Programs of the operating system that some tests need. They are installed if that does not require a password, and
//! otherwise reported as missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;

use crate::project;

/// A program, the Debian package that contains it, and the tests that need it.
struct Tool {
    name: &'static str,
    package: &'static str,
    tests: &'static str,
    /// The names of the single tests that fail without the program; `cargo xtask test` leaves them out. Empty for a
    /// program that a whole stage of it needs.
    test_names: &'static [&'static str],
}

const EVERY_FORMAT: &str = "print::editions::every_format_satisfies_the_requirements_of_printers";
const PHOTOGRAPH: &str = "print::editions::a_photograph_keeps_its_tones_and_is_printed_with_black_alone";
const LAYOUT_FORMATS: &str = "rest::layouts::every_format_of_every_layout_prints_at_home";
const LAYOUT_COVERS: &str =
    "rest::layouts::every_layout_has_a_faultless_cover_and_interior_for_each_printer_with_its_size";
const TOOLS: &[Tool] = &[
    Tool {
        name: "initdb",
        package: "postgresql",
        tests: "the start and stop of a temporary PostgreSQL server",
        test_names: &[
            "postgres::tests::a_server_accepts_connections_until_it_is_dropped",
            "postgres::tests::a_frozen_server_is_stopped_when_it_is_dropped",
        ],
    },
    Tool {
        name: "pg_ctl",
        package: "postgresql",
        tests: "the tests on PostgreSQL",
        test_names: &[],
    },
    Tool {
        name: "postgres",
        package: "postgresql",
        tests: "the tests on PostgreSQL",
        test_names: &[],
    },
    Tool {
        name: "pdftoppm",
        package: "poppler-utils",
        tests: "the appearance of printed pages",
        test_names: &[
            "looks::pages_look_as_approved",
            "rest::isbn::the_barcode_on_a_cover_reads_as_the_isbn_of_the_book",
        ],
    },
    Tool {
        name: "pdfinfo",
        package: "poppler-utils",
        tests: "page sizes and boxes of PDFs",
        test_names: &[
            EVERY_FORMAT,
            "rest::editions::each_printer_gets_the_page_size_that_it_requires",
        ],
    },
    Tool {
        name: "pdffonts",
        package: "poppler-utils",
        tests: "embedded fonts of PDFs",
        test_names: &[EVERY_FORMAT, LAYOUT_FORMATS, LAYOUT_COVERS],
    },
    Tool {
        name: "pdfimages",
        package: "poppler-utils",
        tests: "the pictures in PDFs",
        test_names: &[EVERY_FORMAT, PHOTOGRAPH],
    },
    Tool {
        name: "pdftotext",
        package: "poppler-utils",
        tests: "the texts of PDFs",
        test_names: &[
            "print::editions::titles_are_text_and_never_markup",
            "print::processes::changed_templates_apply_to_the_next_book",
            "rest::editions::a_pdf_is_in_the_language_of_its_book",
            "rest::languages::a_book_that_is_read_from_right_to_left_is_bound_on_the_right",
            "rest::languages::the_layouts_texts_are_translated_for_supported_languages",
        ],
    },
    Tool {
        name: "qpdf",
        package: "qpdf",
        tests: "the structure of PDFs",
        test_names: &[EVERY_FORMAT, PHOTOGRAPH, LAYOUT_FORMATS, LAYOUT_COVERS],
    },
    Tool {
        name: "gs",
        package: "ghostscript",
        tests: "the inks of PDFs",
        test_names: &[EVERY_FORMAT, PHOTOGRAPH, LAYOUT_FORMATS, LAYOUT_COVERS],
    },
    Tool {
        name: "curl",
        package: "curl",
        tests: "the examples of the guides with curl",
        test_names: &[],
    },
    Tool {
        name: "jq",
        package: "jq",
        tests: "the examples of the guides with curl",
        test_names: &[],
    },
    Tool {
        name: "chromium",
        package: "chromium",
        tests: "the web pages in a browser",
        test_names: &[],
    },
];

/// The paths of the installed programs, by name.
pub(crate) struct Tools {
    found: BTreeMap<&'static str, PathBuf>,
}

impl Tools {
    /// Finds all programs. Missing programs are first installed if that does not require a password.
    pub(crate) fn find_or_install() -> Self {
        let missing = TOOLS.iter().filter(|tool| find(tool.name).is_none());
        let mut packages: Vec<&str> = missing.map(|tool| tool.package).collect();
        packages.dedup();
        // The tests that need a program that is still missing are reported as skipped.
        if !packages.is_empty()
            && let Err(error) = install(&packages)
        {
            eprintln!("{error:#}");
        }
        Self::find()
    }

    /// Finds all programs.
    pub(crate) fn find() -> Self {
        let found = TOOLS.iter().filter_map(|tool| Some((tool.name, find(tool.name)?)));
        Self { found: found.collect() }
    }

    /// Returns the path of a program, or `None` if it is missing.
    pub(crate) fn path(&self, name: &str) -> Option<&Path> {
        self.found.get(name).map(PathBuf::as_path)
    }

    /// Returns a line for each missing program, with the tests that are skipped and the reason.
    pub(crate) fn skips(&self) -> Vec<String> {
        let line = |tool: &Tool| {
            let Tool {
                name,
                package,
                tests,
                test_names,
            } = tool;
            let count = match test_names.len() {
                0 => String::new(),
                1 => " (1 test)".to_owned(),
                count => format!(" ({count} tests)"),
            };
            format!("{tests}{count}: {name} (package {package}) is not installed")
        };
        self.missing().map(line).collect()
    }

    /// Returns the names of the tests that need a missing program.
    pub(crate) fn skipped_tests(&self) -> BTreeSet<&'static str> {
        self.missing().flat_map(|tool| tool.test_names).copied().collect()
    }

    fn missing(&self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(|tool| !self.found.contains_key(tool.name))
    }
}

/// Returns the folders with the server programs of PostgreSQL, the newest version first. Debian does not put them on
/// the PATH.
fn postgres_folders() -> Vec<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort_by(|one, other| other.cmp(one));
    versions.into_iter().map(|(_, folder)| folder).collect()
}

/// Returns the path of a program, or `None` if it is not installed.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // The programs themselves are preferred to wrappers on the PATH, which may change the user or the settings.
    let folders = postgres_folders().into_iter().chain(std::env::split_paths(&path));
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folders
        .map(|folder| folder.join(&file))
        .find(|program| program.is_file())
}

/// Installs packages as root, or in continuous integration with sudo, if that does not require a password.
pub(crate) fn install(packages: &[&str]) -> anyhow::Result<()> {
    let sudo = !is_root();
    ensure!(
        find("apt-get").is_some() && (!sudo || in_ci() && sudo_needs_no_password()),
        "not installed: {}",
        packages.join(", ")
    );
    let apt = || {
        let mut apt = Command::new(if sudo { "sudo" } else { "env" });
        if sudo {
            apt.args(["-n", "env"]);
        }
        apt.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        apt
    };
    println!("Installing {}", packages.join(", "));
    project::run(apt().arg("update"))?;
    project::run(
        apt()
            .args(["install", "--yes", "--no-install-recommends"])
            .args(packages),
    )
}

fn sudo_needs_no_password() -> bool {
    find("sudo").is_some() && project::read(Command::new("sudo").args(["-n", "true"])).is_ok()
}

/// Returns true in continuous integration, where the service sets CI=true and no test may be skipped.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

/// Returns true if this program runs as root.
pub(crate) fn is_root() -> bool {
    project::read(Command::new("id").arg("-u")).is_ok_and(|id| id == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_listed_with_its_tests() {
        let tools = Tools {
            found: BTreeMap::from([("qpdf", PathBuf::from("/usr/bin/qpdf"))]),
        };
        assert!(tools.path("qpdf").is_some());
        assert!(tools.path("gs").is_none());
        let skips = tools.skips();
        assert_eq!(skips.len(), TOOLS.len() - 1);
        assert!(skips.contains(&"the inks of PDFs (4 tests): gs (package ghostscript) is not installed".to_owned()));
        assert!(tools.skipped_tests().contains(EVERY_FORMAT));
        assert!(!tools.skipped_tests().iter().any(|name| name.is_empty()));
    }
}
