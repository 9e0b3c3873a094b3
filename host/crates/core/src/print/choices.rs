//! Printers and sizes for one book: every combination, with the reason if it does not work.
use linepress_print::{Purpose, has_wraparound};
use linepress_printers::{Backs, Direction, Edition, Size, check_pages, page_limits};

use super::making::lay_out;
use super::options::trim;
use super::{Manuscript, OfferedFormat, formats};
use linepress_platform::app::App;
use linepress_platform::error::Error;

/// A printer and a size, and whether the book and its cover can be printed there.
#[derive(Clone, Debug)]
pub struct PrintChoice {
    pub edition: Edition,
    pub format: String,
    pub format_name: String,
    /// The trimmed size of the format.
    pub size: Size,
    /// The id of the layout that provides the format.
    pub layout: String,
    pub layout_name: String,
    /// The number of interior pages, blank ones included. None if the printer does not offer the size.
    pub page_count: Option<usize>,
    /// The reason why the book cannot be printed. None if it can.
    pub refusal: Option<String>,
    /// The reason why no separate cover can be printed. None if it can, or if the edition has none.
    pub cover_refusal: Option<&'static str>,
}

/// Every printer with every size of the book's aspect. Only the layouts are called; nothing is typeset.
pub async fn choices(app: &App, manuscript: &Manuscript, backs: Backs) -> Vec<PrintChoice> {
    let mut choices = Vec::new();
    for offered in formats(app).iter() {
        if offered.format.aspect != manuscript.aspect {
            continue;
        }
        for edition in Edition::ALL.iter().copied() {
            choices.push(choice(manuscript, offered, edition, backs).await);
        }
    }
    choices.sort_by_key(|choice| Edition::ALL.iter().position(|edition| *edition == choice.edition));
    choices
}

async fn choice(manuscript: &Manuscript, offered: &OfferedFormat, edition: Edition, backs: Backs) -> PrintChoice {
    let laid_out = page_count(manuscript, offered, edition, backs).await;
    let size = trim(offered);
    let refusal = match &laid_out {
        Ok(pages) => printer_refusal(edition, size, &manuscript.language, *pages),
        Err(reason) => Some(reason.clone()),
    };
    let layout = offered.layout.description();
    PrintChoice {
        edition,
        format: offered.format.id.clone(),
        format_name: offered.format.name.clone(),
        size,
        layout: layout.id.clone(),
        layout_name: layout.name.clone(),
        page_count: laid_out.ok(),
        refusal,
        cover_refusal: cover_refusal(manuscript, offered, edition),
    }
}

/// The number of interior pages, or the reason why the book cannot be laid out.
async fn page_count(
    manuscript: &Manuscript,
    offered: &OfferedFormat,
    edition: Edition,
    backs: Backs,
) -> Result<usize, String> {
    let size = trim(offered);
    // A book that the printer refuses whatever its number of pages is not laid out.
    let fewest_pages = page_limits(edition, size).map_or(0, |limits| *limits.start() as usize);
    if let Some(reason) = printer_refusal(edition, size, &manuscript.language, fewest_pages) {
        return Err(reason);
    }
    let purpose = Purpose {
        edition,
        backs,
        part: edition.usual_part(),
    };
    match lay_out(manuscript, offered, purpose).await {
        Ok(leaves) => Ok(leaves.len()),
        Err(error) if error.is_internal() => {
            // Not returned as an error, so that the other choices are shown.
            let cause = Error::for_operator(&error);
            tracing::error!(
                format = offered.format.id,
                cause,
                "the layout plugin failed to lay out a book"
            );
            Err("the layout of this size does not work at the moment".into())
        }
        Err(_) => Err("the layout of this size cannot print this book".into()),
    }
}

/// The reason why a printer would not print a book of this size, language and number of pages.
pub fn printer_refusal(edition: Edition, size: Size, language: &str, pages: usize) -> Option<String> {
    let is_offered = page_limits(edition, size).is_some();
    if is_offered && !Direction::of_language(language).is_bound_by(edition) {
        return Some(format!(
            "{} binds books on the left, and this one is read from right to left",
            edition.name()
        ));
    }
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    check_pages(edition, size, pages).err().map(|reason| reason.to_string())
}

fn cover_refusal(manuscript: &Manuscript, offered: &OfferedFormat, edition: Edition) -> Option<&'static str> {
    if edition == Edition::Home {
        return None;
    }
    if manuscript.cover.is_none() {
        return Some("The cover is not drawn.");
    }
    (!has_wraparound(offered.layout.templates())).then_some("This size has no cover of one sheet.")
}
