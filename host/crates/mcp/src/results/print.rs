//! Print formats and print checks.
use linepress_preflight::Report;
use serde::Serialize;
use utoipa::ToSchema;

use super::Meta;
use linepress_core::books::ChosenFormat;
use linepress_core::print::{OfferedFormat, PrintFormatResource, PrinterLimits, Trim, printers_of};

/// The result of `list_print_formats`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PrintFormatsResult {
    pub print_formats: Vec<FormatForPrinters>,
    pub meta: Meta,
}

/// A format, with the printing services that offer it.
#[derive(Serialize, ToSchema)]
pub(crate) struct FormatForPrinters {
    #[serde(flatten)]
    pub format: PrintFormatResource,
    pub printers: Vec<PrinterLimits>,
}

impl From<&OfferedFormat> for FormatForPrinters {
    fn from(offered: &OfferedFormat) -> Self {
        Self {
            format: PrintFormatResource::new(offered),
            printers: printers_of(offered),
        }
    }
}

/// The format of a book's PDF.
#[derive(Serialize, ToSchema)]
pub(crate) struct FormatOfBook {
    pub id: String,
    pub name: String,
    pub trim: Trim,
    /// The number of pages of the book, blank ones included. Null when it is not known.
    pub page_count: Option<usize>,
}

impl From<&ChosenFormat> for FormatOfBook {
    fn from(chosen: &ChosenFormat) -> Self {
        let PrintFormatResource { id, name, trim, .. } = PrintFormatResource::new(&chosen.offered);
        Self {
            id,
            name,
            trim,
            page_count: chosen.page_count,
        }
    }
}

/// The result of `check_book_print`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PrintCheckResult {
    pub print_check: Report,
    pub print_format: FormatOfBook,
}
