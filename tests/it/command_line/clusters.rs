//! `packaging/compose.cluster.yaml`: the program accepts its settings, and its two nodes make a page together.
use std::process::Command;

use serde_json::json;

use crate::recovery::{Server, Site};
use crate::test_app::{binary, wait_until};

/// The settings of the nodes in the file, by environment variable. Passwords are replaced.
fn settings() -> Vec<(String, String)> {
    let file = include_str!("../../../packaging/compose.cluster.yaml");
    let (_, nodes) = file.split_once("  environment:\n").unwrap();
    let lines = nodes.lines().take_while(|line| line.starts_with("    "));
    let settings = lines.filter(|line| !line.trim_start().starts_with('#')).map(|line| {
        let (name, value) = line.trim().split_once(": ").unwrap();
        let value = if value.starts_with("${") {
            "topsecret"
        } else {
            value.trim_matches('"')
        };
        (name.to_owned(), value.to_owned())
    });
    settings.collect()
}

/// The arguments of the commands in the file, one list for each kind of node.
fn commands() -> Vec<Vec<&'static str>> {
    let file = include_str!("../../../packaging/compose.cluster.yaml");
    let lists = file
        .lines()
        .filter_map(|line| line.trim().strip_prefix("command: [serve, "));
    lists
        .map(|list| list.trim_end_matches(']').split(", ").collect())
        .collect()
}

#[test]
fn the_program_accepts_the_settings_of_the_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings();
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
