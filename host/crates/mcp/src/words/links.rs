//! Links to files.
use linepress_core::downloads::Link;

pub(crate) fn link(link: &Link) -> String {
    format!(
        "{} of {} bytes, until {}: {}",
        link.media_type, link.byte_size, link.expires_at, link.url,
    )
}
