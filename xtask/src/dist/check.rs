//! The packages, run with nothing else around them: bubblewrap starts the program in a root folder that contains only
//! the files of the package.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use flate2::read::GzDecoder;
use serde_json::Value;
use tar::Archive;
use tempfile::TempDir;

use super::find_or_install;
use crate::demo::Demo;
use crate::server::{Installation, Server};

const EMAIL: &str = "check@example.com";

/// Makes a book with the program of the archive.
pub(super) fn archive(file: &Path) -> anyhow::Result<()> {
    println!("\nChecking {}", file.display());
    let root = tempfile::tempdir()?;
    Archive::new(GzDecoder::new(File::open(file)?)).unpack(root.path())?;
    let folder = fs::read_dir(root.path())?.next().context("the archive is empty")??;
    let program = Path::new("/").join(folder.file_name()).join("linepress");
    make_book(&root, &program)
}

/// Makes a book with the program of the image.
pub(super) fn image(file: &Path) -> anyhow::Result<()> {
    println!("\nChecking {}", file.display());
    let (parts, root) = (tempfile::tempdir()?, tempfile::tempdir()?);
    Archive::new(GzDecoder::new(File::open(file)?)).unpack(parts.path())?;
    let read = |name: &str| -> anyhow::Result<Value> {
        let text = fs::read(parts.path().join(name)).with_context(|| format!("the image has no {name}"))?;
        Ok(serde_json::from_slice(&text)?)
    };
    let manifest = read("manifest.json")?;
    let layers = manifest[0]["Layers"].as_array().context("the image has no layers")?;
    for layer in layers {
        let layer = layer.as_str().context("a layer has no name")?;
        Archive::new(File::open(parts.path().join(layer))?).unpack(root.path())?;
    }
    let config = read(
        manifest[0]["Config"]
            .as_str()
            .context("the image has no configuration")?,
    )?;
    let config = &config["config"];
    ensure!(config["User"] == "10001:10001", "the image runs as root: {config}");
    let program = config["Entrypoint"][0].as_str().context("the image starts nothing")?;
    make_book(&root, Path::new(program))
}

/// Starts the program, creates the first account with the link that it prints, and draws and prints a book.
fn make_book(root: &TempDir, program: &Path) -> anyhow::Result<()> {
    find_or_install("bwrap", "bubblewrap")?;
    let (data, work) = (tempfile::tempdir()?, tempfile::tempdir()?);
    for mount_point in [Path::new("/proc"), Path::new("/dev"), data.path()] {
        fs::create_dir_all(root.path().join(mount_point.strip_prefix("/")?))?;
    }
    let started = work.path().join("linepress");
    fs::write(&started, script(root.path(), data.path(), program))?;
    fs::set_permissions(&started, fs::Permissions::from_mode(0o755))?;
    let data = data.path().to_owned();
    let installation = Installation::new(started, data.join("plugins.d"), data.clone())?;
    let server = installation.serve()?;
    let book = work.path().join("book.pdf");
    let made = create_account(&server, &data).and_then(|()| {
        let key = installation.read(&["key", "create", "--email", EMAIL, "--name", "check"])?;
        Demo::sample(2, book.clone()).make_book(&server, key)?;
        println!("{}", installation.read(&["doctor"])?);
        Ok(())
    });
    made.inspect_err(|_| server.show_log())?;
    ensure!(fs::read(&book)?.starts_with(b"%PDF-"), "the book is not a PDF");
    Ok(())
}

/// A script that starts the program with the settings of its environment, and nothing else of this machine.
fn script(root: &Path, data: &Path, program: &Path) -> String {
    let (root, data, program) = (root.display(), data.display(), program.display());
    let settings = ["DATA_DIR", "PLUGINS_DIR", "LISTEN"];
    let settings = settings.map(|name| format!("--setenv LINEPRESS_{name} \"$LINEPRESS_{name}\" "));
    format!(
        "#!/bin/sh\nexec bwrap --unshare-user --unshare-pid --unshare-ipc --uid 10001 --gid 10001 --die-with-parent \
         --clearenv {}--ro-bind '{root}' / --bind '{data}' '{data}' --proc /proc --dev /dev --chdir '{data}' \
         -- '{program}' \"$@\"\n",
        settings.concat()
    )
}

/// Opens the link that a server without accounts prints, and sends its form.
fn create_account(server: &Server, data: &Path) -> anyhow::Result<()> {
    let log = fs::read_to_string(data.join("server.log"))?;
    let link = log.lines().find(|line| line.contains("/first-account/"));
    let link = link.context("the server printed no link for the first account")?.trim();
    ensure!(
        link.starts_with(&server.address),
        "{link} is not a link to {}",
        server.address
    );
    let config = ureq::Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(Duration::from_secs(30)));
    let agent = ureq::Agent::new_with_config(config.build());
    let form = [
        ("email", EMAIL),
        ("password", "a long password of a test"),
        ("credits", "10"),
    ];
    let response = agent.post(link).send_form(form)?;
    ensure!(
        response.status() == 303,
        "the first account was refused: {}",
        response.status()
    );
    Ok(())
}
