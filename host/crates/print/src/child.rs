//! The process that renders one book: it limits itself, reads a job, writes a PDF and ends.
//!
//! Typst has neither fuel nor a timeout, and what it interns it never frees; a process can be killed, and frees all.
use std::io::{self, BufReader, Write};
use std::process::ExitCode;

use linepress_child::{Limits, confine, limit};
use typst::diag::{SourceDiagnostic, Warned};
use typst::foundations::Smart;
use typst_layout::PagedDocument;
use typst_pdf::PdfOptions;

use crate::data::DATA;
use crate::diagnostic::Diagnostic;
use crate::finish::{Boxes, finish};
use crate::job::{Header, Job, read_files, read_header};
use crate::world::TemplateWorld;

/// How the child tells its parent that the template is to blame and not the machine.
pub(crate) const TEMPLATE_FAILED: u8 = 3;

/// Reads a job from standard input and writes the PDF to standard output: `linepress render`.
///
/// Diagnostics go to standard error.
pub fn render_child() -> ExitCode {
    match render() {
        Ok(pdf) => match io::stdout().write_all(&pdf).and_then(|()| io::stdout().flush()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&format!("cannot write the PDF: {error}"), 1),
        },
        Err(Failure::Template(diagnostics)) => fail(&diagnostics, TEMPLATE_FAILED),
        Err(Failure::Machine(error)) => fail(&format!("{error:#}"), 1),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    // When standard error is gone too, the exit code still tells.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(code)
}

enum Failure {
    Template(String),
    Machine(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Machine(error.into())
    }
}

fn render() -> Result<Vec<u8>, Failure> {
    let mut input = BufReader::new(io::stdin().lock());
    let header = read_header(&mut input)?;
    limit(Limits {
        memory_bytes: header.memory_limit_bytes,
        processor_s: header.processor_limit_s,
    })?;
    confine(Some(&header.templates))?;
    let Job { header, files } = read_files(header, &mut input)?;
    let texts = data_text(&files);
    let world = TemplateWorld::new(&header.templates, &header.template, files)?;
    warn_of_missing_characters(&world, &texts);
    let document = compile(&world, &header)?;
    let options = PdfOptions {
        // Nothing that changes from one run to the next may enter the file; a hash of this names the document.
        ident: Smart::Custom(format!("{}\n{}\n{}", header.title, header.author, header.template)),
        creator: Smart::Custom(Some("Linepress".to_owned())),
        timestamp: None,
        // Print has no use for a structure tree, and it would double the number of objects.
        tagged: false,
        ..PdfOptions::default()
    };
    let pdf = typst_pdf::pdf(&document, &options).map_err(|errors| Failure::Template(describe(&world, &errors)))?;
    drop(document);
    Ok(finish(
        &pdf,
        Boxes::new(header.trim_width_um, header.trim_height_um, header.bleed_um),
    )?)
}

fn compile(world: &TemplateWorld, header: &Header) -> Result<PagedDocument, Failure> {
    let Warned { output, warnings } = typst::compile::<PagedDocument>(world);
    let mut document = output.map_err(|errors| Failure::Template(describe(world, &errors)))?;
    if !warnings.is_empty() {
        let text = describe(world, &warnings);
        if warnings.iter().any(is_missing_font) {
            return Err(Failure::Template(text));
        }
        let _ = writeln!(io::stderr(), "{text}");
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

/// The book's texts, in the file in which they travel.
fn data_text(files: &[(String, Vec<u8>)]) -> String {
    let data = files.iter().find(|(name, _)| name == DATA);
    data.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
        .unwrap_or_default()
}

/// Typst prints an empty box for what no font has, and does not mention it.
fn warn_of_missing_characters(world: &TemplateWorld, texts: &str) {
    let missing = world.uncovered(texts);
    if !missing.is_empty() {
        let _ = writeln!(io::stderr(), "warning: no font of this layout has: {missing}");
    }
}

/// Typst only warns of a missing font and prints in another: a book must not change its face unnoticed.
pub(crate) fn is_missing_font(warning: &SourceDiagnostic) -> bool {
    warning.message.starts_with("unknown font family")
}

/// Diagnostics as lines of `file:line:column: message`.
fn describe(world: &TemplateWorld, diagnostics: &[SourceDiagnostic]) -> String {
    let lines = diagnostics
        .iter()
        .map(|diagnostic| Diagnostic::of(world, diagnostic).to_string());
    lines.collect::<Vec<_>>().join("\n")
}
