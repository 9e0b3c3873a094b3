//! The logo of the server: an SVG or PNG file, read and checked at the start.
use std::fs::File;
use std::io::{self, Cursor, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// The logo of the server.
#[derive(Clone, Debug)]
pub struct Logo {
    pub bytes: Vec<u8>,
    pub media_type: &'static str,
    /// A digest of the file, for its address: a browser caches the file until it changes.
    pub version: String,
}

/// The reason why a file cannot be the logo.
#[derive(Debug, thiserror::Error)]
pub enum LogoError {
    #[error("{path} cannot be read: {source}")]
    Unreadable { path: String, source: io::Error },
    #[error("{path} {problem}")]
    Unfit { path: String, problem: String },
}

/// The size limit of the file: every visitor downloads it.
const MAX_LOGO_BYTES: u64 = 256 * 1024;
/// The size limit of a PNG, in pixels per side.
const MAX_SIDE_PIXELS: u32 = 2048;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

impl Logo {
    /// Reads and checks the file of the setting; `None` when the path is empty.
    pub fn read(path: &Path) -> Result<Option<Self>, LogoError> {
        if path.as_os_str().is_empty() {
            return Ok(None);
        }
        let name = path.display().to_string();
        let bytes = content(path).map_err(|source| LogoError::Unreadable {
            path: name.clone(),
            source,
        })?;
        let media_type = check(&bytes).map_err(|problem| LogoError::Unfit { path: name, problem })?;
        let version = hex::encode(&Sha256::digest(&bytes)[..8]);
        Ok(Some(Self {
            bytes,
            media_type,
            version,
        }))
    }
}

/// The content of a regular file, up to the first byte above the limit.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe would block.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_LOGO_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the media type of the file, or the problem with it.
fn check(bytes: &[u8]) -> Result<&'static str, String> {
    if bytes.len() as u64 > MAX_LOGO_BYTES {
        return Err(format!("has more than {} KiB: make it smaller", MAX_LOGO_BYTES / 1024));
    }
    if bytes.starts_with(PNG_SIGNATURE) {
        return check_png(bytes).map(|()| "image/png");
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "is neither a PNG nor an SVG file in UTF-8".to_owned())?;
    check_svg(text).map(|()| "image/svg+xml")
}

/// Decodes the whole picture, because a browser shows nothing of a damaged one.
fn check_png(bytes: &[u8]) -> Result<(), String> {
    let damaged = |error: png::DecodingError| format!("is a damaged PNG file: {error}");
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().map_err(damaged)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if width.max(height) > MAX_SIDE_PIXELS {
        return Err(format!(
            "has {width} x {height} pixels, and at most {MAX_SIDE_PIXELS} a side are allowed: make it smaller"
        ));
    }
    while reader.next_row().map_err(damaged)?.is_some() {}
    Ok(())
}

/// Checks that the file is a picture by itself. A browser shows it as an image, in which it runs and loads nothing; but
/// a visitor may open the file itself.
fn check_svg(text: &str) -> Result<(), String> {
    let document = roxmltree::Document::parse(text).map_err(|error| match error {
        roxmltree::Error::DtdDetected => "contains a DOCTYPE: remove that line".to_owned(),
        error => format!("is not an SVG file: {error}"),
    })?;
    let root = document.root_element();
    if !root.has_tag_name(("http://www.w3.org/2000/svg", "svg")) {
        return Err("is not an SVG file: its root must be <svg xmlns=\"http://www.w3.org/2000/svg\">".into());
    }
    if !root.has_attribute("viewBox") {
        return Err("has no viewBox, without which it cannot be scaled: add one to its <svg>".into());
    }
    let mut elements = root.descendants().filter(roxmltree::Node::is_element);
    elements.find_map(active_part).map_or(Ok(()), |part| {
        Err(format!("contains {part}: remove it, a logo must only be a picture"))
    })
}

/// The part of an element that is more than a picture: a script, a foreign document, or a reference to another file.
fn active_part(element: roxmltree::Node<'_, '_>) -> Option<String> {
    let name = element.tag_name().name();
    if ["script", "foreignObject", "iframe"].contains(&name) {
        return Some(format!("<{name}>"));
    }
    element.attributes().find_map(|attribute| {
        let (name, value) = (attribute.name(), attribute.value().trim_start());
        let is_handler = name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("on"));
        let is_elsewhere = name == "href" && !value.starts_with('#') && !value.starts_with("data:image/");
        (is_handler || is_elsewhere).then(|| format!("{name}={value:?}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAR: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>"#;

    fn png(side: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side, side);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().unwrap();
        let pixels = usize::try_from(side * side).unwrap();
        writer.write_image_data(&vec![0; pixels]).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn a_picture_is_accepted_with_its_media_type() {
        assert_eq!(check(STAR.as_bytes()), Ok("image/svg+xml"));
        let declared = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- a star -->\n{STAR}");
        assert_eq!(check(declared.as_bytes()), Ok("image/svg+xml"));
        assert_eq!(check(&png(64)), Ok("image/png"));
    }

    #[test]
    fn any_other_file_is_rejected_with_the_reason() {
        let with = |inner: &str| STAR.replace("<path", &format!("{inner}<path")).into_bytes();
        let cut = png(64);
        for (bytes, reason) in [
            (b"GIF89a\xff".to_vec(), "neither a PNG nor an SVG"),
            (b"a star".to_vec(), "is not an SVG file"),
            (b"<html/>".to_vec(), "its root must be <svg"),
            (STAR.replace(" viewBox=\"0 0 8 8\"", "").into_bytes(), "has no viewBox"),
            (with("<script>alert(1)</script>"), "contains <script>"),
            (with("<foreignObject/>"), "contains <foreignObject>"),
            (with("<g onload=\"alert(1)\"/>"), "contains onload"),
            (with("<image href=\"https://example.com/a.png\"/>"), "contains href"),
            (
                b"<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>".to_vec(),
                "contains a DOCTYPE",
            ),
            (cut[..cut.len() / 2].to_vec(), "is a damaged PNG file"),
            (png(2049), "has 2049 x 2049 pixels"),
            (vec![b' '; 256 * 1024 + 1], "has more than 256 KiB"),
        ] {
            let problem = check(&bytes).unwrap_err();
            assert!(problem.contains(reason), "{reason}: {problem}");
        }
    }

    #[test]
    fn a_logo_is_read_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logo.svg");
        assert!(matches!(Logo::read(&path), Err(LogoError::Unreadable { .. })));
        assert!(matches!(Logo::read(folder.path()), Err(LogoError::Unreadable { .. })));
        std::fs::write(&path, STAR).unwrap();
        let logo = Logo::read(&path).unwrap().unwrap();
        assert_eq!((logo.bytes.as_slice(), logo.version.len()), (STAR.as_bytes(), 16));
        assert!(Logo::read(Path::new("")).unwrap().is_none());
    }
}
