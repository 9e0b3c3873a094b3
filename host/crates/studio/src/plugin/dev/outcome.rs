//! The result of a build and a call.
use std::time::Instant;

use linepress_core::print::{leaves_of, sample_book};
use linepress_imaging::{faults, prepare_drawing};
use linepress_model::{Aspect, Audience};
use linepress_operator::startup::render_settings;
use linepress_platform::config::Config;
use linepress_platform::error::chain;
use linepress_plugin_host::{CallError, Drawing, Layout, Leaf, PageConcept, PictureDescription, Plan, Review, Verdict};
use linepress_print::{Purpose, RenderJob, Renderer};

use crate::plugin::check::remedy;
use crate::plugin::request::Call;
use crate::plugin::trial::in_dollars;

/// A step on the way to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Build,
    Pack,
    Load,
    Request,
    Call,
    Print,
}

/// The failure of a step.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) step: Step,
    pub(super) text: String,
}

/// The value that a call returned, for its reader.
pub(super) struct Outcome {
    /// The id and the version of the plugin.
    pub(super) plugin: String,
    pub(super) facts: Vec<(&'static str, String)>,
    /// The pages of a plan, or the leaves of a book.
    pub(super) rows: Vec<Vec<String>>,
    pub(super) file: Option<ResultFile>,
}

/// The picture of a provider, the picture that a reviewer got, or the PDF of a layout.
pub(super) struct ResultFile {
    pub(super) media_type: &'static str,
    pub(super) bytes: Vec<u8>,
}

impl Step {
    pub(super) fn failed(self) -> impl FnOnce(String) -> Problem {
        move |text| Problem { step: self, text }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Build => "the build failed",
            Self::Pack => "the folder cannot be packed",
            Self::Load => "a server refuses the plugin",
            Self::Request => "the request cannot be sent",
            Self::Call => "the call failed",
            Self::Print => "the sample book cannot be printed",
        }
    }
}

impl Outcome {
    fn new(plugin: String) -> Self {
        Self {
            plugin,
            facts: Vec::new(),
            rows: Vec::new(),
            file: None,
        }
    }

    pub(super) fn fact(&mut self, name: &'static str, value: impl Into<String>) {
        self.facts.push((name, value.into()));
    }

    fn fact_if(&mut self, name: &'static str, value: Option<String>) {
        self.facts.extend(value.map(|value| (name, value)));
    }
}

/// Calls the plugin, and describes what it returns.
pub(super) async fn of_call(plugin: String, call: Call, config: &Config) -> Result<Outcome, Problem> {
    let mut outcome = Outcome::new(plugin);
    match call {
        Call::Draw(provider, request) => {
            let (aspect, audience) = (request.aspect, request.options.look.judged_as(request.audience));
            let drawing = timed(provider.draw(request), &mut outcome).await?;
            add_drawing(&mut outcome, drawing, aspect, audience).await;
        }
        Call::Plan(planner, request) => {
            let requested = request.page_count;
            let plan = timed(planner.plan(request), &mut outcome).await?;
            add_plan(&mut outcome, plan, requested);
        }
        Call::LayOut(layout, book, format) => {
            let leaves = timed(layout.lay_out(book, &format), &mut outcome).await?;
            add_leaves(&mut outcome, leaves);
            let bytes = pdf_of_sample(&layout, &format, config).await;
            let bytes = bytes.map_err(Step::Print.failed())?;
            outcome.fact("PDF", format!("a sample book, {} bytes", bytes.len()));
            outcome.file = Some(ResultFile {
                media_type: "application/pdf",
                bytes,
            });
        }
        Call::ReviewPrompt(reviewer, prompt) => {
            let review = timed(reviewer.review_prompt(prompt), &mut outcome).await?;
            add_review(&mut outcome, review);
        }
        Call::ReviewPicture(reviewer, picture) => {
            let shown = picture_file(&picture.image.media_type, picture.image.bytes.clone());
            let review = timed(reviewer.review_picture(picture), &mut outcome).await?;
            add_review(&mut outcome, review);
            outcome.file = Some(shown);
        }
        Call::DescribePicture(reviewer, picture) => {
            let description = timed(reviewer.describe_picture(picture), &mut outcome).await?;
            add_description(&mut outcome, description);
        }
    }
    Ok(outcome)
}

async fn timed<Returned>(
    call: impl Future<Output = Result<Returned, CallError>>,
    outcome: &mut Outcome,
) -> Result<Returned, Problem> {
    let began = Instant::now();
    let returned = call.await;
    let time = format!("{:.2} s", began.elapsed().as_secs_f64());
    let returned = returned.map_err(|error| Step::Call.failed()(format!("{error}, after {time}")))?;
    outcome.fact("call", time);
    Ok(returned)
}

async fn add_drawing(outcome: &mut Outcome, drawing: Drawing, aspect: Aspect, audience: Audience) {
    outcome.fact(
        "picture",
        format!("{}, {} bytes", drawing.media_type, drawing.bytes.len()),
    );
    outcome.fact_if("model", drawing.model);
    outcome.fact_if("cost", drawing.cost_microdollars.map(in_dollars));
    outcome.fact_if("note", drawing.note);
    let unknown = Some(drawing.unknown_words.join(", ")).filter(|words| !words.is_empty());
    outcome.fact_if("unknown words", unknown);
    let bytes = drawing.bytes.clone();
    let prepared = tokio::task::spawn_blocking(move || prepare_drawing(&bytes, aspect, audience)).await;
    match prepared {
        Ok(Ok(prepared)) => {
            let found = faults(&prepared.measures, audience);
            if found.is_empty() {
                outcome.fact("page", "good to color");
            }
            for fault in found {
                outcome.fact("page", format!("not good to color: {fault:?}. {}", remedy(fault)));
            }
        }
        Ok(Err(error)) => outcome.fact("page", format!("a server cannot use it: {error}")),
        Err(panic) => outcome.fact("page", format!("a server cannot use it: {panic}")),
    }
    outcome.file = Some(picture_file(&drawing.media_type, drawing.bytes));
}

fn picture_file(media_type: &str, bytes: Vec<u8>) -> ResultFile {
    let media_type = match media_type {
        "image/jpeg" => "image/jpeg",
        "image/webp" => "image/webp",
        _ => "image/png",
    };
    ResultFile { media_type, bytes }
}

fn add_plan(outcome: &mut Outcome, plan: Plan, requested: u32) {
    outcome.fact("title", plan.title);
    outcome.fact_if("subtitle", Some(plan.subtitle).filter(|text| !text.is_empty()));
    outcome.fact("description", plan.description);
    outcome.fact("cover", plan.cover_prompt);
    let unplaced = Some(plan.unplaced.join(", ")).filter(|words| !words.is_empty());
    outcome.fact_if("words on no page", unplaced);
    if plan.pages.len() != requested as usize {
        outcome.fact(
            "pages",
            format!(
                "{} instead of {requested}, and a server accepts nothing else",
                plan.pages.len()
            ),
        );
    }
    let row =
        |(index, page): (usize, PageConcept)| vec![(index + 1).to_string(), page.title, page.prompt, page.caption];
    outcome.rows = plan.pages.into_iter().enumerate().map(row).collect();
}

fn add_review(outcome: &mut Outcome, review: Review) {
    outcome.fact("verdict", review.verdict.as_str());
    match review.verdict {
        Verdict::Pass | Verdict::Refuse(None) => {}
        Verdict::Redraw(hint) => outcome.fact("hint", hint),
        Verdict::Refuse(Some(sentence)) => outcome.fact("sentence", sentence),
    }
    outcome.fact_if("model", review.model);
    outcome.fact_if("cost", review.cost_microdollars.map(in_dollars));
}

fn add_description(outcome: &mut Outcome, description: PictureDescription) {
    outcome.fact("alternative text", description.alternative_text);
    outcome.fact_if("caption", description.caption);
    outcome.fact_if("model", description.model);
    outcome.fact_if("cost", description.cost_microdollars.map(in_dollars));
}

fn add_leaves(outcome: &mut Outcome, leaves: Vec<Leaf>) {
    outcome.fact("leaves", leaves.len().to_string());
    let row = |(index, leaf): (usize, Leaf)| {
        let drawing = leaf.drawing.map(|drawing| format!("drawing {}", drawing + 1));
        vec![(index + 1).to_string(), leaf.kind, drawing.unwrap_or_default()]
    };
    outcome.rows = leaves.into_iter().enumerate().map(row).collect();
}

/// The PDF of the sample book that designers use.
async fn pdf_of_sample(layout: &Layout, format: &str, config: &Config) -> Result<Vec<u8>, String> {
    let mut formats = layout.description().formats.iter();
    let format = formats
        .find(|known| known.id == format)
        .ok_or_else(|| format!("the layout has no format {format}"))?;
    let sample = sample_book(format.aspect);
    let purpose = Purpose::default();
    let leaves = leaves_of(layout, format, purpose, sample.aspect, &sample.book).await;
    let leaves = leaves.map_err(|error| error.for_operator())?.leaves;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let renderer = Renderer::new(render_settings(config, program));
    let job = RenderJob {
        templates: layout.templates(),
        format,
        purpose,
        leaves: &leaves,
        book: &sample.book,
    };
    let mut pdf = Vec::new();
    let rendered = renderer.permit().await.render_into(job, &mut pdf).await;
    rendered.map_err(|error| chain(&error))?;
    Ok(pdf)
}
