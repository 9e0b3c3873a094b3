//! The crates, source files and documents of the project.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A crate of the workspace.
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) folder: PathBuf,
    /// The workspace's crates that it depends on, sorted, without those that only its tests need.
    pub(super) dependencies: Vec<String>,
    /// All that it depends on.
    pub(super) all_dependencies: BTreeSet<String>,
}

/// The folder of the project.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The crates of the server, sorted by name: `host` and those in `host/crates`.
pub(super) fn crates() -> Vec<Crate> {
    let host = root().join("host");
    let mut folders: Vec<PathBuf> = folders_in(&host.join("crates"));
    folders.push(host);
    let mut crates: Vec<Crate> = folders.into_iter().map(read_crate).collect();
    crates.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(crates.len() > 15, "the crates are in {}", root().display());
    crates
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.join("Cargo.toml").is_file()).collect()
}

fn read_crate(folder: PathBuf) -> Crate {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let package = |key: &str| manifest["package"][key].as_str().unwrap().to_owned();
    let all_dependencies: BTreeSet<String> = match manifest.get("dependencies") {
        Some(table) => table.as_table().unwrap().keys().cloned().collect(),
        None => BTreeSet::new(),
    };
    let dependencies = all_dependencies.iter().filter(|name| name.starts_with("linepress-"));
    Crate {
        name: package("name"),
        description: package("description"),
        dependencies: dependencies.cloned().collect(),
        all_dependencies,
        folder,
    }
}

/// The Rust files below a folder of the project, by their path in the project.
pub(super) fn all_sources(folder: &str) -> Vec<(PathBuf, String)> {
    let root = root();
    let mut files = Vec::new();
    gather(&root.join(folder), "rs", &mut files);
    assert!(files.len() > 100, "the sources are in {}", root.display());
    files.into_iter().map(|path| read_relative(&root, &path)).collect()
}

/// The Markdown files of the project.
pub(super) fn documents() -> Vec<(PathBuf, String)> {
    let root = root();
    let mut files = Vec::new();
    for folder in ["docs", "plugins", "wit", "templates", "tests", ".github"] {
        gather(&root.join(folder), "md", &mut files);
    }
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    files.sort();
    files.into_iter().map(|path| read_relative(&root, &path)).collect()
}

fn read_relative(root: &Path, path: &Path) -> (PathBuf, String) {
    let text = std::fs::read_to_string(path).unwrap();
    (path.strip_prefix(root).unwrap().to_owned(), text)
}

/// Adds the files with this extension below a folder, sorted; folders of builds and packages are left out.
pub(super) fn gather(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "node_modules", "vendor"].contains(&name.as_str()) {
                gather(&path, extension, files);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
}

/// A path that a document names.
pub(super) struct NamedPath {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) path: PathBuf,
}

/// The relative links of a document, and the paths in backticks that begin with a folder at the top of the project.
pub(super) fn named_paths(document: &Path, text: &str) -> Vec<NamedPath> {
    const TOP: [&str; 8] = [
        "docs/",
        "host/",
        "migrations/",
        "plugins/",
        "templates/",
        "tests/",
        "wit/",
        "xtask/",
    ];
    let root = root();
    let folder = root.join(document.parent().unwrap());
    let mut found = Vec::new();
    let mut is_code = false;
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        for link in content.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split(['#', ' ']).next().unwrap();
            if !target.is_empty() && !target.contains(':') {
                let path = folder.join(target);
                found.push(NamedPath {
                    line,
                    text: link.to_owned(),
                    path,
                });
            }
        }
        for quoted in content.split('`').skip(1).step_by(2) {
            let is_path = TOP.iter().any(|top| quoted.starts_with(top));
            // A pattern, or a path with a name to fill in, is not one file.
            let is_exact = !quoted.contains([' ', '*', '<', '{', '$', ':']) && !quoted.contains("...");
            if is_path && is_exact && !has_placeholder(quoted) {
                found.push(NamedPath {
                    line,
                    text: quoted.to_owned(),
                    path: root.join(quoted),
                });
            }
        }
    }
    found
}

/// Returns true if a part of the path is a name to fill in, such as `NAME` in `plugins/NAME/plugin.toml`: a word of at
/// least two letters, all of them uppercase. The files `README` and `NOTICE` really have such names.
fn has_placeholder(path: &str) -> bool {
    const FILE_NAMES: [&str; 2] = ["README", "NOTICE"];
    path.split(['/', '.', '-', '_']).any(|part| {
        let is_uppercase_word = part.len() > 1 && part.chars().all(char::is_alphabetic) && part.to_uppercase() == part;
        is_uppercase_word && !FILE_NAMES.contains(&part)
    })
}
