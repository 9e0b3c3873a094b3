//! The container image: the program, certificates, an empty data folder, and a folder for what several nodes share.

use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{LICENCES, Release, archive, find_or_install};
use crate::project;

/// The certificate authorities of this machine, which the image trusts.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The settings file of several nodes, which must exist before the first node starts: a server does not start without
/// the file that `LINEPRESS_CONFIG` names.
const SHARED_SETTINGS: &str = "# The settings of all nodes. Environment variables take precedence.\n";

impl Release<'_> {
    /// Builds the image with buildah, as an archive that `docker load` and `podman load` read.
    pub(super) fn build_image(&mut self) -> anyhow::Result<Option<PathBuf>> {
        if let Err(error) = find_or_install("buildah", "buildah") {
            self.skipped.push(format!("the image: {error:#}"));
            return Ok(None);
        }
        let work = tempfile::tempdir()?;
        let context = work.path().join("context");
        fs::create_dir_all(context.join("data"))?;
        fs::create_dir_all(context.join("shared").join("plugins.d"))?;
        fs::write(context.join("shared").join("linepress.toml"), SHARED_SETTINGS)?;
        fs::copy(&self.program.path, context.join("linepress"))?;
        fs::copy(CERTIFICATES, context.join("ca-certificates.crt"))
            .with_context(|| format!("{CERTIFICATES} is missing: install the package ca-certificates"))?;
        let root = &self.project.root;
        fs::copy(self.program.documents.join(LICENCES), context.join(LICENCES))?;
        for name in ["LICENSE", "NOTICE"] {
            fs::copy(root.join(name), context.join(name))?;
        }
        let buildah = || {
            let mut buildah = Command::new("buildah");
            // A storage of its own: nothing is left on this machine.
            buildah
                .args(["--storage-driver", "vfs", "--root"])
                .arg(work.path().join("storage"));
            buildah.arg("--runroot").arg(work.path().join("run"));
            buildah
        };
        let tag = format!("linepress:{}", self.program.version);
        let time = archive::commit_time(self.project).to_string();
        let architecture = match self.program.processor() {
            "aarch64" => "arm64",
            "x86_64" => "amd64",
            other => other,
        };
        project::run(
            buildah()
                .args(["build", "--isolation", "chroot", "--timestamp", &time, "--tag", &tag])
                .args(["--os", "linux", "--arch", architecture, "--file"])
                .arg(root.join("packaging").join("Containerfile"))
                .arg(&context),
        )?;
        let plain = work.path().join("image.tar");
        project::run(
            buildah()
                .args(["push", &tag])
                .arg(format!("docker-archive:{}:{tag}", plain.display())),
        )?;
        let file = self.out.join(format!("{}.image.tar.gz", self.name));
        compress(&plain, &file)?;
        Ok(Some(file))
    }
}

fn compress(from: &Path, to: &Path) -> anyhow::Result<()> {
    let mut compressed = GzEncoder::new(File::create(to)?, Compression::best());
    std::io::copy(&mut BufReader::new(File::open(from)?), &mut compressed)?;
    compressed.finish()?.flush()?;
    Ok(())
}
