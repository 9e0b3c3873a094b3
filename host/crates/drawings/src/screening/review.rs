//! The calls of the reviewer. They are made under the lease of a drawing and outside of every transaction. A reviewer that
//! cannot review never delays a drawing: the settings decide at once what happens to it.
use linepress_plugin_host::{CallError, PictureToReview, PromptToReview, Review, Reviewer, Verdict};

use crate::queue::{DrawingJob, DrawingRequest};
use crate::routing;
use linepress_platform::app::App;
use linepress_platform::config::{Config, OnReviewFailure};
use linepress_platform::error::Result;

/// The result of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reviewed {
    /// It passed; also if it was not reviewed and need not be.
    Pass,
    /// The picture is to be drawn once more, with this hint.
    Redraw(String),
    /// The drawing ends, with this sentence for the customer.
    Refuse(Option<String>),
    /// It could not be reviewed, and the settings do not let it pass.
    Unavailable,
}

/// Returns true if the settings name a reviewer for the pictures of this request. The drawings of test keys are samples,
/// which need no review.
pub fn is_reviewed(app: &App, request: &DrawingRequest) -> bool {
    !request.is_test && !app.live().reviewer.is_empty()
}

/// Has the prompt of a drawing reviewed before a provider is called.
pub async fn review_prompt(
    app: &App,
    job: &DrawingJob,
    request: &DrawingRequest,
    prompt: impl FnOnce() -> PromptToReview,
) -> Reviewed {
    // An earlier attempt called a provider, so the prompt passed then.
    if !is_reviewed(app, request) || job.last_provider.is_some() {
        return Reviewed::Pass;
    }
    let prompt = prompt();
    review(
        app,
        "prompt",
        |reviewer| async move { reviewer.review_prompt(prompt).await },
    )
    .await
}

/// Has a picture reviewed before it is stored. A picture that was drawn with a hint is not drawn another time.
pub async fn review_picture(app: &App, job: &DrawingJob, picture: PictureToReview) -> Reviewed {
    let picture = PictureToReview {
        is_redrawn: job.review_hint.is_some(),
        ..picture
    };
    let is_redrawn = picture.is_redrawn;
    let reviewed = review(app, "picture", |reviewer| async move {
        reviewer.review_picture(picture).await
    });
    match reviewed.await {
        Reviewed::Redraw(_) if is_redrawn => Reviewed::Pass,
        reviewed => reviewed,
    }
}

/// Calls the reviewer, unless it is paused, and logs its verdict about the subject.
async fn review<Call>(app: &App, subject: &'static str, call: impl FnOnce(Reviewer) -> Call) -> Reviewed
where
    Call: Future<Output = std::result::Result<Review, CallError>>,
{
    let live = app.live();
    let id = live.reviewer.as_str();
    let Some(reviewer) = app.plugins.reviewer(id) else {
        tracing::warn!(plugin = id, "the reviewer is not loaded; run `linepress doctor`");
        return without_review(&live);
    };
    let failures = match state(app, id).await {
        Some(State { is_paused: true, .. }) => {
            tracing::info!(plugin = id, "the reviewer is paused after a failure or a rate limit");
            return without_review(&live);
        }
        Some(State { failures, .. }) => failures,
        None => 0,
    };
    match call(reviewer).await {
        Ok(Review {
            verdict,
            model,
            cost_microdollars,
        }) => {
            let (answer, model) = (verdict.as_str(), model.as_deref());
            tracing::info!(
                plugin = id,
                subject,
                verdict = answer,
                model,
                cost_microdollars,
                "review completed"
            );
            if failures > 0 {
                note(record(app, id, None).await);
            }
            match verdict {
                Verdict::Pass => Reviewed::Pass,
                Verdict::Redraw(hint) => Reviewed::Redraw(hint),
                Verdict::Refuse(sentence) => Reviewed::Refuse(sentence),
            }
        }
        // The error was logged where the plugin was called.
        Err(error) => {
            note(record(app, id, Some(&error)).await);
            without_review(&live)
        }
    }
}

/// The result for a drawing that cannot be reviewed.
fn without_review(settings: &Config) -> Reviewed {
    match settings.reviewer_on_failure {
        OnReviewFailure::Pass => {
            tracing::warn!("the drawing goes on without a review");
            Reviewed::Pass
        }
        OnReviewFailure::Refuse => {
            tracing::warn!("the drawing fails, because it cannot be reviewed");
            Reviewed::Unavailable
        }
    }
}

/// The state of the reviewer that all nodes share.
struct State {
    failures: i64,
    is_paused: bool,
}

/// Returns `None` without a recorded state, and if it cannot be read.
async fn state(app: &App, id: &str) -> Option<State> {
    let states = routing::states(app, &[id]).await;
    let state = match states {
        Ok(mut states) => states.remove(id)?,
        Err(error) => {
            note(Err(error));
            return None;
        }
    };
    Some(State {
        failures: state.failures,
        is_paused: !state.paused_for.is_zero(),
    })
}

/// Records the result of a call for all nodes.
async fn record(app: &App, id: &str, failure: Option<&CallError>) -> Result<()> {
    let mut tx = app.database.begin().await?;
    let paused_for = routing::record_result(app, &mut tx, id, failure).await?;
    tx.commit().await?;
    if let Some(pause) = paused_for {
        let seconds = pause.as_secs();
        tracing::warn!(plugin = id, seconds, "reviewer paused after a failure or a rate limit");
    }
    Ok(())
}

/// Logs an error of the database. The verdict counts nevertheless.
fn note(result: Result<()>) {
    if let Err(error) = result {
        tracing::error!(
            error = error.for_operator(),
            "the state of the reviewer could not be read or recorded"
        );
    }
}
