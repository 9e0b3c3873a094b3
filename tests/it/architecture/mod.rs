//! The structure of the source: crates, modules and tables, and the map of them in docs/map.md.
mod authorization;
mod constants;
mod gallery;
mod graph;
mod map;
mod sources;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use linepress_platform::config::LIVE_SETTINGS;
use sources::{Crate, all_sources, crates};

#[test]
fn no_crate_has_an_import_cycle_between_its_modules() {
    let mut cycles = Vec::new();
    for Crate { name, folder, .. } in crates() {
        let edges = graph::module_edges(&folder.join("src"));
        for cycle in graph::cycles(&edges) {
            cycles.push(format!("{name}: {}", cycle.join(", ")));
        }
    }
    assert!(
        cycles.is_empty(),
        "modules that import each other:\n{}",
        cycles.join("\n")
    );
}

#[test]
fn no_interface_depends_on_another() {
    const INTERFACES: [&str; 4] = ["linepress-mcp", "linepress-oauth", "linepress-rest", "linepress-web"];
    for Crate { name, dependencies, .. } in crates() {
        let depends_on = |other: &str| dependencies.iter().any(|dependency| dependency == other);
        if INTERFACES.contains(&name.as_str()) {
            assert!(
                !INTERFACES.iter().any(|other| depends_on(other)),
                "{name} depends on another interface"
            );
        } else if name != "linepress" {
            assert!(
                !INTERFACES.iter().any(|other| depends_on(other)),
                "{name} is below the interfaces"
            );
        }
    }
}

#[test]
fn only_commands_depend_on_the_crates_of_commands() {
    const OF_COMMANDS: [&str; 2] = ["linepress-studio", "linepress-terminal"];
    for Crate { name, dependencies, .. } in crates() {
        let depends_on = |other: &str| dependencies.iter().any(|dependency| dependency == other);
        match name.as_str() {
            "linepress" => assert!(OF_COMMANDS.into_iter().all(depends_on)),
            "linepress-studio" => assert!(!depends_on("linepress-http"), "{name} is no interface"),
            _ => assert!(!OF_COMMANDS.into_iter().any(depends_on), "{name} is below the commands"),
        }
    }
}

#[test]
fn the_concepts_depend_on_no_library_of_http() {
    const CONCEPTS: [&str; 7] = [
        "linepress-accounts",
        "linepress-core",
        "linepress-drawings",
        "linepress-operator",
        "linepress-planning",
        "linepress-publishing",
        "linepress-reviews",
    ];
    const OF_HTTP: [&str; 5] = ["axum", "askama", "hyper", "rmcp", "tower-http"];
    for Crate {
        name, all_dependencies, ..
    } in crates()
    {
        if CONCEPTS.contains(&name.as_str()) || name == "linepress-platform" {
            let found: Vec<_> = OF_HTTP
                .iter()
                .filter(|library| all_dependencies.contains(**library))
                .collect();
            assert!(found.is_empty(), "{name} depends on {found:?}");
        }
    }
}

/// Parts of functions that have checked the caller: the idempotency of one of its requests, its rate limit, and the
/// limit of pages in one of its books. An actor is made of a caller and checked by the function that it is passed to.
const WITHOUT_CHECK: [&str; 8] = [
    "administration/actor.rs: of_request",
    "books/create.rs: check_size",
    "idempotency/mod.rs: is_used",
    "idempotency/mod.rs: check_unused",
    "idempotency/mod.rs: conflict_if_used",
    "idempotency/mod.rs: or_conflict",
    "idempotency/once.rs: new",
    "throttle/accounts.rs: take_plan",
];

#[test]
fn every_public_function_that_acts_for_a_caller_checks_it_first() {
    let functions = authorization::acting_functions();
    assert!(functions.len() > 50, "{} functions act for a caller", functions.len());
    let unchecked: Vec<&str> = functions
        .iter()
        .filter(|function| !function.is_checked && !WITHOUT_CHECK.iter().any(|name| function.name.ends_with(name)))
        .map(|function| function.name.as_str())
        .collect();
    assert!(
        unchecked.is_empty(),
        "begin without `caller.require...`:\n{}",
        unchecked.join("\n")
    );
}

/// The modules that verify credentials. `caller` itself defines the constructors and tests them.
const MAY_CREATE_CALLERS: [&str; 3] = ["accounts", "grants", "caller.rs"];

#[test]
fn only_the_modules_that_verify_credentials_create_callers() {
    let accounts = Path::new("host/crates/accounts/src");
    let mut creators = BTreeSet::new();
    for (path, text) in all_sources("host") {
        if text.contains("Caller::from_") {
            let within = path.strip_prefix(accounts).unwrap_or(&path);
            creators.insert(within.iter().next().unwrap().to_string_lossy().into_owned());
        }
    }
    assert_eq!(creators, BTreeSet::from(MAY_CREATE_CALLERS.map(str::to_owned)));
    let public = authorization::public_functions_that_return("Caller");
    assert_eq!(
        public,
        [
            "accounts/keys/mod.rs: caller_of_key",
            "grants/links.rs: caller_of_link",
            "grants/tokens/mod.rs: caller_of_token"
        ],
        "public functions that return a caller verify a credential"
    );
}

#[test]
fn only_commands_act_as_the_command_line() {
    for (path, text) in all_sources("host") {
        let is_command = path.starts_with("host/src/cli") || path.ends_with("administration/actor.rs");
        assert!(
            is_command || !text.contains("Actor::command_line"),
            "{} acts as the command line, which needs no permission",
            path.display()
        );
    }
}

#[test]
fn settings_that_change_while_the_server_runs_are_read_from_the_live_ones() {
    // Other names for a part of them.
    const PARTS: [&str; 3] = ["rollback_on_failure", "provider", "concurrency"];
    for (path, text) in all_sources("host") {
        for (start, _) in text.match_indices("app.config.") {
            let name = text[start..].trim_start_matches("app.config.");
            let end = name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            let name = &name[..end.unwrap_or(name.len())];
            let is_live = LIVE_SETTINGS.contains(&name) || PARTS.contains(&name);
            assert!(!is_live, "{} reads app.config.{name}: use app.live()", path.display());
        }
    }
}

#[test]
fn only_a_store_and_the_database_hold_sql() {
    let mut offenders = Vec::new();
    for (path, text) in all_sources("host") {
        let is_store = path.ends_with("store.rs") || path.starts_with("host/crates/platform/src/database");
        for (number, line) in (1..).zip(text.lines()) {
            if !is_store && line.contains("sqlx::query") {
                offenders.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn only_tests_take_single_steps_of_the_server() {
    // The steps of the queue are those that workers take.
    const WITHOUT_STEPS: &str = "host/crates/drawings/src";
    let sources = all_sources("host");
    for folder in authorization::CONCEPTS {
        let path = Path::new(folder).join("testing.rs");
        if folder == WITHOUT_STEPS {
            continue;
        }
        assert!(
            sources.iter().any(|(source, _)| *source == path),
            "{} moved",
            path.display()
        );
        let (name, own) = (folder.split('/').nth(2).unwrap(), Path::new(folder));
        let (from_outside, from_inside) = (format!("linepress_{name}::testing"), "crate::testing");
        let uses = |(path, text): &&(PathBuf, String)| {
            text.contains(&from_outside) || path.starts_with(own) && text.contains(from_inside)
        };
        let users: Vec<_> = sources.iter().filter(uses).map(|(path, _)| path).collect();
        assert!(users.is_empty(), "{users:?} use the steps of {name}");
    }
}

/// The crates of the concepts share their statements through public functions within a transaction. Interfaces begin
/// none.
#[test]
fn no_interface_begins_a_transaction() {
    for name in ["http", "mcp", "oauth", "rest", "web"] {
        for (path, text) in all_sources("host") {
            let is_within = path.starts_with(Path::new("host/crates").join(name));
            assert!(
                !is_within
                    || !["database.begin", "database::Tx", "&mut Tx"]
                        .iter()
                        .any(|word| text.contains(word)),
                "{} begins a transaction, which only concepts do",
                path.display()
            );
        }
    }
}

/// `cargo xtask test` runs no examples in comments, so none may look as if it were tested.
#[test]
fn no_example_in_a_comment_seems_to_be_tested() {
    let mut offenders = Vec::new();
    for folder in ["host", "plugins"] {
        for (path, text) in all_sources(folder) {
            let mut is_open = false;
            for (number, line) in (1..).zip(text.lines()) {
                let comment = line.trim_start().strip_prefix("///").or(line.strip_prefix("//!"));
                let Some(language) = comment.and_then(|comment| comment.trim().strip_prefix("```")) else {
                    continue;
                };
                is_open = !is_open;
                if is_open && !["ignore", "json", "sh", "text", "toml"].contains(&language) {
                    offenders.push(format!("{}:{number}", path.display()));
                }
            }
        }
    }
    assert!(
        offenders.is_empty(),
        "name the language of these examples, or write `ignore`: {offenders:?}"
    );
}

#[test]
fn the_map_shows_the_crates_modules_and_tables_as_they_are() {
    let path = sources::root().join("docs/map.md");
    let map = map::write();
    if std::env::var_os("LINEPRESS_TEST_UPDATE_MAP").is_some() {
        std::fs::write(&path, &map).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == map,
        "docs/map.md is out of date. Write it again: `LINEPRESS_TEST_UPDATE_MAP=1 cargo xtask test the_map_shows`"
    );
}

#[test]
fn the_gallery_shows_the_plugins_as_their_manifests_describe_them() {
    let path = sources::root().join("docs/plugins/gallery.md");
    let gallery = gallery::write();
    if std::env::var_os("LINEPRESS_TEST_UPDATE_GALLERY").is_some() {
        std::fs::write(&path, &gallery).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == gallery,
        "docs/plugins/gallery.md is out of date. Write it again: \
         `LINEPRESS_TEST_UPDATE_GALLERY=1 cargo xtask test the_gallery_shows`"
    );
}

/// Relative links, and paths in backticks that begin with a folder of the project.
#[test]
fn every_path_that_a_document_names_exists() {
    let mut missing = Vec::new();
    for (document, text) in sources::documents() {
        for named in sources::named_paths(&document, &text) {
            if !named.path.exists() {
                missing.push(format!("{}:{}: {}", document.display(), named.line, named.text));
            }
        }
    }
    assert!(missing.is_empty(), "paths that do not exist:\n{}", missing.join("\n"));
}
