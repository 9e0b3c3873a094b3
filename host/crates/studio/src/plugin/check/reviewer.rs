//! Checks of a reviewer: ordinary and unusual prompts, a drawing, and an empty page.
use std::time::{Duration, Instant};

use anyhow::Context as _;
use linepress_core::print::sample_book;
use linepress_imaging::{blank_master, master_picture};
use linepress_model::Aspect;
use linepress_plugin_host::{CallError, PictureToDescribe, PictureToReview, PromptToReview, Review, Reviewer, Verdict};
use linepress_terminal::Report;

use super::calls::fox_to_review;
use super::usage;
use crate::plugin::source;

/// The shape of the pictures.
const ASPECT: Aspect = Aspect::Portrait;

/// # Errors
///
/// Fails when a picture cannot be prepared, which is no fault of the reviewer.
pub(super) async fn check(reviewer: &Reviewer, report: &mut Report) -> anyhow::Result<()> {
    let mut slowest = Duration::ZERO;
    match timed(reviewer.review_prompt(fox_to_review()), &mut slowest).await {
        Ok(Review {
            verdict: Verdict::Pass, ..
        }) => report.good("an ordinary prompt", "passes"),
        Ok(review) => report.bad(
            "an ordinary prompt",
            &format!("verdict {}", review.verdict.as_str()),
            "Pass it: a fox that builds a snowman suits children.",
        ),
        Err(error) => report.bad(
            "an ordinary prompt",
            &error.to_string(),
            "Make sure that the reviewer accepts this ordinary request.",
        ),
    }
    for (what, text) in [
        ("an empty prompt", String::new()),
        ("a long prompt", "a fox and a hen, ".repeat(200)),
        (
            "a prompt in other letters",
            "キツネ \u{1F98A} «лиса» \"}]<b>".to_owned(),
        ),
    ] {
        let prompt = PromptToReview {
            text,
            ..fox_to_review()
        };
        let outcome = timed(reviewer.review_prompt(prompt), &mut slowest).await;
        report_outcome(what, outcome, report);
    }
    let [drawing, empty] = tokio::task::spawn_blocking(pictures).await??;
    for (what, picture, is_redrawn) in [
        ("a picture", &drawing, false),
        ("a picture that was drawn again", &drawing, true),
        ("an empty page", &empty, false),
    ] {
        let picture = PictureToReview {
            is_redrawn,
            ..picture.clone()
        };
        let outcome = timed(reviewer.review_picture(picture), &mut slowest).await;
        report_outcome(what, outcome, report);
    }
    if reviewer.description().describes_pictures {
        let finished = PictureToDescribe {
            purpose: drawing.prompt.purpose,
            title: drawing.prompt.title,
            audience: drawing.prompt.audience,
            aspect: drawing.aspect,
            image: drawing.image,
            language: "en".into(),
        };
        match timed(reviewer.describe_picture(finished), &mut slowest).await {
            Ok(description) => report.good("a description", &format!("{:?}", description.alternative_text)),
            Err(error) => report.bad(
                "a description",
                &error.to_string(),
                "Return an alternative text, or report in describe() that the reviewer describes no pictures.",
            ),
        }
    }
    usage(reviewer.usage(), slowest, None, report);
    Ok(())
}

/// A drawing of the sample book that designers use, and an empty page, each as a server would store it.
fn pictures() -> anyhow::Result<[PictureToReview; 2]> {
    let sample = sample_book(ASPECT);
    let drawing = sample.book.drawings.first().context("the sample book has no drawing")?;
    let prompt = PromptToReview {
        text: format!("{}: {}", drawing.title, drawing.caption),
        title: drawing.title.clone(),
        ..fox_to_review()
    };
    Ok([
        picture(prompt, &drawing.master)?,
        picture(fox_to_review(), &blank_master(ASPECT)?)?,
    ])
}

/// The picture of a print master, prepared like the picture of a provider.
fn picture(prompt: PromptToReview, master: &[u8]) -> anyhow::Result<PictureToReview> {
    let (width, height) = ASPECT.recommended_pixels();
    let drawing = master_picture(master, width.max(height))?;
    Ok(PictureToReview {
        image: source::prepared_drawing(&drawing, prompt.purpose, ASPECT, prompt.audience)?,
        prompt,
        aspect: ASPECT,
        is_redrawn: false,
    })
}

/// Waits for a call, and keeps the longest time.
async fn timed<Returned>(
    call: impl Future<Output = Result<Returned, CallError>>,
    slowest: &mut Duration,
) -> Result<Returned, CallError> {
    let began = Instant::now();
    let outcome = call.await;
    *slowest = (*slowest).max(began.elapsed());
    outcome
}

fn report_outcome(what: &str, outcome: Result<Review, CallError>, report: &mut Report) {
    match outcome {
        Ok(review) => report.good(what, &format!("verdict {}", review.verdict.as_str())),
        Err(error) => report.bad(
            what,
            &error.to_string(),
            "Return a verdict. Errors are for a reviewer that cannot work at present.",
        ),
    }
}
