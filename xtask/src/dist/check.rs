//! The packages, run with nothing else around them: bubblewrap starts the program in a root folder that contains only
//! the files of the package.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
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

/// A program in a root folder of its own.
struct Sandbox {
    root: TempDir,
    program: PathBuf,
    /// The folder in which it starts.
    folder: PathBuf,
    /// The default data folder of the program. None if the check sets `LINEPRESS_DATA_DIR`.
    data: Option<PathBuf>,
}

/// Makes a book with the program of the archive, as its README starts it.
pub(super) fn archive(file: &Path) -> anyhow::Result<()> {
    println!("\nChecking {}", file.display());
    let root = tempfile::tempdir()?;
    Archive::new(GzDecoder::new(File::open(file)?)).unpack(root.path())?;
    let folder = fs::read_dir(root.path())?.next().context("the archive is empty")??;
    let folder = Path::new("/").join(folder.file_name());
    make_book(&Sandbox {
        root,
        program: folder.join("linepress"),
        data: Some(folder.join("data")),
        folder,
    })
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
    make_book(&Sandbox {
        root,
        program: PathBuf::from(program),
        folder: PathBuf::from("/"),
        data: None,
    })
}

/// Starts the program, creates the first account with the link that it prints, and draws and prints a book.
fn make_book(sandbox: &Sandbox) -> anyhow::Result<()> {
    find_or_install("bwrap", "bubblewrap")?;
    let (data, work) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let inside = sandbox.data.as_deref().unwrap_or(data.path());
    for mount_point in [Path::new("/proc"), Path::new("/dev"), inside] {
        fs::create_dir_all(sandbox.root.path().join(mount_point.strip_prefix("/")?))?;
    }
    let started = work.path().join("linepress");
    fs::write(&started, sandbox.script(data.path()))?;
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

impl Sandbox {
    /// A script that starts the program with the settings of its environment, and nothing else of this machine but the
    /// folder `data`.
    fn script(&self, data: &Path) -> String {
        let settings = match &self.data {
            Some(_) => &["LISTEN"][..],
            None => &["DATA_DIR", "PLUGINS_DIR", "LISTEN"],
        };
        let settings = settings
            .iter()
            .map(|name| format!("--setenv LINEPRESS_{name} \"$LINEPRESS_{name}\" "));
        let inside = self.data.as_deref().unwrap_or(data).display();
        let (root, program, folder) = (
            self.root.path().display(),
            self.program.display(),
            self.folder.display(),
        );
        format!(
            "#!/bin/sh\nexec bwrap --unshare-user --unshare-pid --unshare-ipc --uid 10001 --gid 10001 --die-with-parent \
             --clearenv {}--ro-bind '{root}' / --bind '{}' '{inside}' --proc /proc --dev /dev --chdir '{folder}' \
             -- '{program}' \"$@\"\n",
            settings.collect::<String>(),
            data.display(),
        )
    }
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
