//! A book of 100 pages drawn by two nodes, compared with one node. A third node accepts the book; all share a
//! PostgreSQL database and a folder of objects.
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use linepress_platform::config::Role;

use crate::app::{BenchApp, create_database, from_environment};
use crate::process::Process;
use crate::report::{Comparison, Unit, rounds};
use crate::routing::draw_a_book;

const ROUNDS: usize = 3;
/// With the cover 101 drawings: 13 times as many as one node draws at a time, and 7 times as many as two do.
const PAGES: u32 = 100;
/// Both settings of the provider, for each node.
const SETTINGS: &str =
    "[providers.\"testbed.slow\"]\nconcurrency = 8\n[plugins.\"testbed.slow\"]\nmilliseconds = 2000\n";

pub(crate) async fn measure() -> anyhow::Result<Vec<Comparison>> {
    let Ok(postgres) = std::env::var("LINEPRESS_TEST_BENCH_POSTGRES") else {
        println!("skipped: two nodes compared with one, because PostgreSQL is not installed");
        return Ok(Vec::new());
    };
    let database = create_database(&postgres, "nodes").await?;
    let app = BenchApp::start_with(&["testbed.slow"], |config, plugins_dir| {
        config.database_url = database;
        config.image_providers = vec!["testbed.slow".into()];
        config.roles = vec![Role::Api];
        // A node is ready only if it has a planner and a layout.
        for plugin in [&config.planner, &config.layout] {
            symlink(
                from_environment("LINEPRESS_TEST_PLUGINS")?.join(plugin),
                plugins_dir.join(plugin),
            )?;
        }
        Ok(())
    })
    .await?;
    let mut book = 0;
    let mut draw = async |nodes: u32| -> anyhow::Result<f64> {
        let mut workers = Vec::new();
        for number in 0..nodes {
            workers.push(Process::start(worker(&app, number)?).await?);
        }
        book += 1;
        let began = Instant::now();
        draw_a_book(&app, book, PAGES).await?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    };
    let mut comparison = Comparison::new(
        "100 drawings of 2 s, 8 at a time on each of two nodes",
        Unit::Milliseconds,
        "ratio 1/1.8 = 0.56 or less",
    );
    // The first round compiles the plugins and is not counted.
    for round in 0..=rounds(ROUNDS) {
        let (two, one) = if round % 2 == 0 {
            let two = draw(2).await?;
            (two, draw(1).await?)
        } else {
            let one = draw(1).await?;
            (draw(2).await?, one)
        };
        if round > 0 {
            comparison.push(two, one);
        }
    }
    eprintln!("measured {}", comparison.name);
    Ok(vec![comparison])
}

/// Returns the command of a node that only draws.
fn worker(app: &BenchApp, number: u32) -> anyhow::Result<Command> {
    let shared = &app.server.config;
    let data = shared.data_dir.join(format!("node-{number}"));
    std::fs::create_dir_all(&data)?;
    let settings = data.join("settings.toml");
    std::fs::write(&settings, SETTINGS)?;
    let mut command = Command::new(from_environment("LINEPRESS_TEST_BINARY")?);
    command
        .args(["serve", "--roles", "worker"])
        .current_dir(&data)
        .env("LINEPRESS_CONFIG", settings)
        .env("LINEPRESS_DATA_DIR", &data)
        .env("LINEPRESS_PLUGINS_DIR", &shared.plugins_dir)
        .env("LINEPRESS_IMAGE_PROVIDERS", "testbed.slow")
        .env("LINEPRESS_DATABASE_URL", &shared.database_url)
        .env("LINEPRESS_STORAGE_URL", folder_url(&shared.data_dir.join("objects")));
    Ok(command)
}

fn folder_url(folder: &Path) -> String {
    format!("file://{}", folder.display())
}
