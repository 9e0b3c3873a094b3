//! Packing of an author's folder into a folder that can be copied into a server's plugin directory.
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use linepress_files::FolderLimits;
use semver::Version;
use sha2::{Digest as _, Sha256};
use toml_edit::{DocumentMut, value};

use crate::inspect::inspect;
use crate::manifest::{MAX_COMPONENT_BYTES, MAX_MANIFEST_BYTES, Manifest};

/// Files that are copied if they exist, in addition to the manifest, the component and the templates.
const OPTIONAL_FILES: [&str; 4] = ["config.json", "LICENSE", "LICENSE.txt", "NOTICE"];
/// Maximum size of each of these files.
const MAX_FILE_BYTES: u64 = 1 << 20;
const TEMPLATES: &str = "templates";

/// A packed plugin folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    pub id: String,
    pub version: Version,
    pub folder: PathBuf,
    /// The paths of the files, relative to the folder and sorted.
    pub files: Vec<String>,
    /// False if the folder already contained exactly these files.
    pub has_changed: bool,
}

/// Writes the component's digest into the author's `plugin.toml`, and the files that a server needs into a folder of
/// `out` that is named after the plugin's id. Changes nothing if a server would refuse the packed folder.
pub fn pack(source: &Path, out: &Path) -> Result<Packed, String> {
    let manifest = read(source, "plugin.toml", MAX_MANIFEST_BYTES)?;
    let text = String::from_utf8(manifest).map_err(|_| "plugin.toml is not UTF-8".to_owned())?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error| format!("plugin.toml is not TOML: {error}"))?;
    let wasm = document.get("wasm").and_then(|wasm| wasm.get("path")?.as_str());
    let wasm = wasm
        .ok_or("plugin.toml has no `wasm = { path = \"plugin.wasm\" }`")?
        .to_owned();
    let component = read(source, &wasm, MAX_COMPONENT_BYTES)?;
    write_digest(&mut document, &component)?;
    let (text, old) = (document.to_string(), text);

    let mut files = vec![("plugin.toml".to_owned(), text.clone().into_bytes()), (wasm, component)];
    for name in OPTIONAL_FILES {
        if source.join(name).exists() {
            files.push((name.to_owned(), read(source, name, MAX_FILE_BYTES)?));
        }
    }
    files.extend(templates(source)?);
    files.sort();

    fs::create_dir_all(out).map_err(unwritable(out))?;
    // The name begins with a dot, so that a server that is reading the directory ignores the unfinished folder.
    let work = tempfile::Builder::new().prefix(".packing-").tempdir_in(out);
    let work = work.map_err(unwritable(out))?;
    let fresh = work.path().join("fresh");
    write(&fresh, &files).map_err(unwritable(&fresh))?;
    let manifest = Manifest::read(&fresh)?;
    let component = manifest.read_wasm(&fresh)?;
    manifest.check_surface(&inspect(&component.bytes)?)?;

    if text != old {
        replace_file(&source.join("plugin.toml"), &text).map_err(unwritable(source))?;
    }
    let folder = out.join(&manifest.id);
    let has_changed = !contains_exactly(&folder, &files);
    if has_changed {
        if folder.exists() {
            fs::rename(&folder, work.path().join("old")).map_err(unwritable(&folder))?;
        }
        fs::rename(&fresh, &folder).map_err(unwritable(&folder))?;
    }
    Ok(Packed {
        id: manifest.id,
        version: manifest.version,
        folder,
        files: files.into_iter().map(|(path, _)| path).collect(),
        has_changed,
    })
}

fn read(folder: &Path, name: &str, limit: u64) -> Result<Vec<u8>, String> {
    linepress_files::read_inside(folder, Path::new(name), limit).map_err(|error| error.to_string())
}

/// Reads the templates of a layout, with their paths relative to the plugin folder.
fn templates(source: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let folder = source.join(TEMPLATES);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    const LIMITS: FolderLimits = linepress_files::TEMPLATES;
    let files = linepress_files::read_all(&folder, LIMITS).map_err(|error| error.to_string())?;
    let within = |(path, content)| (format!("{TEMPLATES}/{path}"), content);
    Ok(files.into_iter().map(within).collect())
}

/// Sets the component's digest, and preserves the rest of the manifest as its author wrote it.
fn write_digest(document: &mut DocumentMut, component: &[u8]) -> Result<(), String> {
    let digest = hex::encode(Sha256::digest(component));
    let wasm = document.get_mut("wasm").and_then(|wasm| wasm.as_table_like_mut());
    let wasm = wasm.ok_or("`wasm` in plugin.toml must be a table with a path")?;
    if wasm.get("sha256").and_then(|old| old.as_str()) == Some(&digest) {
        return Ok(());
    }
    wasm.insert("sha256", value(digest));
    if let Some(wasm) = document.get_mut("wasm").and_then(|wasm| wasm.as_inline_table_mut()) {
        wasm.fmt();
    }
    Ok(())
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
    }
    Ok(())
}

/// Replaces a file by renaming a temporary file, so that no reader sees a partial file.
fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.persist(path)?;
    Ok(())
}

/// Returns true if the folder contains exactly these files.
fn contains_exactly(folder: &Path, files: &[(String, Vec<u8>)]) -> bool {
    const LIMITS: FolderLimits = FolderLimits {
        entries: 2000,
        bytes: 4 * MAX_COMPONENT_BYTES,
        depth: 20,
    };
    let mut held = linepress_files::read_all(folder, LIMITS).unwrap_or_default();
    held.sort();
    held == files
}

/// Returns a function that adds the path to a write error.
fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> String {
    let path = path.to_owned();
    move |error| format!("{} cannot be written: {error}", path.display())
}
