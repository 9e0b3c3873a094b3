//! A book as people without an account see it, to whom its owner shows it. The functions check no caller: the crate
//! `linepress-reviews` has checked the link of the visitor.
use linepress_model::Aspect;

use super::store;
use crate::artwork::{self, Download, Image, Status};
use crate::pages;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, BookId, PageId};

/// The parts of a book that visitors see.
#[derive(Clone, Debug)]
pub struct ShownBook {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub aspect: Aspect,
    /// None while the cover has no image.
    pub cover: Option<Image>,
    /// The pages, in the order of printing.
    pub pages: Vec<ShownPage>,
}

/// A page of a book that is shown.
#[derive(Clone, Debug)]
pub struct ShownPage {
    pub id: PageId,
    pub title: String,
    pub caption: String,
    pub status: Status,
    /// None while the page has no image.
    pub image: Option<Image>,
}

/// A book of the account as it is now. None if the account has no such book.
pub async fn shown(app: &App, account: &AccountId, id: &BookId) -> Result<Option<ShownBook>> {
    let pool = &app.database.read;
    let Some(book) = store::find(pool, account, id).await? else {
        return Ok(None);
    };
    let pages = store::pages_of(pool, &[id]).await?.remove(id).unwrap_or_default();
    let shown = |page: store::PageRow| ShownPage {
        image: page.image.into_image(),
        id: page.id,
        title: page.title,
        caption: page.caption,
        status: page.status,
    };
    Ok(Some(ShownBook {
        title: book.title,
        subtitle: book.subtitle,
        author: book.author,
        aspect: book.aspect,
        cover: book.image.into_image(),
        pages: pages.into_iter().map(shown).collect(),
    }))
}

/// The image of the cover. None if the account has no such book, or its cover has no image.
pub async fn shown_cover(app: &App, account: &AccountId, id: &BookId) -> Result<Option<Download>> {
    let Some(book) = store::find(&app.database.read, account, id).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (book.cover_image_key, book.image.media_type) else {
        return Ok(None);
    };
    artwork::download(app, &key, media_type, &book.title).await.map(Some)
}

/// The image of a page of the book. None if the page is not in the book, or has no image.
pub async fn shown_page(app: &App, account: &AccountId, book: &BookId, page: &PageId) -> Result<Option<Download>> {
    if page_title(app, book, page).await?.is_none() {
        return Ok(None);
    }
    pages::shown_image(app, account, page).await
}

/// The title of a page of the book. None if the page is not in the book.
pub async fn page_title(app: &App, book: &BookId, page: &PageId) -> Result<Option<String>> {
    Ok(store::page_title(&app.database.read, book, page).await?)
}
