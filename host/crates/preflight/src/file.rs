//! What holds for the file as a whole, and for what hangs on its pages.
use std::collections::BTreeSet;

use linepress_printers::{Edition, FileRules};
use lopdf::{Dictionary, Document, Object};

use crate::page::Page;
use crate::pdf::{array, as_dictionary, dictionary, get, name, resolve};
use crate::report::{Findings, Rule};

/// Of the annotations of a page, so many are looked at.
const MOST_ANNOTATIONS: usize = 100;

/// What the file says of itself.
pub(crate) fn check_file(document: &Document, edition: Edition, rules: FileRules, findings: &mut Findings) {
    let (everywhere, printer) = (BTreeSet::new(), edition.name());
    if document.xref_recovery.is_some() {
        let message = "the table that says where its objects are is damaged".to_owned();
        findings.warning(
            Rule::Damaged,
            &everywhere,
            message,
            "make the file anew, or have it repaired",
        );
    }
    let Some(catalog) = document.catalog().ok() else { return };
    let (major, minor) = version(document, catalog);
    if (major, minor) > rules.newest_version {
        let (most, least) = rules.newest_version;
        let message =
            format!("the file is PDF {major}.{minor}, and not every printer reads what is newer than {most}.{least}");
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
        let message = format!("the file has bookmarks, and {printer} takes none");
        // They are dropped in practice: nothing of them is printed.
        findings.warning(Rule::Bookmarks, &everywhere, message, "export it without bookmarks");
    }
    if !rules.actions && (is_named("JavaScript") || acts(document, catalog)) {
        let message = format!("the file has scripts or actions, and {printer} takes none");
        findings.error(
            Rule::Actions,
            &everywhere,
            message,
            "export it without scripts and actions",
        );
    }
    let is_portfolio = get(document, catalog, "Collection").is_some() || is_filled(document, catalog, "AF");
    if !rules.attachments && (is_named("EmbeddedFiles") || is_portfolio) {
        let message = format!("there are files within the file, and {printer} takes none");
        findings.error(Rule::Attachments, &everywhere, message, "export it without attachments");
    }
    let form = dictionary(document, catalog, "AcroForm");
    let is_form = |form: &Dictionary| is_filled(document, form, "Fields") || get(document, form, "XFA").is_some();
    if !rules.annotations && form.is_some_and(is_form) {
        let message = format!("the file is a form, and {printer} takes none");
        findings.error(Rule::Annotations, &everywhere, message, "export it without form fields");
    }
    let layers = dictionary(document, catalog, "OCProperties");
    if !rules.layers && layers.is_some_and(|layers| is_filled(document, layers, "OCGs")) {
        let message = format!("the file has layers, and {printer} wants them flattened");
        findings.error(
            Rule::Layers,
            &everywhere,
            message,
            "flatten layers when you export the file",
        );
    }
}

/// What hangs on the pages and is not printed.
pub(crate) fn check_extras(
    document: &Document,
    pages: &[Page<'_>],
    edition: Edition,
    rules: FileRules,
    findings: &mut Findings,
) {
    let printer = edition.name();
    let annotated = |page: &&Page<'_>| {
        let annotations = page.annotations(document).iter().take(MOST_ANNOTATIONS);
        let mut annotations =
            annotations.filter_map(|annotation| resolve(document, annotation).and_then(as_dictionary));
        // A printer's own mark is none.
        annotations
            .any(|annotation| !matches!(name(document, annotation, "Subtype"), Some(b"PrinterMark" | b"TrapNet")))
    };
    let annotated = numbers(pages.iter().filter(annotated));
    if !rules.annotations && !annotated.is_empty() {
        let message = format!("the page has comments, links or form fields, and {printer} takes none");
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
        let message = format!("something happens when the page is opened, and {printer} takes no actions");
        findings.error(Rule::Actions, &acting, message, "export it without scripts and actions");
    }
}

fn numbers<'a, 'b: 'a>(pages: impl Iterator<Item = &'a Page<'b>>) -> BTreeSet<u32> {
    pages.map(|page| page.number).collect()
}

/// Whether the file does something when it is opened, but for showing a page.
fn acts(document: &Document, catalog: &Dictionary) -> bool {
    let shows =
        |action: &Dictionary| name(document, action, "S") == Some(b"GoTo") && get(document, action, "Next").is_none();
    let opening = dictionary(document, catalog, "OpenAction");
    opening.is_some_and(|action| !shows(action)) || get(document, catalog, "AA").is_some()
}

fn is_filled(document: &Document, of: &Dictionary, key: &str) -> bool {
    array(document, of, key).is_some_and(|items| !items.is_empty())
}

/// That of the header, or a newer one in the catalog.
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
