//! The picture that an image provider draws from, prepared like a server prepares it.
use std::path::Path;

use anyhow::{Context as _, bail};
use linepress_imaging::prepare_source;
use linepress_plugin_host::{ImageProvider, Media};

/// The size limit of the file in bytes.
const MAX_FILE_BYTES: u64 = 20 << 20;

pub(super) fn read(file: &Path) -> anyhow::Result<Media> {
    let cannot = || format!("{} cannot be used as the source picture", file.display());
    let bytes = linepress_files::read(file, MAX_FILE_BYTES).with_context(cannot)?;
    Ok(Media {
        media_type: "image/jpeg".into(),
        bytes: prepare_source(&bytes).with_context(cannot)?,
    })
}

/// # Errors
///
/// Fails when the provider requires a picture and there is none, or cannot use the given picture.
pub(super) fn check(provider: &ImageProvider, source: Option<&Media>) -> anyhow::Result<()> {
    if provider.description().draws(source.is_some()) {
        return Ok(());
    }
    match source {
        None => bail!("this plugin draws from pictures only: name one with --source FILE"),
        Some(_) => bail!("this plugin draws from text only: leave --source out"),
    }
}
