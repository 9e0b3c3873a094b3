//! The process that typesets books. It sets its own resource limits, reads the templates, and then runs one job after
//! another.
//!
//! Typst has neither fuel nor a timeout and never frees what it interns. A separate process can be killed, which frees
//! everything. Reusing the process keeps fonts, templates and Typst's own tables loaded for the next book.
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;
use std::sync::Arc;

use linepress_child::{Limits, confine, limit};
use typst::diag::{SourceDiagnostic, Warned};
use typst::foundations::Smart;
use typst_layout::PagedDocument;
use typst_pdf::PdfOptions;

use crate::barcode;
use crate::diagnostic::Diagnostic;
use crate::finish::{Boxes, finish};
use crate::glyphs::missing_in;
use crate::job::{Ending, Header, Job, Outcome, Setup, line_of, read_files, read_line};
use crate::world::{TemplateWorld, Templates};

/// Runs `linepress render`: reads jobs from standard input until it ends, and writes the outcome and the PDF of each to
/// standard output.
///
/// An error that ends the process is written to standard error.
pub fn render_child() -> ExitCode {
    let mut input = BufReader::new(io::stdin().lock());
    match serve(&mut input, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // When standard error is closed as well, the exit code still reports the failure.
            let _ = writeln!(io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve(input: &mut impl BufRead, output: &mut impl Write) -> anyhow::Result<()> {
    let Some(setup) = read_line::<Setup>(input)? else {
        return Ok(());
    };
    limit(Limits {
        memory_bytes: setup.memory_limit_bytes,
        processor_s: setup.processor_limit_s,
    })?;
    confine(Some(&setup.templates))?;
    let templates = Arc::new(Templates::read(&setup.templates)?);
    while let Some(header) = read_line::<Header>(input)? {
        let ended = render(&templates, read_files(header, input)?);
        let (outcome, message, pdf) = match ended {
            Ok(Printed { pdf, warnings }) => (Outcome::Printed, warnings, pdf),
            Err(Failure::Template(diagnostics)) => (Outcome::Template, diagnostics, Vec::new()),
            Err(Failure::Glyphs(characters)) => (Outcome::Glyphs, characters, Vec::new()),
            Err(Failure::Machine(error)) => (Outcome::Machine, format!("{error:#}"), Vec::new()),
        };
        let mut message = message;
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        let bytes = pdf.len() as u64;
        output.write_all(&line_of(&Ending {
            outcome,
            message,
            bytes,
        })?)?;
        output.write_all(&pdf)?;
        output.flush()?;
        // Drops cached results that the last books did not use. Every book uses the results that depend on the
        // templates alone, so those stay in the cache.
        comemo::evict(MAX_CACHE_AGE_BOOKS);
    }
    Ok(())
}

/// The maximum length of a job's message: a template may produce the same error thousands of times.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The number of consecutive books for which an unused result stays in Typst's cache.
const MAX_CACHE_AGE_BOOKS: usize = 2;

struct Printed {
    pdf: Vec<u8>,
    /// Typst's warnings, one per line.
    warnings: String,
}

enum Failure {
    /// The template's own errors, as Typst's diagnostics.
    Template(String),
    /// The characters that no font has a glyph for.
    Glyphs(String),
    /// An error of the machine or of this process, which the template did not cause.
    Machine(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Machine(error.into())
    }
}

fn render(templates: &Arc<Templates>, Job { header, files }: Job) -> Result<Printed, Failure> {
    let world = TemplateWorld::new(templates.clone(), &header.template, files)?;
    let mut warnings = Vec::new();
    let mut document = compile(&world, &header, &mut warnings)?;
    let missing = missing_in(&document);
    if !missing.is_empty() {
        return Err(Failure::Glyphs(missing.into_iter().collect()));
    }
    if let Some(barcode) = &header.barcode {
        barcode::add(&mut document, templates, barcode)?;
    }
    let options = PdfOptions {
        // The identifier is hashed into the PDF's document id, so it must not contain anything that changes between two
        // runs.
        ident: Smart::Custom(format!("{}\n{}\n{}", header.title, header.author, header.template)),
        creator: Smart::Custom(Some("Linepress".to_owned())),
        timestamp: None,
        // Printing services do not use the structure tree, which doubles the number of objects.
        tagged: header.tagged,
        ..PdfOptions::default()
    };
    let pdf = typst_pdf::pdf(&document, &options).map_err(|errors| Failure::Template(describe(&world, &errors)))?;
    drop(document);
    let pdf = finish(&pdf, Boxes::of(&header), header.most_ppi)?;
    Ok(Printed {
        pdf,
        warnings: warnings.join("\n"),
    })
}

fn compile(world: &TemplateWorld, header: &Header, messages: &mut Vec<String>) -> Result<PagedDocument, Failure> {
    let Warned { output, warnings } = typst::compile::<PagedDocument>(world);
    let mut document = output.map_err(|errors| Failure::Template(describe(world, &errors)))?;
    if !warnings.is_empty() {
        let text = describe(world, &warnings);
        if warnings.iter().any(is_missing_font) {
            return Err(Failure::Template(text));
        }
        messages.push(text);
    }
    let info = document.info_mut();
    info.title = Some(header.title.as_str().into());
    info.author = Some(&header.author)
        .filter(|author| !author.is_empty())
        .map(|author| author.as_str().into())
        .into_iter()
        .collect();
    info.description = Some(&header.description)
        .filter(|text| !text.is_empty())
        .map(|text| text.as_str().into());
    info.date = Smart::Custom(None);
    Ok(document)
}

/// Returns true for Typst's warning about a missing font. Typst substitutes another font; a book must not change its
/// typeface unnoticed, so this warning counts as an error.
pub(crate) fn is_missing_font(warning: &SourceDiagnostic) -> bool {
    warning.message.starts_with("unknown font family")
}

/// Formats diagnostics as lines of `file:line:column: message`.
fn describe(world: &TemplateWorld, diagnostics: &[SourceDiagnostic]) -> String {
    let lines = diagnostics
        .iter()
        .map(|diagnostic| Diagnostic::of(world, diagnostic).to_string());
    lines.collect::<Vec<_>>().join("\n")
}
