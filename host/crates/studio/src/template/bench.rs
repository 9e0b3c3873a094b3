//! The layout and the templates folder that a designer works on.
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_model::PrintFormat;
use linepress_platform::config::Config;
use linepress_plugin_host::{Layout, find_folder};

use crate::workbench::{Network, Plugin, Workbench};

/// The arguments that select the templates.
#[derive(Args)]
pub(super) struct TemplateSelection {
    /// The folder of a layout, or of templates only. Default: the current folder, if it is one.
    folder: Option<PathBuf>,
    /// The id of an installed layout. Without a folder, the command works on this layout; with a folder that contains
    /// only templates, they print the pages of this layout. Default: the `layout` of the settings.
    #[arg(long, value_name = "ID")]
    layout: Option<String>,
}

pub(super) struct Bench {
    /// The layout with the formats and leaves that the templates add.
    pub(super) layout: Layout,
    pub(super) templates: PathBuf,
    /// True if the layout was found among the server's plugins, without naming a folder.
    pub(super) is_found: bool,
}

impl Bench {
    pub(super) async fn open(config: &Config, which: &TemplateSelection) -> anyhow::Result<Self> {
        let (folder, templates) = locate(config, which)?;
        let loaded = Workbench::new(config, &folder, Network::Offline, None)?.load().await?;
        let (_, plugin) = match loaded {
            Ok(loaded) => loaded,
            Err(reason) => bail!("a server refuses the layout in {}: {reason}", folder.display()),
        };
        let Plugin::Layout(layout) = plugin else {
            bail!("the plugin in {} is not a layout", folder.display());
        };
        let layout = layout
            .with_templates(&templates)
            .map_err(|reason| anyhow::anyhow!("the templates in {} cannot be used: {reason}", templates.display()))?;
        let mut installed = config.plugin_folders().into_iter();
        let is_found = which.folder.is_none() && installed.any(|folder| templates.starts_with(folder));
        Ok(Self {
            layout,
            templates,
            is_found,
        })
    }

    pub(super) fn formats(&self) -> &[PrintFormat] {
        &self.layout.description().formats
    }

    /// The formats to work on: the named one, or all.
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
        let found =
            found.with_context(|| format!("there is no format {wanted}; the formats are {}", known.join(", ")))?;
        Ok(vec![found.clone()])
    }
}

/// The folder of the layout, and the folder of the templates.
fn locate(config: &Config, which: &TemplateSelection) -> anyhow::Result<(PathBuf, PathBuf)> {
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
            bail!("{} is a layout itself: leave out --layout {id}", folder.display());
        }
        let templates = folder.join("templates");
        return Ok((folder, templates));
    }
    if !has_templates(&folder) {
        bail!("{} contains neither a layout nor templates", folder.display());
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

/// The folder of an installed layout; by default of the one in the settings.
pub(super) fn installed(config: &Config, id: Option<&str>) -> anyhow::Result<PathBuf> {
    let id = id.unwrap_or(&config.layout);
    find_folder(&config.plugin_folders(), id).with_context(|| {
        let plugins = config.plugins_dir.display();
        format!("there is no layout {id} in {plugins}; `linepress plugin list` lists the plugins")
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
