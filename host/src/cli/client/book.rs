//! The command `linepress client book`.
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use clap::builder::PossibleValuesParser;
use linepress_model::{Aspect, Audience};
use linepress_terminal::{one_line, print_error_line, print_line};
use serde::Deserialize;
use serde_json::{Value, json};

use super::api::Api;
use super::following::{self, Operation};
use super::printing::Printing;
use super::{confirmation, file};

#[derive(Args)]
pub(super) struct Arguments {
    /// The theme of the book, in a sentence or two.
    #[arg(long)]
    theme: String,
    /// The number of pages to color.
    #[arg(long, default_value_t = 8)]
    pages: u32,
    /// The audience of the book; child by default.
    #[arg(long, value_parser = PossibleValuesParser::new(Audience::ALL.iter().map(|one| one.as_str())))]
    audience: Option<String>,
    /// The shape of the pages; portrait by default.
    #[arg(long, value_parser = PossibleValuesParser::new(Aspect::ALL.iter().map(|one| one.as_str())))]
    aspect: Option<String>,
    /// The language of the texts, such as en or de.
    #[arg(long)]
    language: Option<String>,
    /// The title; the planner chooses one by default.
    #[arg(long)]
    title: Option<String>,
    /// Further wishes, in free text.
    #[arg(long)]
    notes: Option<String>,
    /// Order without a question, at the price that the plan has.
    #[arg(long)]
    yes: bool,
    /// Wait until the book is drawn, with a progress bar.
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    printing: Printing,
}

impl Arguments {
    fn plan(&self) -> Value {
        let mut plan = json!({"theme": self.theme, "page_count": self.pages});
        let optional = [
            ("audience", &self.audience),
            ("aspect", &self.aspect),
            ("language", &self.language),
            ("title", &self.title),
            ("notes", &self.notes),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                plan[name] = value.as_str().into();
            }
        }
        json!({"book_plan": plan})
    }
}

#[derive(Deserialize)]
struct PlanReply {
    book_plan: Plan,
}

#[derive(Deserialize)]
struct Plan {
    page_concepts: Vec<Titled>,
    #[serde(default)]
    warnings: Vec<Warning>,
    credit_estimate: Estimate,
    generation_request: Value,
}

#[derive(Deserialize)]
struct Titled {
    title: String,
}

#[derive(Deserialize)]
struct Warning {
    message: String,
}

#[derive(Deserialize)]
struct Estimate {
    credits: u64,
}

#[derive(Deserialize)]
struct Accepted {
    book: Identified,
    operation: Operation,
}

#[derive(Deserialize)]
struct Identified {
    id: String,
}

const UNKNOWN_ORDER: &str = "the server has not responded yet, and may have accepted the order. Look at the library of the \
                             account, or at GET /operations, before you order again";

pub(super) async fn run(api: &Api, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let printing = &arguments.printing;
    if let Some(target) = &printing.pdf {
        file::check(target)?;
    }
    let planned = api.post::<PlanReply>("/book_plans", &arguments.plan(), None).await?;
    let plan = planned.body.book_plan;
    show(&plan);
    if !arguments.yes {
        let price = price(plan.credit_estimate.credits, planned.available);
        confirmation::ask(&format!("Order this book for {price}?"))?;
    }
    let key = format!("linepress-client-{}", file::random_word());
    let accepted = tokio::select! {
        accepted = api.post::<Accepted>("/books", &plan.generation_request, Some(&key)) => accepted?.body,
        // Ctrl-C would otherwise end the process without a word about an order that the server may have accepted.
        _ = tokio::signal::ctrl_c() => bail!("{UNKNOWN_ORDER}"),
    };
    let (operation, book) = (&accepted.operation.id, &accepted.book.id);
    print_line!("{operation} {book}");
    if arguments.wait || printing.pdf.is_some() {
        return following::follow(api, operation, printing).await;
    }
    print_error_line!("The book is ordered. {}", following::how_to_go_on(operation, printing));
    Ok(ExitCode::SUCCESS)
}

/// Shows the plan to the person who orders it.
fn show(plan: &Plan) {
    let title = plan.generation_request["book"]["title"].as_str().unwrap_or_default();
    print_error_line!("{}", one_line(title));
    for (number, page) in (1..).zip(&plan.page_concepts) {
        print_error_line!("{number:>3}. {}", one_line(&page.title));
    }
    for warning in &plan.warnings {
        print_error_line!("Note: {}", one_line(&warning.message));
    }
    print_error_line!("Price: {}", price(plan.credit_estimate.credits, None));
}

fn price(credits: u64, available: Option<u64>) -> String {
    let unit = if credits == 1 { "credit" } else { "credits" };
    match available {
        Some(available) => format!("{credits} {unit} of {available}"),
        None => format!("{credits} {unit}"),
    }
}
