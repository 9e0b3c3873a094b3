//! The process that makes proofs, one after another. It sets its own resource limits, and can then read only its input
//! and the template folder.
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::sync::Arc;

use linepress_child::{Limits, confine, limit};
use typst::World as _;
use typst::diag::{SourceDiagnostic, Warned};
use typst_layout::PagedDocument;

use super::boxes::{self, PageBoxes};
use super::frames::{Sources, findings};
use super::picture::Artwork;
use super::{Finding, Pictures, Proof, ProofPage};
use crate::child::is_missing_font;
use crate::data::DATA;
use crate::diagnostic::Diagnostic;
use crate::job::{Header, Job, Setup, read_files, read_line};
use crate::world::{TemplateWorld, Templates};

/// The number of consecutive proofs for which an unused result stays in Typst's cache: a designer may switch between
/// two formats.
const MAX_CACHE_AGE_PROOFS: usize = 20;

/// Runs `linepress proof`: makes proofs until standard input ends.
///
/// The first line sets the process up. Each request is a line that selects the pages to picture, followed by a job as
/// for a PDF. Each proof is a line of JSON.
pub fn proof_child() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> anyhow::Result<()> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    let Some(setup) = read_line::<Setup>(&mut input)? else {
        return Ok(());
    };
    limit(Limits {
        memory_bytes: setup.memory_limit_bytes,
        processor_s: setup.processor_limit_s,
    })?;
    confine(Some(&setup.templates))?;
    let mut templates: Option<Arc<Templates>> = None;
    while let Some(pictures) = read_line::<Pictures>(&mut input)? {
        let Some(header) = read_line::<Header>(&mut input)? else {
            return Ok(());
        };
        let job = read_files(header, &mut input)?;
        let now = Arc::new(Templates::read_after(templates.as_deref(), &setup.templates)?);
        let proof = proof(templates.insert(now), job, pictures)?;
        comemo::evict(MAX_CACHE_AGE_PROOFS);
        serde_json::to_writer(&mut output, &proof)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn proof(templates: &Arc<Templates>, Job { header, files }: Job, pictures: Pictures) -> anyhow::Result<Proof> {
    let data = files.iter().find(|(name, _)| name == DATA);
    let boxes = boxes::pages(data.map(|(_, bytes)| bytes.as_slice()).unwrap_or_default())?;
    let artwork = Artwork::new(&files);
    let world = &TemplateWorld::new(templates.clone(), &header.template, files)?;
    let Warned { output, warnings } = typst::compile::<PagedDocument>(world);
    let mut diagnostics: Vec<Diagnostic> = warnings
        .iter()
        .map(|warning| warning_diagnostic(world, warning))
        .collect();
    let document = match output {
        Ok(document) => document,
        Err(errors) => {
            let errors = errors.iter().map(|error| Diagnostic::of(world, error));
            diagnostics.splice(0..0, errors);
            return Ok(Proof {
                pages: None,
                diagnostics,
                findings: Vec::new(),
                places: Vec::new(),
            });
        }
    };
    let findings = findings(world, &document, &boxes, &artwork);
    let mut sources = Sources::new(world);
    let pages = pages(&document, boxes, &findings, &artwork, pictures, &mut sources);
    Ok(Proof {
        pages: Some(pages),
        diagnostics,
        findings,
        places: sources.into_places(),
    })
}

/// Converts a warning. A missing font prevents printing, so it becomes an error with a hint that lists the font
/// families of the layout.
fn warning_diagnostic(world: &TemplateWorld, warning: &SourceDiagnostic) -> Diagnostic {
    let mut diagnostic = Diagnostic::of(world, warning);
    if is_missing_font(warning) {
        diagnostic.is_error = true;
        let families = world.book().families().map(|(name, _)| name);
        let families = families.collect::<Vec<_>>().join(", ");
        diagnostic.hints.push(format!("the folder fonts has: {families}"));
    }
    diagnostic
}

fn pages(
    document: &PagedDocument,
    boxes: Vec<PageBoxes>,
    findings: &[Finding],
    artwork: &Artwork,
    pictures: Pictures,
    sources: &mut Sources<'_>,
) -> Vec<ProofPage> {
    let mut boxes = boxes.into_iter();
    let is_wanted = |leaf: usize| match pictures {
        Pictures::All => true,
        Pictures::OfFindings => findings.iter().any(|finding| finding.leaf == leaf),
        Pictures::None => false,
    };
    let page = |(index, page)| ProofPage {
        boxes: boxes.next(),
        picture: is_wanted(index + 1).then(|| artwork.picture(page)),
        sources: match pictures {
            Pictures::All => sources.of(page),
            Pictures::OfFindings | Pictures::None => Vec::new(),
        },
    };
    document.pages().iter().enumerate().map(page).collect()
}
