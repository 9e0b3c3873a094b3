//! The picture that an image provider draws from, or that a reviewer reviews, prepared like a server prepares it.
use std::path::Path;

use anyhow::{Context as _, bail};
use linepress_imaging::{ArtworkError, prepare_color_drawing, prepare_drawing, prepare_source};
use linepress_model::{Aspect, Audience};
use linepress_plugin_host::{ImageProvider, Media, Purpose};

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

/// Reads a picture that a reviewer reviews.
pub(super) fn read_drawing(file: &Path, purpose: Purpose, aspect: Aspect, audience: Audience) -> anyhow::Result<Media> {
    let cannot = || format!("{} cannot be used as the picture to review", file.display());
    let bytes = linepress_files::read(file, MAX_FILE_BYTES).with_context(cannot)?;
    prepared_drawing(&bytes, purpose, aspect, audience).with_context(cannot)
}

/// A picture that a reviewer reviews: a server hands it over in the form in which it would store the drawing.
pub(super) fn prepared_drawing(
    bytes: &[u8],
    purpose: Purpose,
    aspect: Aspect,
    audience: Audience,
) -> Result<Media, ArtworkError> {
    let prepared = match purpose {
        Purpose::CoverInColor => prepare_color_drawing(bytes, aspect)?,
        Purpose::Page | Purpose::Cover | Purpose::Character => prepare_drawing(bytes, aspect, audience)?,
    };
    Ok(Media {
        media_type: prepared.media_type.into(),
        bytes: prepared.image,
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
