//! The print-ready PDF of a book: made once, kept under a key of its content, then only read.
use bytes::Bytes;

use super::store;
use crate::app::App;
use crate::artwork::{Aspect, Audience};
use crate::caller::Caller;
use crate::error::{Detail, Error, ErrorCode, Result};
use crate::ids::BookId;
use crate::plugins::PrintFormat;
use crate::print;

/// A finished PDF.
#[derive(Debug)]
pub struct Pdf {
    pub bytes: Bytes,
    /// What to call the file: the title in plain ASCII, and the format.
    pub file_name: String,
}

/// The PDF of the caller's book in a format, or in the first that matches.
pub async fn pdf(app: &App, caller: &Caller, id: &BookId, format: Option<&str>) -> Result<Option<Pdf>> {
    let pool = &app.database.read;
    let Some(book) = store::find(pool, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let aspect = Aspect::parse(&book.aspect).unwrap_or_default();
    let format = choose(print::formats(app), aspect, format)?;
    let mut pages = store::pages_of(pool, &[id.as_str()]).await?;
    let pages = pages.remove(id.as_str()).unwrap_or_default();
    check_ready(&book, &pages)?;

    let edition = print::Edition {
        title: book.title.clone(),
        subtitle: book.subtitle,
        author: book.author,
        description: book.description,
        audience: Audience::parse(&book.audience).unwrap_or_default(),
        aspect,
        cover: book.cover_master_key,
        drawings: pages
            .into_iter()
            .filter_map(|page| {
                Some(print::EditionDrawing {
                    title: page.title,
                    caption: page.caption,
                    master: page.master_key?,
                })
            })
            .collect(),
    };
    let bytes = print::pdf_of(app, &edition, &format).await?;
    Ok(Some(Pdf {
        bytes,
        file_name: file_name(&book.title, &format.id),
    }))
}

fn choose(formats: Vec<PrintFormat>, aspect: Aspect, wanted: Option<&str>) -> Result<PrintFormat> {
    let matching = || formats.iter().filter(|format| format.aspect == aspect);
    let names = || {
        matching()
            .map(|format| format.id.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match wanted {
        None => matching().next().cloned().ok_or_else(|| {
            Error::new(
                ErrorCode::FormatMismatch,
                format!("This server has no print format for {} books.", aspect.as_str()),
            )
        }),
        Some(wanted) => match formats.iter().find(|format| format.id == wanted) {
            None => Err(Error::invalid_request(format!(
                "There is no such print format. GET /print_formats lists them; for this book: {}.",
                names()
            ))),
            Some(format) if format.aspect != aspect => Err(Error::new(
                ErrorCode::FormatMismatch,
                format!(
                    "{} is for {} books and this one is {}. It can be printed as: {}.",
                    format.id,
                    format.aspect.as_str(),
                    aspect.as_str(),
                    names()
                ),
            )),
            Some(format) => Ok(format.clone()),
        },
    }
}

fn check_ready(book: &store::BookRow, pages: &[store::PageRow]) -> Result<()> {
    let mut details: Vec<Detail> = pages
        .iter()
        .enumerate()
        .filter(|(_, page)| page.status != "ready")
        .map(|(index, page)| Detail {
            field: format!("pages[{index}]"),
            message: format!("{} is {}", page.id, page.status),
        })
        .collect();
    if book.cover_status == "generating" {
        details.push(Detail {
            field: "cover".into(),
            message: "is generating".into(),
        });
    }
    let not_ready = |message: &str| Error::new(ErrorCode::BookNotReady, message);
    if !details.is_empty() {
        return Err(not_ready(
            "Not every page of the book is ready. Wait for, regenerate or replace those in `details`.",
        )
        .with_details(details));
    }
    if pages.is_empty() {
        return Err(not_ready("The book has no pages."));
    }
    Ok(())
}

fn file_name(title: &str, format: &str) -> String {
    let mut name = String::new();
    for letter in title.chars().take(80) {
        if letter.is_ascii_alphanumeric() {
            name.push(letter.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    let name = if name.is_empty() { "coloring-book" } else { name };
    format!("{name}-{format}.pdf")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_file_name_is_plain_ascii() {
        assert_eq!(file_name("Woodland Friends!", "a4"), "woodland-friends-a4.pdf");
        assert_eq!(file_name("森の仲間", "a4"), "coloring-book-a4.pdf");
        assert_eq!(file_name("../../etc/passwd\"\r\n", "square"), "etc-passwd-square.pdf");
    }
}
