//! `cargo xtask demo`: makes a book, from the theme to the PDF, through the REST API of a temporary server.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::client::Client;
use crate::folders;
use crate::interrupt;
use crate::plugins;
use crate::project::Project;
use crate::server::{Installation, Server};

const EMAIL: &str = "demo@example.com";

/// The interval between two requests for the progress.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

#[derive(Args)]
pub(crate) struct Demo {
    /// The theme of the book.
    #[arg(long, default_value = "A woodland day with foxes, owls and hedgehogs")]
    theme: String,
    /// The age group that the book is for.
    #[arg(long, default_value = "child", value_parser = ["toddler", "child", "teen", "adult"])]
    audience: String,
    /// The shape of the pages.
    #[arg(long, default_value = "portrait", value_parser = ["square", "portrait", "landscape"])]
    aspect: String,
    /// The number of pages to draw.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    pages: u32,
    /// The print format. The default is us_letter, or the first format of the aspect.
    #[arg(long)]
    format: Option<String>,
    /// The file that the PDF is saved to.
    #[arg(long, default_value = "linepress-demo.pdf")]
    out: PathBuf,
    /// Build with optimizations: the build takes longer, drawing and printing are several times faster.
    #[arg(long)]
    release: bool,
}

impl Demo {
    /// Builds everything, starts a server with an empty data folder, and makes the book.
    pub(crate) fn run(&self, project: &Project) -> anyhow::Result<ExitCode> {
        let folder = plugins::assemble_offline(project)?;
        let program = project.build_server(self.release)?;
        let data = project.root.join("data").join("demo");
        // Each run starts with an empty data folder, so that it can be repeated.
        folders::empty(&data)?;
        interrupt::catch()?;
        let installation = Installation::new(program, folder, data)?;
        let server = installation.serve()?;
        let key = installation.account(EMAIL, u64::from(2 * self.pages))?;
        println!("The server is running at {}", server.address);
        self.make_book(&server, key).inspect_err(|_| server.show_log())?;
        Ok(ExitCode::SUCCESS)
    }

    /// A small book for a check.
    pub(crate) fn sample(pages: u32, out: PathBuf) -> Self {
        Self {
            theme: "A woodland day".into(),
            audience: "child".into(),
            aspect: "portrait".into(),
            pages,
            format: None,
            out,
            release: false,
        }
    }

    /// Plans, draws and prints the book with the server.
    pub(crate) fn make_book(&self, server: &Server, key: String) -> anyhow::Result<()> {
        let client = Client::new(format!("{}/api/v1", server.address), key);
        // A wrong format is reported before the first drawing.
        let format = self.format(&client)?;
        let generation = self.plan(&client)?;
        let accepted = client.post("/books", &generation, Some(&format!("demo-{}", std::process::id())))?;
        let book = text(&accepted.body["book"]["id"], "the book's id")?;
        follow(&client, &accepted.body["operation"])?;
        let available = client
            .get("/me")
            .ok()
            .and_then(|me| me.available)
            .or(accepted.available);
        let bytes = save(&client, &format!("/books/{book}/pdf?format={format}"), &self.out)?;
        let spent = accepted
            .consumed
            .map_or_else(|| "an unknown number of".to_owned(), |spent| spent.to_string());
        let left = available.map(|left| format!(", {left} are left")).unwrap_or_default();
        let out = std::path::absolute(&self.out)?;
        println!("\n{}", out.display());
        println!(
            "{} drawings as {format}, {:.1} MB; {spent} credits spent{left}.",
            self.pages,
            bytes as f64 / 1e6
        );
        println!("\nTo keep a server running, use `cargo xtask serve`; README.md describes the next steps.");
        Ok(())
    }

    /// Returns the requested format, or an error if the server does not print books of this aspect in it.
    fn format(&self, client: &Client) -> anyhow::Result<String> {
        let response = client.get("/print_formats")?;
        let formats = response.body["print_formats"]
            .as_array()
            .context("the server lists no print formats")?;
        let fitting: Vec<&str> = formats
            .iter()
            .filter(|format| format["aspect"] == self.aspect.as_str())
            .filter_map(|format| format["id"].as_str())
            .collect();
        choose(&fitting, self.format.as_deref())
            .with_context(|| format!("this print format is not available for {} books", self.aspect))
    }

    /// Requests a plan and prints it. Returns the body of the request that makes the book.
    fn plan(&self, client: &Client) -> anyhow::Result<Value> {
        println!(
            "\nPlanning {} {} pages for {} {}: {}\n",
            self.pages,
            self.aspect,
            if self.audience == "adult" { "an" } else { "a" },
            self.audience,
            self.theme
        );
        let wish = json!({"book_plan": {
            "theme": self.theme, "page_count": self.pages, "aspect": self.aspect, "audience": self.audience,
        }});
        let response = client.post("/book_plans", &wish, None)?;
        let plan = &response.body["book_plan"];
        let request = plan["generation_request"].clone();
        if !request.is_object() {
            bail!("the plan has no generation_request");
        }
        println!("{}", request["book"]["title"].as_str().unwrap_or("Untitled"));
        for (number, concept) in (1..).zip(
            plan["page_concepts"]
                .as_array()
                .context("the plan has no page_concepts")?,
        ) {
            println!("{number:3}. {}", concept["title"].as_str().unwrap_or_default());
            println!("     {}", concept["prompt"].as_str().unwrap_or_default());
        }
        let estimate = &plan["credit_estimate"];
        println!(
            "\nDrawing {} pages takes {} credits.\n",
            estimate["pages"], estimate["credits"]
        );
        Ok(request)
    }
}

fn choose(fitting: &[&str], wanted: Option<&str>) -> anyhow::Result<String> {
    let found = match wanted {
        Some(wanted) => fitting.iter().find(|format| **format == wanted),
        None => fitting
            .iter()
            .find(|format| **format == "us_letter")
            .or_else(|| fitting.first()),
    };
    found
        .map(|format| (*format).to_owned())
        .with_context(|| format!("choose one of: {}", fitting.join(", ")))
}

/// Polls an operation until it ends, and shows a progress bar.
fn follow(client: &Client, operation: &Value) -> anyhow::Result<()> {
    let url = text(&operation["url"], "the operation's url")?;
    let style = ProgressStyle::with_template("{msg:10} {wide_bar} {pos}/{len} {elapsed}").expect("a valid template");
    let bar = ProgressBar::new(operation["progress"]["total"].as_u64().unwrap_or_default()).with_style(style);
    loop {
        interrupt::check()?;
        let response = client.get(&url)?;
        let operation = &response.body["operation"];
        let progress = &operation["progress"];
        let count = |name: &str| progress[name].as_u64().unwrap_or_default();
        let status = operation["status"].as_str().unwrap_or_default();
        bar.set_length(count("total"));
        bar.set_position(count("completed") + count("failed"));
        bar.set_message(status.to_owned());
        match status {
            "queued" | "running" => std::thread::sleep(POLL_INTERVAL),
            "succeeded" => {
                bar.finish();
                return Ok(());
            }
            _ => {
                bar.abandon();
                bail!(
                    "drawing ended as {status}, {} of {} failed:{}",
                    count("failed"),
                    count("total"),
                    failures(operation)
                );
            }
        }
    }
}

/// Returns one line for each failed page.
fn failures(operation: &Value) -> String {
    let items = operation["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let failed = items.iter().filter(|item| !item["error"].is_null());
    failed
        .map(|item| {
            format!(
                "\n  {}: {}",
                item["title"].as_str().unwrap_or_default(),
                item["error"]["message"]
            )
        })
        .collect()
}

fn text(value: &Value, what: &str) -> anyhow::Result<String> {
    value
        .as_str()
        .map(str::to_owned)
        .with_context(|| format!("the response lacks {what}"))
}

/// Downloads into a temporary file in the folder of the target, which is replaced only by a complete PDF.
fn save(client: &Client, path: &str, out: &Path) -> anyhow::Result<u64> {
    let out = std::path::absolute(out)?;
    let folder = out.parent().context("the path of the PDF has no folder")?;
    let mut file = tempfile::NamedTempFile::new_in(folder)
        .with_context(|| format!("the folder {} is not writable", folder.display()))?;
    let bytes = client.download(path, &mut file)?;
    file.flush()?;
    readable_by_all(file.as_file())?;
    file.persist(&out)
        .with_context(|| format!("{} cannot be written", out.display()))?;
    Ok(bytes)
}

/// Makes a finished book readable for all users. Temporary files are private.
#[cfg(unix)]
fn readable_by_all(file: &fs::File) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.set_permissions(fs::Permissions::from_mode(0o644))?)
}

#[cfg(not(unix))]
fn readable_by_all(_: &fs::File) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_is_the_first_choice_where_it_fits() {
        assert_eq!(choose(&["a4", "us_letter"], None).unwrap(), "us_letter");
        assert_eq!(choose(&["small_square", "square"], None).unwrap(), "small_square");
        assert_eq!(choose(&["a4", "us_letter"], Some("a4")).unwrap(), "a4");
        let error = choose(&["a4", "us_letter"], Some("square")).unwrap_err();
        assert_eq!(error.to_string(), "choose one of: a4, us_letter");
    }

    #[test]
    fn failed_pages_are_named() {
        let operation = json!({"items": [
            {"title": "Fox", "error": null},
            {"title": "Owl", "error": {"message": "refused"}},
        ]});
        assert_eq!(failures(&operation), "\n  Owl: \"refused\"");
    }
}
