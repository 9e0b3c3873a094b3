//! All that a template can see: its own folder and fonts, the book's data and the book's artwork.
//!
//! There are no packages, no network, no clock, and no way out of the folder.
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;

use linepress_files::TEMPLATES;
use typst::diag::{FileError, FileResult, PackageError};
use typst::foundations::{Binding, Bytes, Datetime, Duration, Module, Scope};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};
use typst_kit::files::{FileLoader, FileStore};
use typst_kit::fonts::FontStore;

use crate::data::{COVER, DATA};

/// The names that only a book may fill: a layout's samples never stand in for them.
fn belongs_to_book(path: &str) -> bool {
    matches!(path, DATA | COVER) || path.starts_with("drawings/")
}

/// What one compilation sees.
pub(crate) struct TemplateWorld {
    library: LazyHash<Library>,
    fonts: FontStore,
    /// What the fonts were read from.
    font_files: Vec<Bytes>,
    files: FileStore<Files>,
    main: FileId,
}

impl TemplateWorld {
    /// `book` holds the data and the artwork under their fixed virtual names.
    pub(crate) fn new(templates: &Path, template: &str, book: Vec<(String, Vec<u8>)>) -> io::Result<Self> {
        let (font_files, files) = read(templates, book)?;
        Ok(Self {
            library: LazyHash::new(library()),
            fonts: font_store(&font_files),
            font_files,
            files: FileStore::new(files),
            main: file_id(template)?,
        })
    }

    /// Takes what the folder and the book hold now. What is as it was keeps its place in what Typst remembers.
    pub(crate) fn replace(&mut self, templates: &Path, template: &str, book: Vec<(String, Vec<u8>)>) -> io::Result<()> {
        let (font_files, files) = read(templates, book)?;
        if font_files != self.font_files {
            self.fonts = font_store(&font_files);
            self.font_files = font_files;
        }
        *self.files.loader_mut() = files;
        self.files.reset();
        self.main = file_id(template)?;
        Ok(())
    }

    /// The characters of a text that no font of the layout can show.
    pub(crate) fn uncovered(&self, text: &str) -> String {
        let book: &FontBook = self.fonts.book();
        let covered = |character: char| {
            (0..)
                .map_while(|index| book.info(index))
                .any(|font| font.coverage.contains(u32::from(character)))
        };
        // Joiners, marks of direction and variation selectors shape their neighbours and are not seen themselves.
        let unseen = |character: char| {
            character.is_whitespace()
                || character.is_control()
                || matches!(character, '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}')
        };
        let characters: BTreeSet<char> = text.chars().collect();
        characters
            .into_iter()
            .filter(|&character| !unseen(character) && !covered(character))
            .collect()
    }
}

/// The fonts of a folder; and its other files, with those of the book.
fn read(templates: &Path, book: Vec<(String, Vec<u8>)>) -> io::Result<(Vec<Bytes>, Files)> {
    let files = linepress_files::read_all(templates, TEMPLATES).map_err(io::Error::other)?;
    let (fonts, own): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_font(path));
    let own = own.into_iter().filter(|(path, _)| !belongs_to_book(path));
    let seen = own.chain(book).map(|(path, bytes)| (path, Bytes::new(bytes))).collect();
    let fonts = fonts.into_iter().map(|(_, bytes)| Bytes::new(bytes));
    Ok((fonts.collect(), Files(seen)))
}

fn font_store(files: &[Bytes]) -> FontStore {
    let mut fonts = FontStore::new();
    for bytes in files {
        fonts.extend(Font::iter(bytes.clone()).map(|font| {
            let info = font.info().clone();
            (font, info)
        }));
    }
    fonts
}

fn file_id(template: &str) -> io::Result<FileId> {
    let path = VirtualPath::new(template).map_err(|_| io::Error::other("the template's name is no path"))?;
    Ok(RootedPath::new(VirtualRoot::Project, path).intern())
}

/// The folder's files, read once: what a template cannot name at the start it can never reach.
struct Files(HashMap<String, Bytes>);

impl FileLoader for Files {
    fn load(&self, id: FileId) -> FileResult<Bytes> {
        match id.root() {
            VirtualRoot::Package(package) => Err(FileError::Package(PackageError::NotFound(package.clone()))),
            VirtualRoot::Project => {
                let path = id.vpath().get_without_slash();
                self.0
                    .get(path)
                    .cloned()
                    .ok_or_else(|| FileError::NotFound(path.into()))
            }
        }
    }
}

impl World for TemplateWorld {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
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
        self.fonts.font(index)
    }

    /// The same book gives the same bytes on every day.
    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}

fn is_font(path: &str) -> bool {
    path.starts_with("fonts/") && [".ttf", ".otf", ".ttc"].iter().any(|suffix| path.ends_with(suffix))
}

/// Typst's library without `plugin`: WebAssembly in a template would run beside Typst, outside of the sandbox for plugins.
fn library() -> Library {
    let mut library = Library::default();
    let mut scope = Scope::new();
    let all = library.global.scope().iter();
    for (name, binding) in all.filter(|(name, _)| *name != "plugin") {
        scope.bind(name.clone(), binding.clone());
    }
    let global = Module::new("global", scope);
    // The module `std` holds the same names once more.
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
        let world = TemplateWorld::new(templates.path(), "a.typ", book).unwrap();
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

    #[test]
    fn characters_without_a_font_are_named() {
        let classic = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../templates/classic");
        let world = TemplateWorld::new(&classic, "us_letter.typ", Vec::new()).unwrap();
        let covered = "Łódź, Ελλάδα, Привет, שלום, سلام, 猫とねこ, 🦊\u{FE0F} – “quoted”";
        assert_eq!(world.uncovered(covered), "");
        assert_eq!(world.uncovered("a\u{12000}b\u{12000}"), "\u{12000}");
    }

    #[test]
    fn packages_are_out_of_reach() {
        let world = TemplateWorld::new(folder(&[("a.typ", "")]).path(), "a.typ", Vec::new()).unwrap();
        let package = VirtualRoot::Package("@preview/example:1.0.0".parse().unwrap());
        let inside = RootedPath::new(package, VirtualPath::new("lib.typ").unwrap()).intern();
        assert!(matches!(world.file(inside), Err(FileError::Package(_))));
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let templates = folder(&[("a.typ", "")]);
        std::os::unix::fs::symlink("/etc/passwd", templates.path().join("b.typ")).unwrap();
        let refusal = TemplateWorld::new(templates.path(), "a.typ", Vec::new()).err().unwrap();
        assert!(refusal.to_string().contains("b.typ is a symbolic link"), "{refusal}");
    }
}
