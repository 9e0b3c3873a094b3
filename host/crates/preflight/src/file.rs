//! The checks of the file as a whole, and of the annotations and actions of its pages.
use std::collections::BTreeSet;

use linepress_printers::{Edition, FileRules};
use lopdf::{Dictionary, Document, Object};

use crate::page::Page;
use crate::pdf::{array, as_dictionary, dictionary, get, name, resolve};
use crate::report::{Findings, Rule};

/// The maximum number of annotations that are checked on each page.
const MAX_ANNOTATIONS: usize = 100;

/// Checks the properties of the file as a whole.
pub(crate) fn check_file(document: &Document, edition: Edition, rules: FileRules, findings: &mut Findings) {
    let (everywhere, printer) = (BTreeSet::new(), edition.name());
    if document.xref_recovery.is_some() {
        let message = "the file's table of objects is damaged".to_owned();
        findings.warning(
            Rule::Damaged,
            &everywhere,
            message,
            "export the file again, or repair it",
        );
    }
    let Some(catalog) = document.catalog().ok() else { return };
    let (major, minor) = version(document, catalog);
    if (major, minor) > rules.newest_version {
        let (most, least) = rules.newest_version;
        let message =
            format!("the file is PDF {major}.{minor}, but not every printer reads versions above {most}.{least}");
        findings.warning(
            Rule::PdfVersion,
            &everywhere,
            message,
            format!("export it as PDF {most}.{least} or older"),
        );
    }
    let names = dictionary(document, catalog, "Names");
    let is_named = |key| {
        let tree = names.and_then(|names| dictionary(document, names, key));
        tree.is_some_and(|tree| is_filled(document, tree, "Names") || is_filled(document, tree, "Kids"))
    };
    let outlines = dictionary(document, catalog, "Outlines");
    if !rules.bookmarks && outlines.is_some_and(|outlines| get(document, outlines, "First").is_some()) {
        let message = format!("the file has bookmarks, but {printer} accepts none");
        // A warning only: in practice KDP drops bookmarks, and they are not printed.
        findings.warning(Rule::Bookmarks, &everywhere, message, "export it without bookmarks");
    }
    if !rules.actions && (is_named("JavaScript") || has_actions(document, catalog)) {
        let message = format!("the file has scripts or actions, but {printer} accepts none");
        findings.error(
            Rule::Actions,
            &everywhere,
            message,
            "export it without scripts and actions",
        );
    }
    let is_portfolio = get(document, catalog, "Collection").is_some() || is_filled(document, catalog, "AF");
    if !rules.attachments && (is_named("EmbeddedFiles") || is_portfolio) {
        let message = format!("the file has attachments, but {printer} accepts none");
        findings.error(Rule::Attachments, &everywhere, message, "export it without attachments");
    }
    let form = dictionary(document, catalog, "AcroForm");
    let is_form = |form: &Dictionary| is_filled(document, form, "Fields") || get(document, form, "XFA").is_some();
    if !rules.annotations && form.is_some_and(is_form) {
        let message = format!("the file is a form, but {printer} accepts none");
        findings.error(Rule::Annotations, &everywhere, message, "export it without form fields");
    }
    let layers = dictionary(document, catalog, "OCProperties");
    if !rules.layers && layers.is_some_and(|layers| is_filled(document, layers, "OCGs")) {
        let message = format!("the file has layers, but {printer} requires them to be flattened");
        findings.error(
            Rule::Layers,
            &everywhere,
            message,
            "flatten layers when you export the file",
        );
    }
}

/// Checks the parts of pages that are not printed: annotations and actions.
pub(crate) fn check_extras(
    document: &Document,
    pages: &[Page<'_>],
    edition: Edition,
    rules: FileRules,
    findings: &mut Findings,
) {
    let printer = edition.name();
    let annotated = |page: &&Page<'_>| {
        let annotations = page.annotations(document).iter().take(MAX_ANNOTATIONS);
        let mut annotations =
            annotations.filter_map(|annotation| resolve(document, annotation).and_then(as_dictionary));
        // A printer's mark is not an annotation for readers.
        annotations
            .any(|annotation| !matches!(name(document, annotation, "Subtype"), Some(b"PrinterMark" | b"TrapNet")))
    };
    let annotated = numbers(pages.iter().filter(annotated));
    if !rules.annotations && !annotated.is_empty() {
        let message = format!("the page has comments, links or form fields, but {printer} accepts none");
        findings.error(
            Rule::Annotations,
            &annotated,
            message,
            "export it without links, comments and forms",
        );
    }
    let acting = numbers(
        pages
            .iter()
            .filter(|page| get(document, page.dictionary, "AA").is_some()),
    );
    if !rules.actions && !acting.is_empty() {
        let message = format!("the page has an action for when it is opened, but {printer} accepts no actions");
        findings.error(Rule::Actions, &acting, message, "export it without scripts and actions");
    }
}

fn numbers<'a, 'b: 'a>(pages: impl Iterator<Item = &'a Page<'b>>) -> BTreeSet<u32> {
    pages.map(|page| page.number).collect()
}

/// Returns true when opening the file does anything but show a page.
fn has_actions(document: &Document, catalog: &Dictionary) -> bool {
    let shows =
        |action: &Dictionary| name(document, action, "S") == Some(b"GoTo") && get(document, action, "Next").is_none();
    let opening = dictionary(document, catalog, "OpenAction");
    opening.is_some_and(|action| !shows(action)) || get(document, catalog, "AA").is_some()
}

fn is_filled(document: &Document, of: &Dictionary, key: &str) -> bool {
    array(document, of, key).is_some_and(|items| !items.is_empty())
}

/// The PDF version in the header, or a newer one in the catalog.
fn version(document: &Document, catalog: &Dictionary) -> (u32, u32) {
    let parse = |text: &str| {
        let (major, minor) = text.trim().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let own = parse(&document.version);
    let later = get(document, catalog, "Version")
        .and_then(|version| Object::as_name(version).ok())
        .and_then(|version| parse(std::str::from_utf8(version).ok()?));
    own.max(later).unwrap_or_default()
}
