//! Trials of templates before they are used: the sample book in every format, and a cover.
use linepress_model::PrintFormat;
use linepress_plugin_host::{Layout, TemplateTrial, TrialFuture};
use linepress_print::{Diagnostic, Pictures, Proofer, Purpose, RenderJob, RenderSettings, has_wraparound};
use linepress_printers::{Backs, Edition, Part, Size};

use super::printer_refusal;
use super::samples::{SampleBook, difficult_books, leaves_of, sample_book};
use linepress_platform::error::chain;

/// Prints the sample books as a server would.
#[derive(Debug)]
pub struct SampleTrial {
    settings: RenderSettings,
}

impl SampleTrial {
    pub fn new(settings: RenderSettings) -> Self {
        Self { settings }
    }

    async fn print_samples(&self, layout: &Layout) -> Result<(), String> {
        let mut proofer = Proofer::new(self.settings.clone());
        for format in &layout.description().formats {
            let sample = sample_book(format.aspect);
            print(&mut proofer, layout, format, Purpose::default(), &sample).await?;
        }
        if has_wraparound(layout.templates()) {
            self.print_sample_cover(&mut proofer, layout).await?;
        }
        Ok(())
    }

    /// Prints a cover in the first format that the printer offers. The sample has enough pages for all of them.
    async fn print_sample_cover(&self, proofer: &mut Proofer, layout: &Layout) -> Result<(), String> {
        let purpose = Purpose {
            edition: Edition::Lulu,
            backs: Backs::default(),
            part: Part::Cover,
        };
        for format in &layout.description().formats {
            let books = difficult_books(format.aspect);
            let Some(sample) = books.iter().find(|sample| sample.book.drawings.len() == 24) else {
                continue;
            };
            if print(proofer, layout, format, purpose, sample).await? {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl TemplateTrial for SampleTrial {
    fn try_out<'a>(&'a self, layout: &'a Layout) -> TrialFuture<'a> {
        Box::pin(self.print_samples(layout))
    }
}

/// Prints a sample book. Returns false when the printer does not accept such a book.
async fn print(
    proofer: &mut Proofer,
    layout: &Layout,
    format: &PrintFormat,
    purpose: Purpose,
    sample: &SampleBook,
) -> Result<bool, String> {
    let leaves = leaves_of(layout, format, purpose, sample.aspect, &sample.book).await;
    let leaves = leaves.map_err(|error| error.for_operator())?.leaves;
    let size = Size::trimmed(format);
    if printer_refusal(purpose.edition, size, &sample.book.language, leaves.len()).is_some() {
        return Ok(false);
    }
    let job = RenderJob {
        templates: layout.templates(),
        format,
        purpose,
        leaves: &leaves,
        book: &sample.book,
    };
    let proof = proofer
        .proof(job, Pictures::None)
        .await
        .map_err(|error| chain(&error))?;
    match proof
        .diagnostics
        .iter()
        .find(|diagnostic: &&Diagnostic| diagnostic.is_error)
    {
        Some(diagnostic) => Err(format!("{}: {diagnostic}", format.id)),
        None => Ok(true),
    }
}
