//! The process that makes proofs, one after the other: it limits itself, and then reads only what its parent and the template
//! folder hold.
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

use linepress_child::{Limits, confine, limit};
use typst::comemo;
use typst::diag::Warned;
use typst_layout::PagedDocument;

use super::boxes::{self, PageBoxes};
use super::frames::findings;
use super::picture::Artwork;
use super::{Finding, Pictures, Proof, ProofPage};
use crate::child::is_missing_font;
use crate::data::DATA;
use crate::diagnostic::Diagnostic;
use crate::job::{Job, read_files, read_header};
use crate::world::TemplateWorld;

/// For how many proofs what Typst remembers is kept unused: two formats may take turns.
const REMEMBERED: usize = 20;

/// Makes proofs until there are no more orders: `linepress proof`.
///
/// An order is a line that says of which pages pictures are wanted, and a job as for a PDF. A proof is one line of JSON.
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
    let mut world: Option<TemplateWorld> = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let pictures: Pictures = serde_json::from_str(&line)?;
        let header = read_header(&mut input)?;
        if world.is_none() {
            limit(Limits {
                memory_bytes: header.memory_limit_bytes,
                // The parent has a clock, and a proof more or less is no reason to end.
                processor_s: u64::MAX,
            })?;
            confine(Some(&header.templates))?;
        }
        let job = read_files(header, &mut input)?;
        let proof = proof(&mut world, job, pictures)?;
        comemo::evict(REMEMBERED);
        serde_json::to_writer(&mut output, &proof)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

fn proof(world: &mut Option<TemplateWorld>, job: Job, pictures: Pictures) -> anyhow::Result<Proof> {
    let Job { header, files } = job;
    let data = files
        .iter()
        .find(|(name, _)| name == DATA)
        .map(|(_, bytes)| bytes.as_slice());
    let boxes = boxes::pages(data.unwrap_or_default())?;
    let artwork = Artwork::new(&files);
    let world = match world {
        Some(world) => {
            world.replace(&header.templates, &header.template, files)?;
            world
        }
        None => world.insert(TemplateWorld::new(&header.templates, &header.template, files)?),
    };
    let Warned { output, warnings } = typst::compile::<PagedDocument>(&*world);
    let mut diagnostics: Vec<Diagnostic> = warnings
        .iter()
        .map(|warning| Diagnostic {
            is_error: is_missing_font(warning),
            ..Diagnostic::of(world, warning)
        })
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
            });
        }
    };
    let findings = findings(&*world, &document, &boxes);
    let pages = pages(&document, boxes, &findings, &artwork, pictures);
    Ok(Proof {
        pages: Some(pages),
        diagnostics,
        findings,
    })
}

fn pages(
    document: &PagedDocument,
    boxes: Vec<PageBoxes>,
    findings: &[Finding],
    artwork: &Artwork,
    pictures: Pictures,
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
    };
    document.pages().iter().enumerate().map(page).collect()
}
