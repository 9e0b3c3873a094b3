//! What a person needs to publish a book: the listing kit, the record of its drawings, and a package with all files. It
//! knows no interface.

/// A ZIP archive that is written while it is sent.
mod archive;
/// The record of how the drawings of a book were made.
mod disclosure;
/// The search words of a book.
mod keywords;
/// The texts that a shop asks for.
mod listing;
/// All files of a book for one printer.
mod package;
/// The text that explains the files of a package.
mod readme;
/// The finished files of an archive, on disk.
mod spool;
/// The topics of coloring books that buyers search for.
mod topics;

pub use disclosure::{Disclosure, DrawingRecord, Maker};
pub use keywords::{KEYWORD_BOXES, MAX_KEYWORD_CHARS};
pub use listing::{Listing, MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS, ReadingAge, listing};
pub use package::{Package, package, prepare};
