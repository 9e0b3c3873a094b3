//! The trial of one sample book in one format for one printer.
use std::collections::BTreeMap;
use std::fmt;

use anyhow::ensure;
use linepress_core::print::{SampleBook, difficult_books, leaves_of, printer_refusal};
use linepress_model::PrintFormat;
use linepress_platform::error::chain;
use linepress_plugin_host::LaidOut;
use linepress_print::{Finding, Pictures, Proof, Proofer, Purpose, RenderJob, has_wraparound};
use linepress_printers::{Backs, Edition, Part, Size};

use super::picture::with_findings;
use crate::template::artwork::{Artwork, with_addresses};
use crate::template::bench::Bench;

pub(super) struct Trial {
    format: PrintFormat,
    purpose: Purpose,
    sample: SampleBook,
}

/// The outcome of a trial.
pub(super) enum Outcome {
    /// The printer does not accept such a book, and a server would refuse to print it.
    NotPrinted,
    /// The template failed, with this error.
    Failed(String),
    Printed {
        findings: Vec<Finding>,
        /// The SVG of each page with findings, by page number.
        pictures: BTreeMap<usize, String>,
        /// Sentences about the leaves of `layout.toml` that this book does not have.
        unplaced: Vec<String>,
    },
}

/// Every sample in each format for each printer, and the wraparound covers.
pub(super) fn trials(bench: &Bench, formats: Vec<PrintFormat>, samples: &[String]) -> anyhow::Result<Vec<Trial>> {
    let names: Vec<_> = difficult_books(Default::default())
        .iter()
        .map(|sample| sample.name)
        .collect();
    for wanted in samples {
        ensure!(
            names.contains(&wanted.as_str()),
            "there is no sample {wanted}; the samples are {}",
            names.join(", ")
        );
    }
    let is_wanted = |sample: &SampleBook| samples.is_empty() || samples.iter().any(|wanted| wanted == sample.name);
    let mut trials = Vec::new();
    for format in formats {
        for sample in difficult_books(format.aspect).into_iter().filter(is_wanted) {
            for purpose in purposes(bench, &sample) {
                trials.push(Trial {
                    format: format.clone(),
                    purpose,
                    sample: sample.clone(),
                });
            }
        }
    }
    Ok(trials)
}

fn purposes(bench: &Bench, sample: &SampleBook) -> Vec<Purpose> {
    let purpose = |edition: Edition, backs, part| Purpose { edition, backs, part };
    let mut purposes = Vec::new();
    for &edition in Edition::ALL {
        for &backs in Backs::ALL {
            purposes.push(purpose(edition, backs, edition.usual_part()));
        }
        if edition != Edition::Home && sample.book.cover.is_some() && has_wraparound(&bench.templates) {
            purposes.push(purpose(edition, Backs::default(), Part::Cover));
        }
    }
    purposes
}

impl Trial {
    pub(super) async fn prove(&self, bench: &Bench, proofer: &mut Proofer, artwork: &Artwork) -> Outcome {
        let Self {
            format,
            purpose,
            sample,
        } = self;
        let laid_out = leaves_of(&bench.layout, format, *purpose, sample.aspect, &sample.book).await;
        let LaidOut { leaves, unplaced } = match laid_out {
            Ok(laid_out) => laid_out,
            Err(error) => return Outcome::Failed(format!("the layout declines the book: {}", error.for_operator())),
        };
        if printer_refusal(
            purpose.edition,
            Size::trimmed(format),
            &sample.book.language,
            leaves.len(),
        )
        .is_some()
        {
            return Outcome::NotPrinted;
        }
        let job = RenderJob {
            templates: &bench.templates,
            format,
            purpose: *purpose,
            leaves: &leaves,
            book: &sample.book,
        };
        match proofer.proof(job, Pictures::OfFindings).await {
            Ok(proof) => self.outcome(proof, artwork, unplaced),
            Err(error) => Outcome::Failed(chain(&error)),
        }
    }

    fn outcome(&self, proof: Proof, artwork: &Artwork, unplaced: Vec<String>) -> Outcome {
        let Proof {
            pages,
            diagnostics,
            findings,
            ..
        } = proof;
        let errors: Vec<String> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_error)
            .map(ToString::to_string)
            .collect();
        let Some(pages) = pages.filter(|_| errors.is_empty()) else {
            return Outcome::Failed(errors.join("\n"));
        };
        let names = artwork.names(&self.sample.book);
        let mut pictures = BTreeMap::new();
        for (index, page) in pages.into_iter().enumerate() {
            let leaf = index + 1;
            let Some(svg) = page.picture else { continue };
            let svg = with_addresses(svg, &names, |ours| artwork.data_url(ours));
            let here = findings.iter().filter(|finding| finding.leaf == leaf);
            pictures.insert(leaf, with_findings(&svg, page.boxes.as_ref(), here));
        }
        Outcome::Printed {
            findings,
            pictures,
            unplaced,
        }
    }
}

/// `format/sample`, followed by the options that differ from the default.
impl fmt::Display for Trial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.format.id, self.sample.name)?;
        let Purpose { edition, backs, part } = self.purpose;
        if edition != Edition::default() {
            write!(formatter, ",{edition}")?;
        }
        if backs != Backs::default() {
            formatter.write_str(",printed-backs")?;
        }
        if part == Part::Cover {
            formatter.write_str(",cover")?;
        }
        Ok(())
    }
}
