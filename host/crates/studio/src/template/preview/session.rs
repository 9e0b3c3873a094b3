//! The state of a preview: proofs of a book, made when the page requests them, and again when the templates have
//! changed.
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use linepress_core::print::{difficult_books, leaves_of, printer_refusal, sample_book};
use linepress_model::{Aspect, PrintFormat};
use linepress_operator::startup::render_settings;
use linepress_platform::config::Config;
use linepress_platform::error::chain;
use linepress_plugin_host::{LaidOut, Layout};
use linepress_print::{
    Diagnostic, Pictures, Place, PrintBook, PrintError, Proof, Proofer, Purpose, RenderJob, has_wraparound,
};
use linepress_printers::{Backs, Edition, Size};
use linepress_terminal::{print_line, printable};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::kept::KeptViews;
use super::view::{Choices, FormatChoice, Shown, ShownFinding, ShownPage, View};
use crate::template::artwork::{Artwork, with_addresses};
use crate::template::bench::Bench;
use crate::template::own_sample::{MAX_SAMPLE_DRAWINGS, OWN_SAMPLE, has_own_sample, own_sample};

/// The time limit of a proof: shorter than a server's, because a designer is waiting.
const PROOF_TIMEOUT: Duration = Duration::from_secs(30);

/// The name of the usual sample book.
const USUAL_SAMPLE: &str = "usual";

/// The book that is shown.
pub(super) enum BookSource {
    /// The sample books, for each aspect.
    Samples,
    Stored {
        aspect: Aspect,
        book: Box<PrintBook>,
    },
}

/// The layout with the present templates.
struct Current {
    layout: Layout,
    /// The problem of the present `layout.toml`. The layout has the last one without a problem.
    problem: Option<String>,
}

pub(super) struct Session {
    bench: Bench,
    current: Mutex<Current>,
    book: BookSource,
    first: String,
    /// The link that opens a line in an editor.
    editor: String,
    pub(super) artwork: Artwork,
    /// The process that makes proofs, one at a time.
    proofer: tokio::sync::Mutex<Proofer>,
    shown: Mutex<KeptViews>,
    /// The pictures of all pages that are shown, by name.
    pictures: Mutex<HashMap<String, String>>,
    version: watch::Sender<u64>,
}

impl Session {
    pub(super) fn new(
        config: &Config,
        bench: Bench,
        book: BookSource,
        first: String,
        editor: String,
    ) -> anyhow::Result<Self> {
        let mut settings = render_settings(config, std::env::current_exe()?);
        settings.timeout = settings.timeout.min(PROOF_TIMEOUT);
        let current = Current {
            layout: bench.layout.clone(),
            problem: None,
        };
        let session = Self {
            first,
            editor,
            current: Mutex::new(current),
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
        let changed = self.bench.layout.with_templates(&self.bench.templates);
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match changed {
            Ok(layout) => {
                *current = Current { layout, problem: None };
            }
            Err(problem) => current.problem = Some(problem),
        }
        drop(current);
        self.version.send_modify(|version| *version += 1);
    }

    /// A receiver of the version of the templates, which is notified of each change.
    pub(super) fn versions(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The layout with the present templates, and the problem of its `layout.toml`.
    fn layout(&self) -> (Layout, Option<String>) {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        (current.layout.clone(), current.problem.clone())
    }

    /// The formats in which the book can be printed.
    fn formats(&self) -> Vec<PrintFormat> {
        let fits = |format: &&PrintFormat| match &self.book {
            BookSource::Samples => true,
            BookSource::Stored { aspect, .. } => format.aspect == *aspect,
        };
        let (layout, _) = self.layout();
        layout.description().formats.iter().filter(fits).cloned().collect()
    }

    pub(super) fn choices(&self) -> Choices {
        let formats = self.formats();
        let has_first = formats.iter().any(|format| format.id == self.first);
        let choice = |format: &PrintFormat| FormatChoice {
            id: format.id.clone(),
            name: format.name.clone(),
        };
        Choices {
            layout: self.bench.layout.description().name.clone(),
            folder: std::path::absolute(&self.bench.templates)
                .unwrap_or_else(|_| self.bench.templates.clone())
                .display()
                .to_string(),
            first: match formats.first() {
                Some(format) if !has_first => format.id.clone(),
                _ => self.first.clone(),
            },
            formats: formats.iter().map(choice).collect(),
            editions: Edition::ALL.to_vec(),
            backs: Backs::ALL.to_vec(),
            samples: self.samples(),
            max_drawings: MAX_SAMPLE_DRAWINGS,
            has_wraparound: has_wraparound(&self.bench.templates),
            editor: self.editor.clone(),
        }
    }

    /// The names of the sample books, the first one first.
    fn samples(&self) -> Vec<&'static str> {
        if let BookSource::Stored { .. } = self.book {
            return Vec::new();
        }
        let own = has_own_sample(&self.bench.templates).then_some(OWN_SAMPLE);
        let difficult = difficult_books(Aspect::default());
        own.into_iter()
            .chain([USUAL_SAMPLE])
            .chain(difficult.into_iter().map(|sample| sample.name))
            .collect()
    }

    /// The book of a view, in a format of this aspect.
    fn book(&self, view: &View, aspect: Aspect) -> anyhow::Result<PrintBook> {
        let mut book = match &self.book {
            BookSource::Stored { book, .. } => (**book).clone(),
            BookSource::Samples => {
                let samples = self.samples();
                let name = match view.sample.as_str() {
                    "" => samples.first().copied().unwrap_or(USUAL_SAMPLE),
                    name => name,
                };
                match name {
                    OWN_SAMPLE => own_sample(&self.bench.templates, aspect)?,
                    USUAL_SAMPLE => sample_book(aspect).book,
                    name => {
                        let found = difficult_books(aspect).into_iter().find(|sample| sample.name == name);
                        found.with_context(|| format!("there is no sample {name}"))?.book
                    }
                }
            }
        };
        if let Some(count) = view.drawings {
            let count = count.clamp(1, MAX_SAMPLE_DRAWINGS);
            book.drawings = book.drawings.iter().cycle().take(count).cloned().collect();
        }
        Ok(book)
    }

    pub(super) fn picture(&self, name: &str) -> Option<String> {
        let pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        pictures.get(name).cloned()
    }

    /// The book in this view with the current templates; `None` when the format does not exist.
    pub(super) async fn show(&self, view: &View) -> Option<Shown> {
        let format = self.formats().into_iter().find(|format| format.id == view.format)?;
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
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).show(view)
    }

    async fn prove(&self, proofer: &mut Proofer, view: &View, format: &PrintFormat, version: u64) -> Shown {
        let mut shown = self.last(view).unwrap_or_default();
        shown.version = version;
        shown.problem = None;
        shown.refusal = None;
        shown.is_old = true;
        match self.try_prove(proofer, view, format).await {
            Err(problem) => {
                shown.problem = Some(problem);
                shown.diagnostics.clear();
                shown.findings.clear();
            }
            Ok(Proven { proof, book, refusal }) => {
                shown.refusal = refusal;
                self.take(&mut shown, proof, &book);
            }
        }
        self.keep(view, &shown);
        shown
    }

    /// Makes a proof of a view. The error is for the designer.
    async fn try_prove(&self, proofer: &mut Proofer, view: &View, format: &PrintFormat) -> Result<Proven, String> {
        let (layout, problem) = self.layout();
        if let Some(problem) = problem {
            return Err(format!("the layout cannot be used: {problem}"));
        }
        let book = self
            .book(view, format.aspect)
            .map_err(|error| format!("the sample cannot be used: {error:#}"))?;
        let purpose = Purpose {
            edition: view.edition,
            backs: view.backs,
            part: view.part,
        };
        let laid_out = leaves_of(&layout, format, purpose, format.aspect, &book).await;
        let LaidOut { leaves, unplaced } =
            laid_out.map_err(|error| format!("the layout declines the book: {}", error.for_operator()))?;
        let job = RenderJob {
            templates: &self.bench.templates,
            format,
            purpose,
            leaves: &leaves,
            book: &book,
        };
        let proof = proofer.proof(job, Pictures::All).await;
        let mut proof = proof.map_err(|error| error_message(&error))?;
        proof.diagnostics.extend(unplaced.into_iter().map(about_additions));
        Ok(Proven {
            proof,
            refusal: printer_refusal(view.edition, Size::trimmed(format), &book.language, leaves.len()),
            book,
        })
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
        shown.places = proof.places;
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
                sources: page.sources,
            }
        };
        shown.pages = pages.into_iter().map(page).collect();
        shown.is_old = false;
    }

    /// Stores what is shown now, and deletes the pictures that no view uses any more.
    fn keep(&self, view: &View, shown: &Shown) {
        let mut all = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        all.keep(view, shown);
        let mut pictures = self.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        let used: HashSet<&str> = all.pages().map(|page| name_of(&page.picture)).collect();
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

/// A proof, and the book that it shows.
struct Proven {
    proof: Proof,
    book: PrintBook,
    /// The reason why the printer would not print the book.
    refusal: Option<String>,
}

/// A warning about `layout.toml`.
fn about_additions(message: String) -> Diagnostic {
    Diagnostic {
        is_error: false,
        message,
        place: Some(Place {
            file: "layout.toml".to_owned(),
            line: None,
            column: None,
            text: None,
        }),
        hints: Vec::new(),
        trace: Vec::new(),
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
