//! The command `linepress plugin try`: makes one real call.
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use linepress_imaging::{faults, prepare_drawing};
use linepress_model::{Aspect, Audience};
use linepress_platform::config::Config;
use linepress_plugin_host::{
    CallError, DrawOptions, DrawRequest, ImageProvider, Media, PictureToDescribe, PictureToReview, PlanRequest,
    Planner, PromptToReview, Purpose, Review, Reviewer, Verdict,
};
use linepress_terminal::{one_line, one_of, print_line, printable};

use super::source;
use crate::workbench::{Network, Plugin, Workbench};

#[derive(Args)]
pub struct Arguments {
    /// The plugin's folder.
    path: PathBuf,
    /// The subject to draw or to review, or the theme to plan.
    #[arg(long)]
    prompt: String,
    /// A picture to draw from, such as a photograph, for plugins that support it; for a reviewer, the picture to
    /// review.
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// The file for the picture. Default: drawing.png, .jpg or .webp in the current folder.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The shape of the page: square, portrait or landscape.
    #[arg(long, default_value = "portrait", value_parser = aspect)]
    aspect: Aspect,
    /// The audience: toddler, child, teen or adult.
    #[arg(long, default_value = "child", value_parser = audience)]
    audience: Audience,
    /// The seed; another seed gives another drawing.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of pages to plan.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    pages: u32,
    /// Record the network traffic in this file, without the secrets.
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Answer network requests from a file written by --record, and send nothing.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

pub(super) fn aspect(text: &str) -> Result<Aspect, String> {
    one_of(Aspect::ALL, text)
}

pub(super) fn audience(text: &str) -> Result<Audience, String> {
    one_of(Audience::ALL, text)
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let network = match (&arguments.record, &arguments.replay) {
        (Some(file), _) => Network::Recorded(file.clone()),
        (_, Some(file)) => Network::Replayed(file.clone()),
        _ => Network::Granted,
    };
    let workbench = Workbench::new(&config, &arguments.path, network, None)?;
    let plugin = match workbench.load().await? {
        Ok((_, plugin)) => plugin,
        Err(reason) => bail!("the plugin in {} is refused: {reason}", arguments.path.display()),
    };
    match plugin {
        Plugin::ImageProvider(provider) => draw(&provider, &arguments).await,
        Plugin::Planner(planner) => plan(&planner, &arguments).await,
        Plugin::Reviewer(reviewer) => review(&reviewer, &arguments).await,
        Plugin::Layout(_) => {
            bail!("a layout plugin does not use a prompt; `linepress plugin check` tests it with sample books")
        }
    }
}

/// A request to a plugin: for a drawing, for a book plan, or for a review.
pub(super) struct Asked<'a> {
    pub prompt: &'a str,
    pub aspect: Aspect,
    pub audience: Audience,
    pub seed: u64,
}

impl Asked<'_> {
    pub(super) fn drawing(&self, source: Option<Media>) -> DrawRequest {
        let (width, height) = self.aspect.recommended_pixels();
        DrawRequest {
            purpose: Purpose::Page,
            prompt: self.prompt.to_owned(),
            title: String::new(),
            width,
            height,
            aspect: self.aspect,
            audience: self.audience,
            characters: Vec::new(),
            source,
            seed: self.seed,
            options: DrawOptions::default(),
        }
    }

    pub(super) fn prompt(&self) -> PromptToReview {
        PromptToReview {
            purpose: Purpose::Page,
            text: self.prompt.to_owned(),
            title: String::new(),
            audience: self.audience,
        }
    }

    pub(super) fn plan(&self, pages: u32) -> PlanRequest {
        PlanRequest {
            theme: self.prompt.to_owned(),
            page_count: pages,
            aspect: self.aspect,
            audience: self.audience,
            title: None,
            characters: Vec::new(),
            language: "en".into(),
            notes: None,
            mismatch: None,
            earlier: Vec::new(),
            seed: self.seed,
        }
    }
}

impl Arguments {
    fn asked(&self) -> Asked<'_> {
        Asked {
            prompt: &self.prompt,
            aspect: self.aspect,
            audience: self.audience,
            seed: self.seed,
        }
    }
}

async fn draw(provider: &ImageProvider, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (aspect, audience) = (arguments.aspect, arguments.audience);
    let source = arguments.source.as_deref().map(source::read).transpose()?;
    source::check(provider, source.as_ref())?;
    let request = arguments.asked().drawing(source);
    let began = Instant::now();
    let outcome = provider.draw(request).await;
    let seconds = began.elapsed().as_secs_f64();
    let drawing = outcome.map_err(|error| failed(&error, seconds))?;
    let out = arguments.out.clone().unwrap_or_else(|| usual_file(&drawing.media_type));
    std::fs::write(&out, &drawing.bytes).with_context(|| format!("{} cannot be written", out.display()))?;
    print_line!(
        "picture\t{} ({}, {} bytes)",
        out.display(),
        drawing.media_type,
        drawing.bytes.len()
    );
    print_usage(seconds, drawing.model.as_deref(), drawing.cost_microdollars);
    let unknown = Some(drawing.unknown_words.join(", ")).filter(|words| !words.is_empty());
    for (what, text) in [("note", &drawing.note), ("unknown words", &unknown)] {
        if let Some(text) = text {
            print_line!("{what}\t{}", one_line(text));
        }
    }
    let bytes = drawing.bytes;
    let prepared = tokio::task::spawn_blocking(move || prepare_drawing(&bytes, aspect, audience)).await?;
    match prepared {
        Ok(prepared) => {
            let found = faults(&prepared.measures, audience);
            match &found[..] {
                [] => print_line!("page\tgood to color"),
                found => print_line!("page\tnot good to color: {found:?}; a server would draw it again"),
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            print_line!("page\ta server cannot use it: {}", printable(&error.to_string()));
            Ok(ExitCode::FAILURE)
        }
    }
}

async fn plan(planner: &Planner, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let request = arguments.asked().plan(arguments.pages);
    let began = Instant::now();
    let outcome = planner.plan(request).await;
    let seconds = began.elapsed().as_secs_f64();
    let plan = outcome.map_err(|error| failed(&error, seconds))?;
    print_line!("title\t{}", one_line(&plan.title));
    print_line!("cover\t{}", one_line(&plan.cover_prompt));
    for (number, page) in plan.pages.iter().enumerate() {
        print_line!("{}\t{}\t{}", number + 1, one_line(&page.title), one_line(&page.prompt));
    }
    print_line!("time\t{seconds:.2} s");
    if plan.pages.len() != arguments.pages as usize {
        print_line!(
            "pages\t{} were requested, and a server accepts nothing else",
            arguments.pages
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reviews the prompt, and then the picture if there is one.
async fn review(reviewer: &Reviewer, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let prompt = arguments.asked().prompt();
    let began = Instant::now();
    let outcome = reviewer.review_prompt(prompt.clone()).await;
    let reviewed = outcome.map_err(|error| failed(&error, began.elapsed().as_secs_f64()))?;
    print_review("prompt", &reviewed, began);
    let Some(file) = &arguments.source else {
        return Ok(ExitCode::SUCCESS);
    };
    let image = source::read_drawing(file, prompt.purpose, arguments.aspect, arguments.audience)?;
    let picture = PictureToReview {
        prompt: prompt.clone(),
        aspect: arguments.aspect,
        image: image.clone(),
        is_redrawn: false,
    };
    let began = Instant::now();
    let outcome = reviewer.review_picture(picture).await;
    let reviewed = outcome.map_err(|error| failed(&error, began.elapsed().as_secs_f64()))?;
    print_review("picture", &reviewed, began);
    if reviewer.description().describes_pictures {
        describe(reviewer, prompt, image, arguments.aspect).await;
    }
    Ok(ExitCode::SUCCESS)
}

/// Has the picture described, with the prompt as its title, because a reviewer gets no prompt for a description. A
/// server stores a picture without a description as well, so a failure is printed and does not fail the command.
async fn describe(reviewer: &Reviewer, prompt: PromptToReview, image: Media, aspect: Aspect) {
    let finished = PictureToDescribe {
        purpose: prompt.purpose,
        title: prompt.text,
        audience: prompt.audience,
        aspect,
        image,
        language: "en".into(),
    };
    let began = Instant::now();
    let outcome = reviewer.describe_picture(finished).await;
    let seconds = began.elapsed().as_secs_f64();
    match outcome {
        Ok(description) => {
            print_line!("description\t{}", one_line(&description.alternative_text));
            if let Some(caption) = &description.caption {
                print_line!("caption\t{}", one_line(caption));
            }
            print_usage(seconds, description.model.as_deref(), description.cost_microdollars);
        }
        Err(error) => {
            let error = format!("none: {error}; a server stores the picture without one");
            print_line!("description\t{}", one_line(&error));
            print_line!("time\t{seconds:.2} s");
        }
    }
}

fn print_review(what: &str, review: &Review, began: Instant) {
    let text = match &review.verdict {
        Verdict::Pass | Verdict::Refuse(None) => String::new(),
        Verdict::Redraw(text) | Verdict::Refuse(Some(text)) => format!(": {text}"),
    };
    let verdict = review.verdict.as_str();
    print_line!("{what}\t{verdict}{}", one_line(&text));
    let seconds = began.elapsed().as_secs_f64();
    print_usage(seconds, review.model.as_deref(), review.cost_microdollars);
}

/// The time of a call, and the model and the cost that the plugin reported.
fn print_usage(seconds: f64, model: Option<&str>, cost_microdollars: Option<i64>) {
    print_line!("time\t{seconds:.2} s");
    let cost = cost_microdollars.map(in_dollars);
    for (what, text) in [("model", model), ("cost", cost.as_deref())] {
        if let Some(text) = text {
            print_line!("{what}\t{}", one_line(text));
        }
    }
}

/// A cost in millionths of a US dollar, in words.
pub(super) fn in_dollars(cost: i64) -> String {
    format!("{}.{:06} US dollars", cost / 1_000_000, cost % 1_000_000)
}

fn failed(error: &CallError, seconds: f64) -> anyhow::Error {
    let again = if error.is_final() {
        "not be retried"
    } else {
        "be retried"
    };
    anyhow::anyhow!("the call failed after {seconds:.2} s and would {again} by a server: {error}")
}

fn usual_file(media_type: &str) -> PathBuf {
    let ending = match media_type {
        "image/jpeg" => "jpg",
        "image/webp" => "webp",
        _ => "png",
    };
    Path::new("drawing").with_extension(ending)
}
