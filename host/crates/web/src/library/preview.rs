//! A preview of a book: the pages of its PDF, to leaf through.
use std::ops::RangeInclusive;

use askama::Template;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use linepress_printers::{Direction, Part};
use serde::Deserialize;

use super::book_print::refused;
use super::form::check_plan;
use super::pictures::cached;
use super::print_panel;
use linepress_core::books::{self, PrintedPages};
use linepress_core::print::PrintOptions;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::BookId;

#[derive(Template)]
#[template(path = "library/preview.html")]
struct PreviewPage {
    frame: Frame,
    id: BookId,
    title: String,
    /// The address of the print panel, with the choices of this preview.
    back: String,
    printer: &'static str,
    format_name: String,
    /// The other file of the book for this printer.
    other: Option<OtherFile>,
    is_cover: bool,
    is_from_right: bool,
    picture: Picture,
    /// The pages that are shown, in words.
    shown: String,
    last: usize,
    first_shown: usize,
    /// The address of the preview without a page.
    address: String,
    /// The parameters of that address, for a form.
    parameters: Vec<(&'static str, String)>,
    previous: Option<usize>,
    next: Option<usize>,
}

struct OtherFile {
    name: &'static str,
    url: String,
}

/// The picture of the pages that are shown.
struct Picture {
    url: String,
    /// Its proportions.
    width: u32,
    height: u32,
}

#[derive(Deserialize)]
pub(super) struct PreviewQuery {
    /// The number of the page, from 1.
    page: Option<usize>,
    /// The number of the last page that the address of a picture names.
    last: Option<usize>,
    /// The version of the PDF that the address of a picture names.
    version: Option<String>,
}

/// Shows the open book at a page.
pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(options): Query<PrintOptions>,
    Query(query): Query<PreviewQuery>,
) -> Reply {
    check_plan(&signed_in)?;
    let pages = match books::printed_pages(&app, &signed_in.caller(), &id, &options).await {
        Ok(pages) => pages.ok_or_else(missing)?,
        Err(error) => return refused(&app, &signed_in, &id, error).await,
    };
    let view = PreviewPage::new(
        signed_in.frame(Section::Books),
        id,
        &options,
        pages,
        query.page.unwrap_or(1),
    );
    Ok(page(StatusCode::OK, &view))
}

/// Sends the picture of one or two pages.
pub(super) async fn picture(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(options): Query<PrintOptions>,
    Query(query): Query<PreviewQuery>,
) -> Reply {
    check_plan(&signed_in)?;
    let first = query.page.unwrap_or(1);
    let pages = first..=query.last.unwrap_or(first);
    let picture = books::picture_of_pages(&app, &signed_in.caller(), &id, &options, pages).await?;
    let (picture, version) = picture.ok_or_else(missing)?;
    let picture = ([(header::CONTENT_TYPE, "image/jpeg")], picture).into_response();
    // The book may have changed after its page was made.
    if query.version != Some(version) {
        return Ok(([(header::CACHE_CONTROL, "no-store")], picture).into_response());
    }
    Ok(cached(picture))
}

impl PreviewPage {
    fn new(frame: Frame, id: BookId, options: &PrintOptions, pages: PrintedPages, page: usize) -> Self {
        let PrintedPages {
            title,
            language,
            format,
            part,
            page_count,
            version,
        } = pages;
        let is_bound = part == Part::Interior;
        let open = open_at(page, page_count, is_bound);
        let parameters = |part: Part| {
            vec![
                ("format", format.id.clone()),
                ("edition", options.edition.to_string()),
                ("backs", options.backs.to_string()),
                ("part", part.to_string()),
            ]
        };
        let address = |part| {
            let parameters = parameters(part);
            let parameters: Vec<String> = parameters
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            format!("/library/books/{id}/preview?{}", parameters.join("&"))
        };
        // A cover is the front, the back and a spine, whose width does not matter here.
        let across = if part == Part::Cover || open.start() < open.end() {
            2
        } else {
            1
        };
        let picture = Picture {
            url: format!(
                "{}&page={}&last={}&version={version}",
                address(part).replacen("/preview?", "/preview/picture?", 1),
                open.start(),
                open.end()
            ),
            width: across * format.trim_width_um / 1000,
            height: format.trim_height_um / 1000,
        };
        Self {
            printer: options.edition.name(),
            other: other_file(part).map(|(name, part)| OtherFile {
                name,
                url: address(part),
            }),
            is_cover: part == Part::Cover,
            is_from_right: Direction::of_language(&language) == Direction::RightToLeft,
            picture,
            shown: in_words(&open, page_count),
            last: page_count,
            first_shown: *open.start(),
            previous: (*open.start() > 1).then(|| *open_at(open.start() - 1, page_count, is_bound).start()),
            next: (*open.end() < page_count).then(|| open.end() + 1),
            address: address(part),
            parameters: parameters(part),
            format_name: format.name.clone(),
            frame,
            title,
            back: print_panel::address(&id, options.edition, options.backs),
            id,
        }
    }
}

/// The pages that are visible when the book is open at this page: the first page of a bound book alone, then two at a
/// time. A page number out of range is replaced by the nearest one.
fn open_at(page: usize, count: usize, is_bound: bool) -> RangeInclusive<usize> {
    let page = page.clamp(1, count.max(1));
    if !is_bound || page == 1 {
        return page..=page;
    }
    let first = page - page % 2;
    first..=(first + 1).min(count.max(1))
}

fn in_words(open: &RangeInclusive<usize>, count: usize) -> String {
    let (first, last) = (open.start(), open.end());
    if first == last {
        format!("Page {first} of {count}")
    } else {
        format!("Pages {first} and {last} of {count}")
    }
}

fn other_file(part: Part) -> Option<(&'static str, Part)> {
    match part {
        Part::Book => None,
        Part::Interior => Some(("The cover", Part::Cover)),
        Part::Cover => Some(("The pages inside", Part::Interior)),
    }
}

fn missing() -> Error {
    Error::not_found("page")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_book_shows_pairs_of_pages_that_begin_with_an_even_number() {
        for (page, count, open) in [
            (1, 24, 1..=1),
            (2, 24, 2..=3),
            (3, 24, 2..=3),
            (23, 24, 22..=23),
            (24, 24, 24..=24),
            (25, 25, 24..=25),
            (0, 24, 1..=1),
            (99, 24, 24..=24),
            (1, 0, 1..=1),
        ] {
            assert_eq!(open_at(page, count, true), open, "{page} of {count}");
        }
        assert_eq!(open_at(7, 24, false), 7..=7);
    }
}
