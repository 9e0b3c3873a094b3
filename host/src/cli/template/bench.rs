//! What a designer works on: a layout, and the folder of its templates.
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use linepress::config::Config;
use linepress_model::PrintFormat;
use linepress_plugin_host::{Layout, find_folder};

use crate::cli::plugin::{Network, Plugin, Workbench};

/// Which templates are meant.
#[derive(Args)]
pub(super) struct Which {
    /// The folder of a layout, or of templates alone; the current folder when it is one.
    folder: Option<PathBuf>,
    /// The id of an installed layout: the one to work on, or, beside a folder of templates alone, the one whose pages they
    /// print. That of the settings when it is left out.
    #[arg(long, value_name = "ID")]
    layout: Option<String>,
}

pub(super) struct Bench {
    pub(super) layout: Layout,
    pub(super) templates: PathBuf,
    /// Whether it was found among the plugins of the server, without a folder that was named.
    pub(super) is_found: bool,
}

impl Bench {
    pub(super) async fn open(config: &Config, which: &Which) -> anyhow::Result<Self> {
        let (folder, templates) = locate(config, which)?;
        let loaded = Workbench::new(config, &folder, Network::Offline, None)?.load().await?;
        let (_, plugin) = match loaded {
            Ok(loaded) => loaded,
            Err(reason) => bail!("a server refuses the layout in {}: {reason}", folder.display()),
        };
        let Plugin::Layout(layout) = plugin else {
            bail!("the plugin in {} is no layout", folder.display());
        };
        let is_found = which.folder.is_none() && templates.starts_with(&config.plugins_dir);
        Ok(Self {
            layout,
            templates,
            is_found,
        })
    }

    pub(super) fn formats(&self) -> &[PrintFormat] {
        &self.layout.description().formats
    }

    /// The formats to work on: the one that was named, or all.
    pub(super) fn chosen(&self, format: Option<&str>) -> anyhow::Result<Vec<PrintFormat>> {
        let Some(wanted) = format else {
            return Ok(self.formats().to_vec());
        };
        let found = self.formats().iter().find(|format| format.id == wanted);
        let known = self
            .formats()
            .iter()
            .map(|format| format.id.as_str())
            .collect::<Vec<_>>();
        let found = found.with_context(|| format!("there is no format {wanted}; there are {}", known.join(", ")))?;
        Ok(vec![found.clone()])
    }
}

/// The folder of the layout, and that of the templates.
fn locate(config: &Config, which: &Which) -> anyhow::Result<(PathBuf, PathBuf)> {
    let here = PathBuf::from(".");
    let folder = match &which.folder {
        Some(folder) => Some(folder),
        None if which.layout.is_none() && (is_layout(&here) || has_templates(&here)) => Some(&here),
        None => None,
    };
    let Some(folder) = folder else {
        let layout = installed(config, which.layout.as_deref())?;
        let templates = layout.join("templates");
        return Ok((layout, templates));
    };
    let folder = std::path::absolute(folder).with_context(|| format!("{} cannot be found", folder.display()))?;
    if is_layout(&folder) {
        if let Some(id) = &which.layout {
            bail!("{} is a layout itself: leave --layout {id} out", folder.display());
        }
        let templates = folder.join("templates");
        return Ok((folder, templates));
    }
    if !has_templates(&folder) {
        bail!("{} holds neither a layout nor templates", folder.display());
    }
    let around = folder
        .parent()
        .filter(|parent| is_layout(parent) && folder.ends_with("templates"));
    let layout = match (around, &which.layout) {
        (Some(layout), None) => layout.to_owned(),
        (_, id) => installed(config, id.as_deref())?,
    };
    Ok((layout, folder))
}

/// The folder of a layout in the server's folder; of the one that the settings choose when none is named.
pub(super) fn installed(config: &Config, id: Option<&str>) -> anyhow::Result<PathBuf> {
    let id = id.unwrap_or(&config.layout);
    find_folder(&config.plugins_dir, id).with_context(|| {
        let plugins = config.plugins_dir.display();
        format!("there is no layout {id} in {plugins}; `linepress plugin list` shows what there is")
    })
}

fn is_layout(folder: &Path) -> bool {
    folder.join("plugin.toml").is_file() && folder.join("templates").is_dir()
}

fn has_templates(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .map(|file| file.path())
        .any(|path| path.extension().is_some_and(|ending| ending == "typ"))
}
