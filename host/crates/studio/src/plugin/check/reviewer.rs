//! Checks of a reviewer: ordinary and unusual prompts, and pictures.
use std::time::{Duration, Instant};

use linepress_model::Aspect;
use linepress_plugin_host::{CallError, Media, PictureToReview, PromptToReview, Review, Reviewer, Verdict};
use linepress_terminal::Report;

use super::calls::fox_to_review;
use super::usage;

/// The smallest PNG: one white pixel.
const WHITE_PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0x0f, 0x00, 0x01, 0x01, 0x01, 0x00, 0x1c, 0xb0, 0x8c, 0x99, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

pub(super) async fn check(reviewer: &Reviewer, report: &mut Report) {
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
    for (what, is_redrawn) in [("a picture", false), ("a picture that was drawn again", true)] {
        let picture = PictureToReview {
            prompt: fox_to_review(),
            aspect: Aspect::Portrait,
            image: Media {
                media_type: "image/png".into(),
                bytes: WHITE_PIXEL.to_vec(),
            },
            is_redrawn,
        };
        let outcome = timed(reviewer.review_picture(picture), &mut slowest).await;
        report_outcome(what, outcome, report);
    }
    usage(reviewer.usage(), slowest, None, report);
}

/// Waits for a call, and keeps the longest time.
async fn timed(
    call: impl Future<Output = Result<Review, CallError>>,
    slowest: &mut Duration,
) -> Result<Review, CallError> {
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
