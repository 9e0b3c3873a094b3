//! The picture that an image provider draws from, as a server hands it over.
use std::path::Path;

use anyhow::{Context as _, bail};
use linepress_imaging::prepare_source;
use linepress_plugin_host::{ImageProvider, Media};

/// As large a file as customers may send.
const LARGEST_FILE: u64 = 20 << 20;

pub(super) fn read(file: &Path) -> anyhow::Result<Media> {
    let cannot = || format!("{} cannot be drawn from", file.display());
    let bytes = linepress_files::read(file, LARGEST_FILE).with_context(cannot)?;
    Ok(Media {
        media_type: "image/jpeg".into(),
        bytes: prepare_source(&bytes).with_context(cannot)?,
    })
}

/// # Errors
///
/// When the provider draws only from a picture and there is none, or the other way round.
pub(super) fn check(provider: &ImageProvider, source: Option<&Media>) -> anyhow::Result<()> {
    if provider.description().draws(source.is_some()) {
        return Ok(());
    }
    match source {
        None => bail!("this plugin draws only from a picture: name one with --source FILE"),
        Some(_) => bail!("this plugin draws from words alone: leave --source out"),
    }
}
