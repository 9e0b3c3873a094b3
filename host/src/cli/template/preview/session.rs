//! What is shown: proofs of a book, made when somebody looks at them, and again when the templates have changed.
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use linepress::config::Config;
use linepress::error::chain;
use linepress::print::{leaves_of, sample_book};
use linepress::startup::render_settings;
use linepress_model::{Aspect, PrintFormat};
use linepress_print::{Pictures, PrintBook, PrintError, Proof, Proofer, Purpose, RenderJob, has_wraparound};
use linepress_printers::{Backs, Edition};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::view::{Choices, FormatChoice, Shown, ShownFinding, ShownPage, View};
use crate::cli::template::artwork::{Artwork, with_addresses};
use crate::cli::template::bench::Bench;

/// A designer who waits wants to know sooner than a server that has time.
const LONGEST_PROOF: Duration = Duration::from_secs(30);

/// Which book is shown.
pub(super) enum BookSource {
    /// One for each shape.
    Samples,
    Stored {
        aspect: Aspect,
        book: PrintBook,
    },
}

pub(super) struct Session {
    bench: Bench,
    book: BookSource,
    first: String,
    pub(super) artwork: Artwork,
    /// One proof at a time.
    proofer: tokio::sync::Mutex<Proofer>,
    shown: Mutex<HashMap<View, Shown>>,
    /// Of all that is shown, by their addresses.
    pictures: Mutex<HashMap<String, String>>,
    version: watch::Sender<u64>,
}

impl Session {
    pub(super) fn new(config: &Config, bench: Bench, book: BookSource, first: String) -> anyhow::Result<Self> {
        let mut settings = render_settings(config, std::env::current_exe()?);
        settings.timeout = settings.timeout.min(LONGEST_PROOF);
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
            "the layout has no format of the shape of this book"
        );
        Ok(session)
    }

    pub(super) fn templates_changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// Tells of each version from now on.
    pub(super) fn versions(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Those that the book can be printed in.
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

    /// The book in this view, with the templates as they are now; nothing where there is no such format.
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
        self.tell(&shown);
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
            BookSource::Stored { aspect, book } => (*aspect, book),
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
            Err(error) => Err(format!("the layout does not print it: {}", error.for_operator())),
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

    /// What a proof says. Where it has no pages, those before it stay.
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

    /// Keeps what is shown now, and of the pictures those that are shown somewhere.
    fn keep(&self, view: &View, shown: &Shown) {
        let mut all = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(view.clone(), shown.clone());
        let mut pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = || all.values().flat_map(|shown| &shown.pages);
        let used: HashSet<&str> = pages().map(|page| name_of(&page.picture)).collect();
        pictures.retain(|name, _| used.contains(name.as_str()));
    }

    /// For whoever has the terminal beside the editor.
    fn tell(&self, shown: &Shown) {
        let Shown {
            version,
            pages,
            problem,
            diagnostics,
            findings,
            ..
        } = shown;
        println!("version {version}: {} pages, {} findings", pages.len(), findings.len());
        for line in problem
            .iter()
            .cloned()
            .chain(diagnostics.iter().map(ToString::to_string))
        {
            println!("{}", crate::cli::printable(&line));
        }
    }
}

fn name_of(address: &str) -> &str {
    address.trim_start_matches("/pages/").trim_end_matches(".svg")
}

fn error_message(error: &PrintError) -> String {
    match error {
        PrintError::TimedOut(limit) => format!(
            "typesetting was stopped after {} seconds: does something in the templates repeat without end?",
            limit.as_secs()
        ),
        PrintError::Crashed { .. } => format!(
            "typesetting was stopped, perhaps because it took more memory than `print_memory_mib` allows: {}",
            chain(error)
        ),
        error => chain(error),
    }
}
