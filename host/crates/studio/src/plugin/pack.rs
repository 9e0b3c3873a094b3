//! The command `linepress plugin pack`.
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use linepress_platform::config::Config;
use linepress_plugin_host::{Packed, pack};
use linepress_terminal::print_line;

use super::described;

#[derive(Args)]
pub struct Arguments {
    /// The author's folder, with plugin.toml and the component that it names.
    path: PathBuf,
    /// The folder in which the command creates the plugin's folder, for example the `plugins_dir` of a server. Default:
    /// `packed` in the author's folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Also write the folder as a tar file next to it.
    #[arg(long)]
    tar: bool,
}

pub(super) async fn run(config: &Config, arguments: &Arguments) -> anyhow::Result<()> {
    described::check(config, &arguments.path).await?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.path.join("packed"));
    let packed = pack(&arguments.path, &out).map_err(anyhow::Error::msg)?;
    let state = if packed.has_changed { "written" } else { "unchanged" };
    print_line!("{} {}\t{state}\t{}", packed.id, packed.version, packed.folder.display());
    if arguments.tar {
        let path = out.join(format!("{}-{}.tar", packed.id, packed.version));
        write_tar(&packed, &path).with_context(|| format!("{} cannot be written", path.display()))?;
        print_line!("{} {}\twritten\t{}", packed.id, packed.version, path.display());
    }
    Ok(())
}

/// Writes a deterministic tar file, without times and owners.
fn write_tar(packed: &Packed, path: &Path) -> std::io::Result<()> {
    let file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    let mut archive = tar::Builder::new(file);
    archive.mode(tar::HeaderMode::Deterministic);
    for name in &packed.files {
        let mut content = File::open(packed.folder.join(name))?;
        archive.append_file(format!("{}/{name}", packed.id), &mut content)?;
    }
    archive.into_inner()?.persist(path)?;
    Ok(())
}
