//! The progress of an order, until it has ended and its PDF is saved.
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};
use linepress_terminal::{one_line, print_error_line, print_line};
use serde::Deserialize;

use super::api::Api;
use super::file;
use super::printing::Printing;

/// The time after which the server reports the progress, if the order has not ended before.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// The exit code of programs that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

#[derive(Deserialize)]
pub(super) struct OperationReply {
    pub(super) operation: Operation,
}

#[derive(Deserialize)]
pub(super) struct Operation {
    pub(super) id: String,
    status: String,
    progress: Progress,
    credits: Credits,
    resource: Resource,
    items: Vec<Item>,
    finished_at: Option<String>,
}

#[derive(Deserialize)]
struct Progress {
    completed: u64,
    failed: u64,
    total: u64,
}

#[derive(Deserialize)]
struct Credits {
    refunded: u64,
}

#[derive(Deserialize)]
struct Resource {
    r#type: String,
    id: String,
}

#[derive(Deserialize)]
struct Item {
    title: String,
    error: Option<ItemError>,
}

#[derive(Deserialize)]
struct ItemError {
    message: String,
}

/// Follows an operation and saves the PDF, if one is wanted. Ctrl-C ends only this command.
pub(super) async fn follow(api: &Api, id: &str, printing: &Printing) -> anyhow::Result<ExitCode> {
    let bar = ProgressBar::new(0).with_style(style());
    let followed = tokio::select! {
        followed = to_the_end(api, id, printing, &bar) => followed,
        _ = tokio::signal::ctrl_c() => {
            bar.finish_and_clear();
            print_error_line!("The order continues on the server. {}", how_to_go_on(id, printing));
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    bar.finish_and_clear();
    followed.map(|()| ExitCode::SUCCESS)
}

/// The command that continues to wait.
pub(super) fn how_to_go_on(id: &str, printing: &Printing) -> String {
    format!("Wait for it with: linepress client wait {id}{}", printing.arguments())
}

async fn to_the_end(api: &Api, id: &str, printing: &Printing, bar: &ProgressBar) -> anyhow::Result<()> {
    let ended = until_ended(api, id, bar).await.with_context(|| {
        let advice = how_to_go_on(id, printing);
        format!("the order may continue on the server. {advice}")
    })?;
    report_failures(&ended)?;
    let Some(target) = &printing.pdf else {
        return Ok(());
    };
    if ended.resource.r#type != "book" {
        bail!("the order {id} is not one of a book, so it has no PDF");
    }
    bar.set_message("making the PDF");
    file::save(api, &printing.path(&ended.resource.id), target)
        .await
        .with_context(|| {
            format!(
                "the book is drawn, and its PDF was not saved. {}",
                how_to_go_on(id, printing)
            )
        })?;
    print_line!("{}", target.display());
    Ok(())
}

async fn until_ended(api: &Api, id: &str, bar: &ProgressBar) -> anyhow::Result<Operation> {
    loop {
        let path = format!("/operations/{id}");
        let reply = api.get::<OperationReply>(&path, Some(PROGRESS_INTERVAL)).await?;
        let operation = reply.body.operation;
        let Progress {
            completed,
            failed,
            total,
        } = operation.progress;
        bar.set_length(total);
        bar.set_position(completed + failed);
        if operation.finished_at.is_some() {
            return Ok(operation);
        }
        if !reply.has_waited {
            tokio::time::sleep(PROGRESS_INTERVAL).await;
        }
    }
}

/// Reports each drawing that failed; an order without a complete result is an error.
fn report_failures(ended: &Operation) -> anyhow::Result<()> {
    for item in &ended.items {
        if let Some(error) = &item.error {
            print_error_line!("{}: {}", one_line(&item.title), one_line(&error.message));
        }
    }
    if ended.status == "succeeded" {
        return Ok(());
    }
    let (failed, total, refunded) = (ended.progress.failed, ended.progress.total, ended.credits.refunded);
    bail!(
        "{failed} of {total} drawings failed, and {refunded} credits were refunded. Regenerate the pages of {}, or replace their \
         pictures",
        ended.resource.id
    )
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} drawings, {elapsed} {msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}
