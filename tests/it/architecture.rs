//! The boundaries between the parts of the server, which the compiler cannot check.
use std::path::{Path, PathBuf};

/// The interfaces to clients, which must not import each other.
const INTERFACES: [&str; 4] = ["mcp", "oauth", "rest", "web"];
/// Modules that the interfaces share, that assemble them, or that every part uses (the settings).
const SHARED_MODULES: [&str; 5] = ["http", "server.rs", "cli", "main.rs", "config"];
/// Terms of HTTP, which must not appear in a concept.
const HTTP_TERMS: [&str; 12] = [
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "HTTP",
    "header",
    "headers",
    "status code",
    "StatusCode",
    "Retry-After",
    "Idempotency-Key",
    "axum",
];

/// A source file of the server.
struct Source {
    /// The path relative to `host/src`.
    path: PathBuf,
    text: String,
}

impl Source {
    /// Returns the file or folder of `host/src` that the source belongs to.
    fn module(&self) -> &str {
        self.path.iter().next().and_then(|name| name.to_str()).unwrap()
    }

    fn is_concept(&self) -> bool {
        !INTERFACES.contains(&self.module()) && !SHARED_MODULES.contains(&self.module()) && self.module() != "lib.rs"
    }

    /// Returns the lines with their numbers, which start at 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/src");
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(Source {
                    text: std::fs::read_to_string(&path).unwrap(),
                    path: path.strip_prefix(&root).unwrap().to_owned(),
                });
            }
        }
    }
    assert!(sources.len() > 100, "the server's sources are in {}", root.display());
    sources
}

/// Reports whether the line contains the word as a whole word.
fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let within = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        !within(line[..start].chars().next_back()) && !within(line[start + word.len()..].chars().next())
    })
}

/// Returns every line that breaks a rule, with its file and number.
fn offenders(
    sources: &[Source],
    concerns: impl Fn(&Source) -> bool,
    breaks: impl Fn(&Source, &str) -> bool,
) -> Vec<String> {
    let mut offenders = Vec::new();
    for source in sources.iter().filter(|source| concerns(source)) {
        for (number, line) in source.lines().filter(|(_, line)| breaks(source, line)) {
            offenders.push(format!("{}:{number}: {}", source.path.display(), line.trim()));
        }
    }
    offenders
}

#[test]
fn a_concept_mentions_no_http_term() {
    let offenders = offenders(&sources(), Source::is_concept, |_, line| {
        HTTP_TERMS.iter().any(|word| contains_word(line, word))
    });
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn a_concept_imports_no_interface() {
    let offenders = offenders(&sources(), Source::is_concept, |_, line| {
        let interfaces = INTERFACES.iter().chain(&["http", "server"]);
        interfaces
            .into_iter()
            .any(|name| contains_word(line, &format!("crate::{name}")))
    });
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn no_interface_imports_another() {
    let offenders = offenders(
        &sources(),
        |source| INTERFACES.contains(&source.module()) || source.module() == "http",
        |source, line| {
            let others = INTERFACES.iter().filter(|name| **name != source.module());
            others
                .into_iter()
                .any(|name| contains_word(line, &format!("crate::{name}")))
        },
    );
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn only_a_store_holds_sql() {
    let is_store = |source: &Source| source.path.ends_with("store.rs") || source.module() == "database";
    let offenders = offenders(
        &sources(),
        |source| !is_store(source),
        |_, line| line.contains("sqlx::query"),
    );
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn only_whole_words_are_found() {
    assert!(contains_word("the Retry-After header.", "header"));
    assert!(contains_word("GET /me", "GET"));
    assert!(!contains_word("BUDGET", "GET"));
    assert!(!contains_word("headers", "header"));
    assert!(!contains_word("header_size", "header"));
}
