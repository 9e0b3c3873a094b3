//! The command `linepress template preview`: shows all pages of a book in a browser, and updates them whenever a
//! template file is saved.
//!
//! Uses axum, which the server needs anyway: `typst-kit`'s `http-server` would be a second web server, and shows only
//! one document.
mod kept;
mod routes;
mod session;
mod view;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use linepress_platform::config::Config;
use linepress_platform::ids::BookId;
use linepress_print::TemplateWatch;
use linepress_terminal::{print_error_line, print_line};

use super::bench::{Bench, TemplateSelection};
use crate::local_page::{LocalPage, open_browser};
use session::{BookSource, Session};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    which: TemplateSelection,
    /// The format that is shown first.
    #[arg(long, value_name = "ID")]
    format: Option<String>,
    /// A book of the server that the settings describe, instead of the sample.
    #[arg(long, value_name = "ID")]
    book: Option<String>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// The link that opens a line in your editor, with {file}, {line} and {column}.
    #[arg(long, value_name = "LINK", default_value = "vscode://file{file}:{line}:{column}", value_parser = editor_link)]
    editor: String,
    /// The port to listen on. Default: any free port.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let bench = Bench::open(&config, &arguments.which).await?;
    let book = match &arguments.book {
        None => BookSource::Samples,
        Some(id) => stored(&config, &BookId::from_client(id)).await?,
    };
    let first = bench.chosen(arguments.format.as_deref())?.remove(0).id;
    let templates = bench.templates.clone();
    let session = Arc::new(Session::new(&config, bench, book, first, arguments.editor)?);
    // The watch starts before the first pages are shown, so that no change is missed.
    watch(TemplateWatch::new(&templates)?, session.clone());
    let page = LocalPage::bind(arguments.port).await?;
    let url = page.url();
    print_line!("{} is previewed at {url}", templates.display());
    print_line!("The preview updates whenever a file is saved. Press Ctrl-C to end it.");
    if arguments.open {
        open_browser(&url);
    }
    page.serve(routes::router(session)).await?;
    Ok(ExitCode::SUCCESS)
}

/// Checks the link to an editor: a browser must open a program with it, and not run it as a script.
fn editor_link(link: &str) -> Result<String, String> {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|letter: char| letter.is_ascii_lowercase())
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "+-.".contains(letter))
    };
    match link.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) && rest.contains("{file}") => Ok(link.to_owned()),
        _ => Err("write a link such as vscode://file{file}:{line}:{column} or zed://file{file}:{line}".to_owned()),
    }
}

async fn stored(config: &Config, id: &BookId) -> anyhow::Result<BookSource> {
    // Fails when the database is missing or was used by another version: a preview must neither create nor migrate it.
    drop(linepress_operator::startup::open(config.clone(), linepress_operator::startup::Scope::Database).await?);
    let app = linepress_operator::startup::open(config.clone(), linepress_operator::startup::Scope::Everything).await?;
    let found = linepress_core::books::artwork_of(&app, id).await?;
    let (aspect, book) = found.context("there is no such book")?;
    Ok(BookSource::Stored {
        aspect,
        book: Box::new(book),
    })
}

/// Notifies the session of changes, on a thread that ends with the program.
fn watch(mut watch: TemplateWatch, session: Arc<Session>) {
    std::thread::spawn(move || {
        loop {
            match watch.wait() {
                Ok(()) => session.templates_changed(),
                Err(error) => {
                    print_error_line!("linepress: template changes are no longer noticed: {error}");
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::editor_link;

    #[test]
    fn a_link_to_an_editor_names_a_program_and_the_file() {
        for good in [
            "vscode://file{file}:{line}:{column}",
            "idea://open?file={file}&line={line}",
            "zed://file{file}",
        ] {
            assert_eq!(editor_link(good), Ok(good.to_owned()));
        }
        for bad in [
            "javascript:alert({file})",
            "vscode://file",
            "{file}",
            "://{file}",
            "Zed://{file}",
        ] {
            assert!(editor_link(bad).is_err(), "{bad}");
        }
    }
}
