//! The map of the source, docs/map.md.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::graph::module_edges;
use super::sources::{Crate, all_sources, crates, root};

/// The text of docs/map.md.
pub(super) fn write() -> String {
    let mut map = String::from(
        "# Map\n\nThe crates of the server with their dependencies, the modules of each crate, and the tables of the database. A test \
         compares this page with the source; [design.md](design.md) gives the reasons, and [glossary.md](glossary.md) the terms.\n",
    );
    let crates = crates();
    map += "\n## Crates\n\n| crate | purpose | depends on |\n|---|---|---|\n";
    for Crate {
        name,
        description,
        folder,
        dependencies,
        ..
    } in &crates
    {
        let short: Vec<&str> = dependencies
            .iter()
            .map(|name| name.trim_start_matches("linepress-"))
            .collect();
        let link = folder.strip_prefix(root()).unwrap().display();
        let _ = writeln!(map, "| [`{name}`](../{link}) | {description} | {} |", short.join(", "));
    }
    for Crate { name, folder, .. } in &crates {
        let _ = write!(map, "\n## {name}\n\n| module | contents | imports |\n|---|---|---|\n");
        for (module, imports) in module_edges(&folder.join("src")) {
            let imports = Vec::from_iter(imports).join(", ");
            let _ = writeln!(
                map,
                "| `{module}` | {} | {imports} |",
                first_line(&folder.join("src"), &module)
            );
        }
    }
    map += "\n## Tables\n\n| table | written and read by |\n|---|---|\n";
    for (table, modules) in tables() {
        let _ = writeln!(map, "| `{table}` | {} |", modules.join(", "));
    }
    map
}

/// The first line of the module's documentation.
fn first_line(source: &Path, module: &str) -> String {
    let file = [source.join(format!("{module}.rs")), source.join(module).join("mod.rs")];
    let file = file.into_iter().find(|file| file.is_file()).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut sentence = String::new();
    for line in text.lines().map_while(|line| line.strip_prefix("//!")) {
        sentence += line;
        if line.trim().is_empty() || sentence.contains(". ") || sentence.ends_with('.') {
            break;
        }
    }
    assert!(
        !sentence.is_empty(),
        "{} begins without a line that says what it is",
        file.display()
    );
    let end = sentence.find(". ").map_or(sentence.len(), |end| end + 1);
    sentence[..end].trim().to_owned()
}

/// Each table of the migrations, with the modules whose statements name it.
fn tables() -> BTreeMap<String, Vec<String>> {
    let mut tables = BTreeMap::new();
    for text in migrations() {
        for (kind, rest) in text.lines().filter_map(|line| line.trim().split_once(" TABLE ")) {
            let name = rest
                .trim_start_matches("IF EXISTS ")
                .split([' ', '(', ';'])
                .next()
                .unwrap()
                .to_owned();
            match kind {
                "CREATE" => {
                    tables.insert(name, Vec::new());
                }
                "DROP" => {
                    tables.remove(&name);
                }
                "ALTER" => {
                    if let Some(new_name) = rest
                        .split_once(" RENAME TO ")
                        .map(|(_, new)| new.trim_end_matches(';').to_owned())
                    {
                        tables.remove(&name);
                        tables.insert(new_name, Vec::new());
                    }
                }
                _ => {}
            }
        }
    }
    for (path, text) in all_sources("host/crates") {
        let is_store = path.ends_with("store.rs") || path.starts_with("host/crates/platform/src/database");
        if !is_store {
            continue;
        }
        let module = module_of(&path);
        for (table, modules) in &mut tables {
            if names(&text, table) && !modules.contains(&module) {
                modules.push(module.clone());
            }
        }
    }
    let unused: Vec<&String> = tables
        .iter()
        .filter(|(_, modules)| modules.is_empty())
        .map(|(table, _)| table)
        .collect();
    assert!(unused.is_empty(), "no statement names the tables {unused:?}");
    tables
}

fn migrations() -> Vec<String> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("migrations"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

/// The module of a source in `host/crates/*/src`.
fn module_of(path: &Path) -> String {
    let module = path.iter().nth(4).unwrap().to_string_lossy();
    module.trim_end_matches(".rs").to_owned()
}

/// Returns true if a statement in the text names the table.
fn names(text: &str, table: &str) -> bool {
    ["FROM", "INTO", "UPDATE", "JOIN"].iter().any(|word| {
        text.match_indices(&format!("{word} {table}")).any(|(start, found)| {
            let after = text[start + found.len()..].chars().next();
            !after.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        })
    })
}
