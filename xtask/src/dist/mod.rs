//! `cargo xtask dist`: builds the packages of a release.
//!
//! Each is made from the same static program, which contains the plugins.

/// Reproducible tar archives.
mod archive;
/// The packages, run with nothing else around them.
mod check;
/// The container image.
mod image;
/// The licences of the crates in the program.
mod licences;
/// The program with its plugins, manual pages and completions.
mod program;
/// The list of dependencies.
mod sbom;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};
use clap::Args;
use sha2::{Digest as _, Sha256};

use self::program::Program;
use crate::folders;
use crate::interrupt;
use crate::project::{self, Project};
use crate::tools;

/// The file with the licences of the crates in the program.
const LICENCES: &str = "THIRD-PARTY-LICENCES";

/// The examples for containers: one node, and two.
const COMPOSE_FILES: [&str; 2] = ["compose.yaml", "compose.cluster.yaml"];

#[derive(Args)]
pub(crate) struct Dist {
    /// The folder to write the packages to; earlier packages in it are deleted. The default is packages in cargo's
    /// target folder.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Afterwards, start the programs of the archive and of the image with no other files, and make a book with each.
    #[arg(long)]
    check: bool,
    /// Build without optimizations, to try the packages.
    #[arg(long)]
    debug: bool,
}

/// The packages that were made, and the reasons why others were not.
struct Release<'a> {
    project: &'a Project,
    program: &'a Program,
    out: &'a Path,
    /// The beginning of each package's name.
    name: String,
    skipped: Vec<String>,
}

impl Dist {
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        let out = self.out.clone().unwrap_or_else(|| project.target.join("packages"));
        let out = std::path::absolute(out)?;
        refuse_other_files(&out)?;
        let program = Program::build(project, self.debug)?;
        folders::empty(&out)?;
        let mut release = Release {
            project,
            out: &out,
            name: format!("linepress-{}-{}-linux", program.version, program.processor()),
            program: &program,
            skipped: Vec::new(),
        };
        fs::write(program.documents.join(LICENCES), release.licences()?)?;
        let archive = release.pack_archive()?;
        for name in COMPOSE_FILES {
            fs::copy(project.root.join("packaging").join(name), out.join(name))?;
        }
        release.pack_debian(self.debug)?;
        let image = release.build_image()?;
        release.list_dependencies()?;
        release.write_checksums()?;
        if self.check {
            interrupt::catch()?;
            check::archive(&archive)?;
            match &image {
                Some(image) => check::image(image)?,
                None => println!("The image was not checked, because it was not built"),
            }
        }
        for file in files(&out)? {
            let size = fs::metadata(&file)?.len();
            println!("{:7.1} MB  {}", size as f64 / 1e6, file.display());
        }
        for reason in &release.skipped {
            println!("skipped: {reason}");
        }
        let is_complete = release.skipped.is_empty() || !tools::in_ci();
        Ok(if is_complete {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

impl Release<'_> {
    /// Packs the program with its documents into an archive for any Linux.
    fn pack_archive(&self) -> anyhow::Result<PathBuf> {
        let work = tempfile::tempdir()?;
        let folder = work.path().join(&self.name);
        fs::create_dir(&folder)?;
        fs::copy(&self.program.path, folder.join("linepress"))?;
        for name in ["man", "completions"] {
            folders::copy(&self.program.documents.join(name), &folder.join(name))?;
        }
        fs::copy(self.program.documents.join(LICENCES), folder.join(LICENCES))?;
        let root = &self.project.root;
        for name in ["LICENSE", "NOTICE", "CHANGELOG.md", "linepress.example.toml"] {
            fs::copy(root.join(name), folder.join(name)).with_context(|| format!("{name} cannot be copied"))?;
        }
        let packaging = root.join("packaging");
        // A `linepress.toml` next to the program would be its settings when it is started there.
        fs::create_dir(folder.join("service"))?;
        let of_service = ["linepress.service", "linepress.sysusers", "linepress.toml"].map(|name| ("service", name));
        let others = COMPOSE_FILES.into_iter().chain(["README.md"]).map(|name| ("", name));
        for (part, name) in others.chain(of_service) {
            fs::copy(packaging.join(name), folder.join(part).join(name))
                .with_context(|| format!("{name} cannot be copied"))?;
        }
        let file = self.out.join(format!("{}.tar.gz", self.name));
        fs::write(
            &file,
            archive::pack_gzip(work.path(), archive::commit_time(self.project))?,
        )?;
        Ok(file)
    }

    /// Builds the Debian package with cargo-deb.
    fn pack_debian(&mut self, debug: bool) -> anyhow::Result<()> {
        if !self.has_cargo_command("deb", "cargo-deb", "the Debian package") {
            return Ok(());
        }
        let mut cargo = self.project.cargo();
        cargo
            .args(["deb", "--package", "linepress", "--no-build", "--no-strip", "--profile"])
            .arg(Program::profile(debug))
            .args(["--target", &self.program.target, "--output"])
            .arg(self.out);
        project::run(&mut cargo)
    }

    /// Returns true if cargo has this command; otherwise the package is skipped.
    fn has_cargo_command(&mut self, command: &str, package: &str, what: &str) -> bool {
        let mut cargo = self.project.cargo();
        let is_installed = project::read(cargo.args([command, "--version"])).is_ok();
        if !is_installed {
            self.skipped.push(format!(
                "{what}: {package} is not installed (cargo install --locked {package})"
            ));
        }
        is_installed
    }

    /// Writes the digest of each package, in the form that `sha256sum --check` reads.
    fn write_checksums(&self) -> anyhow::Result<()> {
        let mut lines = String::new();
        for file in files(self.out)? {
            let name = file
                .file_name()
                .and_then(|name| name.to_str())
                .context("a package has no name")?;
            let digest = hex::encode(Sha256::digest(fs::read(&file)?));
            lines += &format!("{digest}  {name}\n");
        }
        fs::write(self.out.join(format!("{CHECKSUMS}{}", self.program.processor())), lines)?;
        Ok(())
    }
}

/// The beginning of the name of the file with the digests of all packages.
const CHECKSUMS: &str = "SHA256SUMS-";

/// Fails if the folder contains something other than packages, because it will be emptied.
fn refuse_other_files(out: &Path) -> anyhow::Result<()> {
    if !out.exists() {
        return Ok(());
    }
    let files = files(out)?;
    let is_checksums = |file: &PathBuf| {
        file.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(CHECKSUMS))
    };
    if !files.is_empty() && !files.iter().any(is_checksums) {
        bail!(
            "{} contains files that are no packages; name an empty or a new folder",
            out.display()
        );
    }
    Ok(())
}

/// Lists the files of a folder by name.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    files.sort();
    Ok(files)
}

/// Finds a program of the operating system, which is installed if that needs no password.
fn find_or_install(name: &str, package: &str) -> anyhow::Result<()> {
    let is_there = || project::read(Command::new("which").arg(name)).is_ok();
    if is_there() {
        return Ok(());
    }
    tools::install(&[package]).with_context(|| format!("{name} is missing"))?;
    if !is_there() {
        bail!("the package {package} contains no {name}");
    }
    Ok(())
}
