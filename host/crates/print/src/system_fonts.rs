//! System fonts, for characters that none of a layout's fonts has.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use linepress_files::{TEMPLATES, read_all};
use sha2::{Digest as _, Sha256};
use typst::foundations::Bytes;
use typst::text::{Coverage, Font};

use crate::glyphs::is_visible;
use crate::world::is_font;
use crate::{PrintError, typesetting_digest};

/// The maximum number of faces that one book may send to the typesetting process.
const MAX_FACES: usize = 16;
const MAX_FONT_BYTES: u64 = 64 << 20;
const MAX_FONT_FILES: usize = 20_000;
const MAX_DEPTH: usize = 8;
/// The maximum number of layouts in memory. A server prints with fewer at a time.
const MAX_LAYOUTS: usize = 64;

/// The folders that are searched for fonts. A folder is listed when a book needs it; a font is read again only when its
/// file has changed.
#[derive(Clone, Debug, Default)]
pub struct SystemFonts(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    folders: Vec<PathBuf>,
    /// The characters of each layout's own fonts, with the digest of the templates they were read from.
    layouts: Mutex<BTreeMap<PathBuf, (String, Arc<Characters>)>>,
    files: Mutex<BTreeMap<PathBuf, FontFile>>,
}

#[derive(Debug)]
struct Characters(Vec<Coverage>);

/// A font file, and the state of the file when it was read.
#[derive(Clone, Debug)]
struct FontFile {
    modified: Option<SystemTime>,
    size: u64,
    /// The faces by their index in the file.
    faces: Arc<Vec<(u32, Coverage)>>,
    /// The SHA-256 digest of the file, in hexadecimal.
    digest: String,
}

/// The fonts that a book needs in addition to those of its layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Supplement {
    pub faces: Vec<SystemFace>,
    /// The characters that these fonts lack as well.
    pub missing: Vec<char>,
}

/// A face of a font file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemFace {
    pub file: PathBuf,
    pub index: u32,
    /// The SHA-256 digest of the whole file, in hexadecimal.
    pub digest: String,
}

impl SystemFonts {
    pub fn new(folders: Vec<PathBuf>) -> Self {
        Self(Arc::new(Shared {
            folders,
            ..Shared::default()
        }))
    }

    /// Returns the system fonts that a layout needs for these texts. The same texts, templates and font files always
    /// give the same fonts. It reads files, so call it where blocking is allowed.
    pub fn supplement<'a>(
        &self,
        templates: &Path,
        texts: impl Iterator<Item = &'a str>,
    ) -> Result<Supplement, PrintError> {
        let own = self.characters_of(templates)?;
        let mut missing: BTreeSet<char> = texts
            .flat_map(str::chars)
            .filter(|&character| is_visible(character) && !own.has(character))
            .collect();
        let mut faces = Vec::new();
        if missing.is_empty() {
            return Ok(Supplement::default());
        }
        for path in self.font_files() {
            if missing.is_empty() || faces.len() >= MAX_FACES {
                break;
            }
            let Some(file) = self.read(&path) else { continue };
            let Some((index, coverage)) = file.best_face(&missing) else {
                continue;
            };
            missing.retain(|&character| !coverage.contains(u32::from(character)));
            faces.push(file.face(&path, index));
            // Titles are bold, and without this face Typst would set them in the regular weight.
            if let Some(bold) = bold_of(&path)
                && let Some(file) = self.read(&bold)
                && file.faces.iter().any(|(other, _)| *other == index)
            {
                faces.push(file.face(&bold, index));
            }
        }
        Ok(Supplement {
            faces,
            missing: missing.into_iter().collect(),
        })
    }

    /// The characters of the layout's own fonts.
    fn characters_of(&self, templates: &Path) -> Result<Arc<Characters>, PrintError> {
        let digest = typesetting_digest(templates)?;
        let known = || self.0.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, characters)) = known().get(templates).filter(|(known, _)| *known == digest) {
            return Ok(characters.clone());
        }
        let files = read_all(templates, TEMPLATES).map_err(PrintError::Templates)?;
        let fonts = files.into_iter().filter(|(path, _)| is_font(path));
        let coverages =
            fonts.flat_map(|(_, bytes)| Font::iter(Bytes::new(bytes)).map(|font| font.info().coverage.clone()));
        let characters = Arc::new(Characters(coverages.collect()));
        let mut known = known();
        if known.len() >= MAX_LAYOUTS {
            known.clear();
        }
        known.insert(templates.to_owned(), (digest, characters.clone()));
        Ok(characters)
    }

    /// Returns every font file, the most suitable first.
    fn font_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for folder in &self.0.folders {
            collect(folder, 0, &mut files);
        }
        files.sort_by_cached_key(|path| (rank(path), path.clone()));
        files.dedup();
        files
    }

    /// Reads a font file, or returns `None` for one that cannot be read or is larger than [`MAX_FONT_BYTES`].
    fn read(&self, path: &Path) -> Option<FontFile> {
        let metadata = fs::metadata(path).ok()?;
        let (modified, size) = (metadata.modified().ok(), metadata.len());
        let known = || self.0.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = known().get(path)
            && (file.modified, file.size) == (modified, size)
        {
            return Some(file.clone());
        }
        if size > MAX_FONT_BYTES {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        let digest = hex::encode(Sha256::digest(&bytes));
        let faces = Font::iter(Bytes::new(bytes)).map(|font| (font.index(), font.info().coverage.clone()));
        let file = FontFile {
            modified,
            size,
            faces: Arc::new(faces.collect()),
            digest,
        };
        known().insert(path.to_owned(), file.clone());
        Some(file)
    }
}

impl Characters {
    fn has(&self, character: char) -> bool {
        self.0.iter().any(|coverage| coverage.contains(u32::from(character)))
    }
}

impl FontFile {
    /// Returns the face with most of the characters, the first of equal ones, or `None` when no face has any.
    fn best_face(&self, missing: &BTreeSet<char>) -> Option<(u32, &Coverage)> {
        let count = |coverage: &Coverage| {
            let has = |&&character: &&char| coverage.contains(u32::from(character));
            missing.iter().filter(has).count()
        };
        let faces = self
            .faces
            .iter()
            .map(|(index, coverage)| (*index, coverage, count(coverage)));
        let best = faces.reduce(|best, face| if face.2 > best.2 { face } else { best });
        best.filter(|(.., count)| *count > 0)
            .map(|(index, coverage, _)| (index, coverage))
    }

    fn face(&self, path: &Path, index: u32) -> SystemFace {
        SystemFace {
            file: path.to_owned(),
            index,
            digest: self.digest.clone(),
        }
    }
}

impl Supplement {
    /// The faces and their files' contents.
    pub(crate) fn read(&self) -> Result<Vec<(u32, bytes::Bytes)>, PrintError> {
        let read = |face: &SystemFace| Ok((face.index, fs::read(&face.file)?.into()));
        let faces: std::io::Result<Vec<_>> = self.faces.iter().map(read).collect();
        faces.map_err(PrintError::io("read a system font"))
    }
}

/// Collects the font files below a folder. A folder that cannot be read counts as empty.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if files.len() >= MAX_FONT_FILES {
            return;
        }
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() && depth < MAX_DEPTH => collect(&path, depth + 1, files),
            Ok(metadata) if metadata.is_file() && has_font_suffix(&path) => files.push(path),
            _ => {}
        }
    }
}

fn has_font_suffix(path: &Path) -> bool {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    suffix.is_some_and(|suffix| {
        ["ttf", "otf", "ttc"]
            .iter()
            .any(|known| suffix.eq_ignore_ascii_case(known))
    })
}

/// The order in which fonts are tried. Noto has every script in one style: its upright sans serif comes first, then its
/// serif, then all other fonts.
fn rank(path: &Path) -> usize {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let is_plain = name.ends_with("-Regular") && !name.contains("UI") && !name.contains("Mono");
    match (is_plain, name.contains("-") || name.contains("Italic")) {
        (true, _) if name.starts_with("NotoSans") => 0,
        (true, _) if name.starts_with("NotoSerif") => 1,
        (true, _) if name.starts_with("Noto") => 2,
        (true, _) | (false, false) => 3,
        (false, true) => 4,
    }
}

/// The path of the bold font of the same family, if that file exists.
fn bold_of(path: &Path) -> Option<PathBuf> {
    let family = path.file_stem()?.to_str()?.strip_suffix("-Regular")?;
    let suffix = path.extension()?.to_str()?;
    let bold = path.with_file_name(format!("{family}-Bold.{suffix}"));
    bold.is_file().then_some(bold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../templates")
    }

    #[test]
    fn the_fonts_of_every_layout_have_the_common_alphabets() {
        let fonts = SystemFonts::default();
        let texts = "Łódź, Ελλάδα, Привет, שלום, سلام, 猫とねこ, हिन्दी, ภาษาไทย, 🦊\u{FE0F} – “quoted”";
        for layout in ["classic", "print-on-demand", "storybook"] {
            let templates = fs::canonicalize(templates().join(layout)).unwrap();
            let copy = tempfile::tempdir().unwrap();
            fs::create_dir(copy.path().join("fonts")).unwrap();
            for file in fs::read_dir(templates.join("fonts")).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), copy.path().join("fonts").join(file.file_name())).unwrap();
            }
            let found = fonts.supplement(copy.path(), [texts, "\u{12000}"].into_iter()).unwrap();
            assert_eq!(found.missing, ['\u{12000}'], "{layout}");
        }
    }

    #[test]
    fn a_font_of_the_system_is_found_when_the_layout_lacks_a_character() {
        let folder = tempfile::tempdir().unwrap();
        let fonts = SystemFonts::new(vec![folder.path().to_owned()]);
        let layout = tempfile::tempdir().unwrap();
        let supplement = || fonts.supplement(layout.path(), ["नमस्ते"].into_iter()).unwrap();
        assert!(supplement().faces.is_empty() && !supplement().missing.is_empty());

        let shipped = templates().join("classic/fonts");
        fs::create_dir(folder.path().join("noto")).unwrap();
        for (file, name) in [
            ("NotoSansDevanagari-Regular.ttf", "NotoSansDevanagari-Regular.ttf"),
            ("NotoSansDevanagari-Bold.ttf", "NotoSansDevanagari-Bold.ttf"),
            ("Baloo2-Bold.ttf", "A-Regular.ttf"),
        ] {
            fs::copy(shipped.join(file), folder.path().join("noto").join(name)).unwrap();
        }
        let found = supplement();
        let names = found
            .faces
            .iter()
            .map(|face| face.file.file_name().unwrap().to_str().unwrap());
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["NotoSansDevanagari-Regular.ttf", "NotoSansDevanagari-Bold.ttf"]
        );
        assert!(found.missing.is_empty());
        assert_eq!(found.read().unwrap().len(), 2);
    }
}
