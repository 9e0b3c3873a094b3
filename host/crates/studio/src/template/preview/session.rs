//! The state of a preview: proofs of a book, made when the page requests them, and again when the templates have
//! changed.
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use linepress_core::print::{leaves_of, sample_book};
use linepress_model::{Aspect, PrintFormat};
use linepress_operator::startup::render_settings;
use linepress_platform::config::Config;
use linepress_platform::error::chain;
use linepress_print::{Pictures, PrintBook, PrintError, Proof, Proofer, Purpose, RenderJob, has_wraparound};
use linepress_printers::{Backs, Edition};
use linepress_terminal::{print_line, printable};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::view::{Choices, FormatChoice, Shown, ShownFinding, ShownPage, View};
use crate::template::artwork::{Artwork, with_addresses};
use crate::template::bench::Bench;

/// The time limit of a proof: shorter than a server's, because a designer is waiting.
const PROOF_TIMEOUT: Duration = Duration::from_secs(30);

/// The book that is shown.
pub(super) enum BookSource {
    /// A sample book for each aspect.
    Samples,
    Stored {
        aspect: Aspect,
        book: Box<PrintBook>,
    },
}

pub(super) struct Session {
    bench: Bench,
    book: BookSource,
    first: String,
    pub(super) artwork: Artwork,
    /// The process that makes proofs, one at a time.
    proofer: tokio::sync::Mutex<Proofer>,
    shown: Mutex<HashMap<View, Shown>>,
    /// The pictures of all pages that are shown, by name.
    pictures: Mutex<HashMap<String, String>>,
    version: watch::Sender<u64>,
}

impl Session {
    pub(super) fn new(config: &Config, bench: Bench, book: BookSource, first: String) -> anyhow::Result<Self> {
        let mut settings = render_settings(config, std::env::current_exe()?);
        settings.timeout = settings.timeout.min(PROOF_TIMEOUT);
        let session = Self {
            first,
            bench,
            book,
            artwork: Artwork::default(),
            proofer: tokio::sync::Mutex::new(Proofer::new(settings)),
            shown: Mutex::default(),
            pictures: Mutex::default(),
            version: watch::Sender::new(1),
        };
        anyhow::ensure!(
            !session.formats().is_empty(),
            "the layout has no format of this book's shape"
        );
        Ok(session)
    }

    pub(super) fn templates_changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// A receiver of the version of the templates, which is notified of each change.
    pub(super) fn versions(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The formats in which the book can be printed.
    fn formats(&self) -> Vec<&PrintFormat> {
        let fits = |format: &&PrintFormat| match &self.book {
            BookSource::Samples => true,
            BookSource::Stored { aspect, .. } => format.aspect == *aspect,
        };
        self.bench.formats().iter().filter(fits).collect()
    }

    pub(super) fn choices(&self) -> Choices {
        let formats = self.formats();
        let has_first = formats.iter().any(|format| format.id == self.first);
        let choice = |format: &&PrintFormat| FormatChoice {
            id: format.id.clone(),
            name: format.name.clone(),
        };
        Choices {
            layout: self.bench.layout.description().name.clone(),
            folder: self.bench.templates.display().to_string(),
            first: if has_first {
                self.first.clone()
            } else {
                formats[0].id.clone()
            },
            formats: formats.iter().map(choice).collect(),
            editions: Edition::ALL.to_vec(),
            has_wraparound: has_wraparound(&self.bench.templates),
        }
    }

    pub(super) fn picture(&self, name: &str) -> Option<String> {
        let pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        pictures.get(name).cloned()
    }

    /// The book in this view with the current templates; `None` when the format does not exist.
    pub(super) async fn show(&self, view: &View) -> Option<Shown> {
        let format = self
            .formats()
            .into_iter()
            .find(|format| format.id == view.format)?
            .clone();
        let mut proofer = self.proofer.lock().await;
        let version = *self.version.borrow();
        if let Some(shown) = self.last(view).filter(|shown| shown.version == version) {
            return Some(shown);
        }
        let shown = self.prove(&mut proofer, view, &format, version).await;
        self.print_summary(&shown);
        Some(shown)
    }

    fn last(&self, view: &View) -> Option<Shown> {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(view)
            .cloned()
    }

    async fn prove(&self, proofer: &mut Proofer, view: &View, format: &PrintFormat, version: u64) -> Shown {
        let sample;
        let (aspect, book) = match &self.book {
            BookSource::Stored { aspect, book } => (*aspect, &**book),
            BookSource::Samples => {
                sample = sample_book(format.aspect);
                (sample.aspect, &sample.book)
            }
        };
        let purpose = Purpose {
            edition: view.edition,
            backs: Backs::default(),
            part: view.part,
        };
        let mut shown = self.last(view).unwrap_or_default();
        shown.version = version;
        shown.problem = None;
        let proof = match leaves_of(&self.bench.layout, format, purpose, aspect, book).await {
            Err(error) => Err(format!("the layout declines the book: {}", error.for_operator())),
            Ok(leaves) => {
                let job = RenderJob {
                    templates: &self.bench.templates,
                    format,
                    purpose,
                    leaves: &leaves,
                    book,
                };
                proofer
                    .proof(job, Pictures::All)
                    .await
                    .map_err(|error| error_message(&error))
            }
        };
        shown.is_old = true;
        match proof {
            Err(problem) => {
                shown.problem = Some(problem);
                shown.diagnostics.clear();
                shown.findings.clear();
            }
            Ok(proof) => self.take(&mut shown, proof, book),
        }
        self.keep(view, &shown);
        shown
    }

    /// Stores the results of a proof. If the proof has no pages, the previous pages remain.
    fn take(&self, shown: &mut Shown, proof: Proof, book: &PrintBook) {
        let findings = proof.findings.into_iter();
        shown.diagnostics = proof.diagnostics;
        shown.findings = findings
            .map(|finding| ShownFinding {
                remedy: finding.rule.remedy(),
                finding,
            })
            .collect();
        let Some(pages) = proof.pages else { return };
        let names = self.artwork.names(book);
        let mut pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        let page = |page: linepress_print::ProofPage| {
            let svg = page.picture.unwrap_or_default();
            let svg = with_addresses(svg, &names, |ours| format!("/artwork/{ours}.png"));
            let name = hex::encode(&Sha256::digest(&svg)[..12]);
            pictures.insert(name.clone(), svg);
            ShownPage {
                picture: format!("/pages/{name}.svg"),
                boxes: page.boxes,
            }
        };
        shown.pages = pages.into_iter().map(page).collect();
        shown.is_old = false;
    }

    /// Stores what is shown now, and deletes the pictures that no view uses any more.
    fn keep(&self, view: &View, shown: &Shown) {
        let mut all = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(view.clone(), shown.clone());
        let mut pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = || all.values().flat_map(|shown| &shown.pages);
        let used: HashSet<&str> = pages().map(|page| name_of(&page.picture)).collect();
        pictures.retain(|name, _| used.contains(name.as_str()));
    }

    /// Prints a summary for a designer who watches the terminal.
    fn print_summary(&self, shown: &Shown) {
        let Shown {
            version,
            pages,
            problem,
            diagnostics,
            findings,
            ..
        } = shown;
        print_line!("version {version}: {} pages, {} findings", pages.len(), findings.len());
        for line in problem
            .iter()
            .cloned()
            .chain(diagnostics.iter().map(ToString::to_string))
        {
            print_line!("{}", printable(&line));
        }
    }
}

fn name_of(address: &str) -> &str {
    address.trim_start_matches("/pages/").trim_end_matches(".svg")
}

fn error_message(error: &PrintError) -> String {
    match error {
        PrintError::TimedOut(limit) => format!(
            "typesetting was stopped after {} seconds: check the templates for an endless loop",
            limit.as_secs()
        ),
        PrintError::Crashed { .. } => format!(
            "typesetting was stopped, perhaps because it took more memory than `print_memory_mib` allows: {}",
            chain(error)
        ),
        error => chain(error),
    }
}
