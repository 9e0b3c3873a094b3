//! `packaging/compose.cluster.yaml`: the program accepts its settings, and its two nodes make a page together.
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::recovery::{Server, Site};
use crate::test_app::{binary, wait_until};

const FILE: &str = include_str!("../../../packaging/compose.cluster.yaml");

/// The folder that all nodes have in common.
const SHARED: &str = "/shared";

/// The settings of the nodes in the file, by environment variable. Passwords are replaced, and the common folder by
/// `shared`.
fn settings(shared: &Path) -> Vec<(String, String)> {
    let (_, nodes) = FILE.split_once("  environment:\n").unwrap();
    let lines = nodes.lines().take_while(|line| line.starts_with("    "));
    let settings = lines.filter(|line| !line.trim_start().starts_with('#')).map(|line| {
        let (name, value) = line.trim().split_once(": ").unwrap();
        let value = if value.starts_with("${") {
            "topsecret".to_owned()
        } else if let Some(path) = value.strip_prefix(SHARED) {
            format!("{}{path}", shared.display())
        } else {
            value.trim_matches('"').to_owned()
        };
        (name.to_owned(), value)
    });
    settings.collect()
}

/// The arguments of the commands in the file, one list for each kind of node.
fn commands() -> Vec<Vec<&'static str>> {
    let lists = FILE
        .lines()
        .filter_map(|line| line.trim().strip_prefix("command: [serve, "));
    lists
        .map(|list| list.trim_end_matches(']').split(", ").collect())
        .collect()
}

/// The lines below this one that are indented further.
fn block(first: &str) -> Vec<&'static str> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let lines = FILE.lines().skip_while(|line| *line != first).skip(1);
    let within = lines.take_while(|line| line.is_empty() || indentation(line) > indentation(first));
    within.map(str::trim).collect()
}

#[test]
fn the_program_accepts_the_settings_of_the_cluster() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("linepress.toml"), "").unwrap();
    let settings = settings(folder.path());
    assert!(
        settings.iter().any(|(name, _)| name == "LINEPRESS_STORAGE_URL"),
        "{settings:?}"
    );
    let mut command = Command::new(binary());
    command
        .args(["account", "list"])
        .current_dir(folder.path())
        .envs(settings);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    // No server has the name that the database has in the network of the file.
    assert!(
        error.contains("the database postgres://linepress@database:5432/linepress"),
        "{error}"
    );
}

#[test]
fn every_node_of_the_cluster_has_the_same_settings_file_and_plugins() {
    let settings = settings(Path::new(SHARED));
    for (variable, path) in [
        ("LINEPRESS_CONFIG", "/shared/linepress.toml"),
        ("LINEPRESS_PLUGINS_DIR", "/shared/plugins.d"),
    ] {
        assert!(settings.contains(&(variable.into(), path.into())), "{settings:?}");
    }
    assert!(block("  volumes:").contains(&"- shared:/shared"));
    assert!(block("volumes:").contains(&"shared:"));
    let nodes = ["  api:", "  worker:"].map(block);
    assert_eq!(FILE.matches("<<: *node").count(), nodes.len());
    for node in nodes {
        assert!(node.contains(&"<<: *node"), "{node:?}");
        // It would replace that of all nodes.
        let differs = |line: &&str| line.starts_with("environment:") || line.starts_with("volumes:");
        assert!(!node.iter().any(differs), "{node:?}");
    }
    // A new volume gets the content of the image, and its owner: the server may write to it.
    let image = include_str!("../../../packaging/Containerfile");
    assert!(image.contains("COPY --chown=10001:10001 shared /shared\n"), "{image}");
}

#[tokio::test]
async fn the_nodes_of_the_cluster_make_a_page_together() {
    let site = Site::new(0).await;
    let commands = commands();
    assert_eq!(commands, [["--roles", "api"], ["--roles", "worker"]]);
    let nodes: Vec<Server> = commands
        .iter()
        .map(|arguments| Server::spawn_with(&mut site.command(site.database()), arguments))
        .collect();
    let accepted = site.generate(&nodes[0], "/pages", &json!({"page": {"title": "A fox"}}));
    let path = format!("/operations/{}", accepted["operation"]["id"].as_str().unwrap());
    wait_until("the page is drawn", async || {
        nodes[0].get(&site.key, &path)["operation"]["status"] == "succeeded"
    })
    .await;
}
