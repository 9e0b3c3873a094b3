//! The files, fonts and library that a template can access: its own folder, the book's data and the book's artwork.
//!
//! A template has no packages, no network, no clock, and no access outside its folder.
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use linepress_files::TEMPLATES;
use typst::diag::{FileError, FileResult, PackageError};
use typst::foundations::{Binding, Bytes, Datetime, Duration, Module, Scope};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};
use typst_kit::files::{FileLoader, FileStore};
use typst_kit::fonts::FontStore;

use crate::data::{BARCODE_FOLDER, COVER, DATA};

/// Returns true for a path that only the server provides. A layout's sample files under these paths are never used.
fn is_reserved(path: &str) -> bool {
    matches!(path, DATA | COVER) || path.starts_with("drawings/") || path.starts_with(BARCODE_FOLDER)
}

/// A layout's templates and fonts, read once. A file that is not read here is out of a template's reach.
pub(crate) struct Templates {
    library: Arc<LazyHash<Library>>,
    fonts: Arc<Fonts>,
    files: HashMap<String, Bytes>,
    unusable_fonts: Vec<String>,
}

impl Templates {
    pub(crate) fn read(folder: &Path) -> io::Result<Self> {
        Self::read_after(None, folder)
    }

    /// Reads a folder that may have changed. Fonts that have not changed are not parsed again.
    pub(crate) fn read_after(before: Option<&Self>, folder: &Path) -> io::Result<Self> {
        let files = linepress_files::read_all(folder, TEMPLATES).map_err(io::Error::other)?;
        let (font_files, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_font(path));
        let is_not_a_font = |(path, bytes): &&(String, Vec<u8>)| {
            Font::iter(Bytes::new(bytes.clone())).next().is_none() && is_font(path)
        };
        let unread = files.iter().map(|(path, _)| path).filter(|path| is_web_font(path));
        let unusable_fonts = font_files
            .iter()
            .filter(is_not_a_font)
            .map(|(path, _)| path)
            .chain(unread)
            .cloned()
            .collect();
        let font_files: Vec<Bytes> = font_files.into_iter().map(|(_, bytes)| Bytes::new(bytes)).collect();
        let fonts = match before {
            Some(before) if before.fonts.files == font_files => before.fonts.clone(),
            _ => Arc::new(Fonts::new(font_files)),
        };
        let own = files.into_iter().filter(|(path, _)| !is_reserved(path));
        Ok(Self {
            library: before.map_or_else(|| Arc::new(LazyHash::new(library())), |before| before.library.clone()),
            fonts,
            files: own.map(|(path, bytes)| (path, Bytes::new(bytes))).collect(),
            unusable_fonts,
        })
    }
}

/// Fonts, and the files that they were read from.
struct Fonts {
    store: FontStore,
    files: Vec<Bytes>,
}

impl Fonts {
    fn new(files: Vec<Bytes>) -> Self {
        let mut store = FontStore::new();
        for bytes in &files {
            store.extend(Font::iter(bytes.clone()).map(|font| {
                let info = font.info().clone();
                (font, info)
            }));
        }
        Self { store, files }
    }

    /// Returns these fonts followed by the faces of system fonts.
    fn with(&self, system_fonts: &[(String, Bytes)]) -> Self {
        let mut store = FontStore::new();
        let own = (0..).map_while(|index| self.store.font(index));
        let more = system_fonts.iter().filter_map(|(path, bytes)| {
            let index = path.rsplit('/').next()?.parse().ok()?;
            Font::new(bytes.clone(), index)
        });
        store.extend(own.chain(more).map(|font| {
            let info = font.info().clone();
            (font, info)
        }));
        Self {
            store,
            files: self.files.clone(),
        }
    }
}

/// The path under which a face of a system font is sent with a book. The last component is the index of the face in its
/// file.
pub(crate) fn system_font_path(number: usize, index: u32) -> String {
    format!("{SYSTEM_FONTS}{number:02}/{index}")
}

const SYSTEM_FONTS: &str = "system-fonts/";

/// The world of one compilation.
pub(crate) struct TemplateWorld {
    templates: Arc<Templates>,
    fonts: Arc<Fonts>,
    files: FileStore<Files>,
    main: FileId,
}

impl TemplateWorld {
    /// Creates the world of one book. `book` holds the data and the artwork under their fixed virtual paths.
    pub(crate) fn new(templates: Arc<Templates>, template: &str, book: Vec<(String, Vec<u8>)>) -> io::Result<Self> {
        let (system_fonts, book): (Vec<_>, Vec<_>) = book
            .into_iter()
            .map(|(path, bytes)| (path, Bytes::new(bytes)))
            .partition(|(path, _)| path.starts_with(SYSTEM_FONTS));
        let fonts = match system_fonts.as_slice() {
            [] => templates.fonts.clone(),
            more => Arc::new(templates.fonts.with(more)),
        };
        let book = book.into_iter().collect();
        let main =
            VirtualPath::new(template).map_err(|_| io::Error::other("the template's name is not a valid path"))?;
        let files = Files {
            templates: templates.clone(),
            book,
        };
        Ok(Self {
            templates,
            fonts,
            files: FileStore::new(files),
            main: RootedPath::new(VirtualRoot::Project, main).intern(),
        })
    }
}

impl TemplateWorld {
    /// The files in the `fonts` folder that are not fonts, or are in a web font format, which is not supported.
    pub(crate) fn unusable_fonts(&self) -> &[String] {
        &self.templates.unusable_fonts
    }
}

/// The files of the layout and of one book.
struct Files {
    templates: Arc<Templates>,
    book: HashMap<String, Bytes>,
}

impl FileLoader for Files {
    fn load(&self, id: FileId) -> FileResult<Bytes> {
        match id.root() {
            VirtualRoot::Package(package) => Err(FileError::Package(PackageError::NotFound(package.clone()))),
            VirtualRoot::Project => {
                let path = id.vpath().get_without_slash();
                let own = self.templates.files.get(path);
                own.or_else(|| self.book.get(path))
                    .cloned()
                    .ok_or_else(|| FileError::NotFound(path.into()))
            }
        }
    }
}

impl World for TemplateWorld {
    fn library(&self) -> &LazyHash<Library> {
        &self.templates.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.store.book()
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        self.files.source(id)
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.file(id)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.store.font(index)
    }

    /// Returns `None`: the same book gives the same bytes on every day.
    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}

pub(crate) fn is_font(path: &str) -> bool {
    path.starts_with("fonts/") && [".ttf", ".otf", ".ttc"].iter().any(|suffix| path.ends_with(suffix))
}

fn is_web_font(path: &str) -> bool {
    path.starts_with("fonts/") && [".woff", ".woff2"].iter().any(|suffix| path.ends_with(suffix))
}

/// Returns Typst's library without `plugin`. WebAssembly in a template would run inside Typst, outside the sandbox for
/// plugins.
fn library() -> Library {
    let mut library = Library::default();
    let mut scope = Scope::new();
    let all = library.global.scope().iter();
    for (name, binding) in all.filter(|(name, _)| *name != "plugin") {
        scope.bind(name.clone(), binding.clone());
    }
    let global = Module::new("global", scope);
    // The module `std` holds the same names again.
    library.std = Binding::detached(global.clone());
    library.global = global;
    library
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn world(templates: &Path, template: &str, book: Vec<(String, Vec<u8>)>) -> TemplateWorld {
        TemplateWorld::new(Arc::new(Templates::read(templates).unwrap()), template, book).unwrap()
    }

    fn id(path: &str) -> FileId {
        RootedPath::new(VirtualRoot::Project, VirtualPath::new(path).unwrap()).intern()
    }

    #[test]
    fn a_template_sees_its_folder_and_the_book_and_nothing_else() {
        let templates = folder(&[
            ("a.typ", "hello"),
            ("art/star.svg", "<svg/>"),
            ("drawings/002.pdf", "sample"),
        ]);
        let book = vec![
            ("data.json".to_owned(), b"{}".to_vec()),
            ("drawings/001.pdf".to_owned(), b"one".to_vec()),
        ];
        let world = world(templates.path(), "a.typ", book);
        for (path, text) in [
            ("a.typ", "hello"),
            ("art/star.svg", "<svg/>"),
            ("data.json", "{}"),
            ("drawings/001.pdf", "one"),
        ] {
            assert_eq!(world.file(id(path)).unwrap().as_slice(), text.as_bytes(), "{path}");
        }
        for path in ["drawings/002.pdf", "cover.pdf", "etc/passwd"] {
            assert!(matches!(world.file(id(path)), Err(FileError::NotFound(_))), "{path}");
        }
        assert!(world.today(None).is_none());
    }

    /// Fitting a long word tries several sizes and breaks, and each attempt lays the word out.
    #[test]
    fn fitting_a_long_word_takes_few_layouts_and_few_break_points() {
        let classic = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../templates/classic");
        let shared = fs::read_to_string(classic.join("shared.typ")).unwrap();
        let main = r#"
            #import "shared.typ": breakable, first-that, largest-that, most-breaks
            #let word = "Rindfleisch" * 30
            #assert(breakable(word).split("\u{AD}").len() <= most-breaks + 1)
            #assert.eq(breakable("Rindfleischtopf"), "Rindfleischtopf")
            // A binary search tries about ten of a thousand, none of them among the first.
            #assert.eq(first-that(0, 1000, number => { assert(number > 100); number >= 700 }), 700)
            #assert.eq(first-that(0, 1000, number => false), 1000)
            #assert.eq(largest-that(66pt, 15pt, 0.94, size => { assert(size < 60pt); size < 20pt }) < 20pt, true)
        "#;
        let templates = folder(&[("shared.typ", &shared), ("main.typ", main)]);
        let world = world(templates.path(), "main.typ", Vec::new());
        let compiled = typst::compile::<typst_layout::PagedDocument>(&world);
        assert!(compiled.output.is_ok(), "{:?}", compiled.output.err());
    }

    #[test]
    fn packages_are_out_of_reach() {
        let world = world(folder(&[("a.typ", "")]).path(), "a.typ", Vec::new());
        let package = VirtualRoot::Package("@preview/example:1.0.0".parse().unwrap());
        let inside = RootedPath::new(package, VirtualPath::new("lib.typ").unwrap()).intern();
        assert!(matches!(world.file(inside), Err(FileError::Package(_))));
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let templates = folder(&[("a.typ", "")]);
        std::os::unix::fs::symlink("/etc/passwd", templates.path().join("b.typ")).unwrap();
        let refusal = Templates::read(templates.path()).err().unwrap();
        assert!(refusal.to_string().contains("b.typ is a symbolic link"), "{refusal}");
    }
}
