//! The manuscript of a book.
use linepress_model::Aspect;
use linepress_print::PrintBook;

use super::store::{self, BookRow, PageRow};
use crate::print::{self, Manuscript, ManuscriptDrawing};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;

/// The manuscript of a book: pages without an image are left out.
pub(super) fn manuscript(book: BookRow, pages: Vec<PageRow>) -> Manuscript {
    let drawing = |page: PageRow| {
        Some(ManuscriptDrawing {
            title: page.title,
            caption: page.caption,
            alternative_text: page.image.alternative_text.unwrap_or_default(),
            master: page.master_key?,
        })
    };
    Manuscript {
        title: book.title,
        subtitle: book.subtitle,
        author: book.author,
        description: book.description,
        audience: book.audience,
        aspect: book.aspect,
        language: book.language,
        isbn: book.isbn,
        cover: book.cover_master_key,
        drawings: pages.into_iter().filter_map(drawing).collect(),
    }
}

/// A book with its artwork, whichever account owns it, for an operator who works on templates. None if the book does
/// not exist.
pub async fn artwork_of(app: &App, id: &BookId) -> Result<Option<(Aspect, PrintBook)>> {
    let pool = &app.database.read;
    let Some(account) = store::account_of(pool, id).await? else {
        return Ok(None);
    };
    let Some(book) = store::find(pool, &account, id).await? else {
        return Ok(None);
    };
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    let manuscript = manuscript(book, pages);
    let book = print::load(app, &manuscript).await?;
    Ok(Some((manuscript.aspect, book)))
}
