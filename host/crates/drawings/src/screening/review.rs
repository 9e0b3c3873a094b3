//! The calls of the reviewer. They are made under the lease of a drawing and outside of every transaction. The settings
//! decide what happens to a drawing while the reviewer cannot review.
use std::time::{Duration, Instant};

use linepress_plugin_host::{
    CallError, CallOptions, PictureToDescribe, PictureToReview, PromptToReview, Receipt, Review, Reviewer, Verdict,
};

use crate::queue::{self, DrawingJob, DrawingRequest};
use crate::routing::{self, Admission};
use crate::spending::{self, ReviewerCall};
use linepress_platform::app::App;
use linepress_platform::config::{Config, OnReviewFailure};
use linepress_platform::error::Result;

/// Maximum time of a review, including the wait for other reviews on this node. The deadline of the plugin may be
/// shorter.
const REVIEW_DEADLINE: Duration = Duration::from_secs(30);

/// The delay of a drawing whose reviewer is not loaded.
const UNLOADED_REVIEWER_DELAY: Duration = Duration::from_secs(60);

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
    Unavailable(Obstacle),
}

/// The reason why something could not be reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason, for the log.
    pub reason: String,
    /// The time after which the reviewer may be called again.
    pub after: Duration,
    /// True for a failure of the plugin itself, which is likely to repeat.
    pub is_defect: bool,
}

/// Returns true if the settings name a reviewer for the pictures of this request. The drawings of test keys are
/// samples, which need no review.
pub fn is_reviewed(app: &App, request: &DrawingRequest) -> bool {
    !request.is_test && !app.live().reviewer.is_empty()
}

/// Returns true if the prompt of a drawing is to be reviewed before its provider is called: before the first call, and
/// before each further one while the reviewer does not work and the settings let nothing pass without it. Otherwise the
/// provider would draw pictures that nothing can review.
pub async fn is_prompt_reviewed(app: &App, job: &DrawingJob, request: &DrawingRequest) -> bool {
    if !is_reviewed(app, request) || job.last_provider.is_none() {
        return is_reviewed(app, request);
    }
    let live = app.live();
    live.reviewer_on_failure == OnReviewFailure::Refuse && !is_working(app, &live.reviewer).await
}

/// Returns true if the reviewer is loaded and its last call succeeded.
async fn is_working(app: &App, id: &str) -> bool {
    if app.plugins.reviewer(id).is_none() {
        return false;
    }
    match routing::states(app, &[id]).await {
        Ok(states) => states
            .get(id)
            .is_none_or(|state| state.failures == 0 && state.paused_for.is_zero()),
        Err(error) => {
            note(Err(error));
            true
        }
    }
}

/// Has the prompt of a drawing reviewed before a provider is called.
pub async fn review_prompt(app: &App, job: &DrawingJob, prompt: PromptToReview) -> Reviewed {
    review(app, job, "prompt", |reviewer, options| async move {
        reviewer.review_prompt_with(prompt, &options).await
    })
    .await
}

/// Has a picture reviewed before it is stored. A picture that was drawn with a hint is not drawn another time.
pub async fn review_picture(app: &App, job: &DrawingJob, picture: PictureToReview) -> Reviewed {
    let is_redrawn = picture.is_redrawn;
    let reviewed = review(app, job, "picture", |reviewer, options| async move {
        reviewer.review_picture_with(picture, &options).await
    });
    match reviewed.await {
        Reviewed::Redraw(_) if is_redrawn => Reviewed::Pass,
        reviewed => reviewed,
    }
}

/// Returns true if the settings name a reviewer that works at present and can describe pictures. False while this node
/// stops, because a picture might not be stored in time.
pub async fn describes_pictures(app: &App) -> bool {
    let live = app.live();
    let id = live.reviewer.as_str();
    let reviewer = app.plugins.reviewer(id);
    reviewer.is_some_and(|reviewer| reviewer.description().describes_pictures)
        && !app.stopping.is_given()
        && is_working(app, id).await
}

/// Has a picture that passed its review described. Must only be called if [`describes_pictures`]. Returns its
/// alternative text; `None` if the reviewer does not describe it. A rate limit pauses the reviewer. Another failure
/// does not: it may still be able to review.
pub async fn describe_picture(app: &App, picture: PictureToDescribe) -> Option<String> {
    let live = app.live();
    let id = live.reviewer.as_str();
    let reviewer = app.plugins.reviewer(id)?;
    let options = CallOptions::default();
    let began = Instant::now();
    let result = reviewer.describe_picture_with(picture, &options).await;
    if let Err(error @ CallError::Busy) = &result {
        tracing::info!(plugin = id, %error, "the picture is not described");
        return None;
    }
    let call = ReviewerCall {
        reviewer: id,
        took: began.elapsed(),
        has_verdict: false,
        model: options.receipt.model(),
        cost_microdollars: options.receipt.cost_microdollars(),
    };
    let (model, cost_microdollars) = (call.model, call.cost_microdollars);
    let failure = result.as_ref().err();
    let rate_limit = failure.filter(|failure| matches!(failure, CallError::RateLimited(_)));
    note(record(app, 0, rate_limit, &call).await.map(drop));
    match &result {
        Ok(_) => tracing::info!(plugin = id, model, cost_microdollars, "picture described"),
        Err(error) => tracing::warn!(plugin = id, %error, "the picture is not described"),
    }
    result.ok().map(|described| described.alternative_text)
}

/// Has the subject reviewed if the settings name a reviewer, and logs the verdict, or why there is none.
async fn review<Call>(
    app: &App,
    job: &DrawingJob,
    subject: &'static str,
    call: impl FnOnce(Reviewer, CallOptions) -> Call,
) -> Reviewed
where
    Call: Future<Output = std::result::Result<Review, CallError>>,
{
    let live = app.live();
    let id = live.reviewer.as_str();
    if id.is_empty() {
        return Reviewed::Pass;
    }
    let reviewed = match app.plugins.reviewer(id) {
        Some(reviewer) => {
            let options = CallOptions::default();
            let receipt = options.receipt.clone();
            call_reviewer(app, job, id, &receipt, call(reviewer, options)).await
        }
        None => Err(Obstacle {
            reason: "the reviewer is not loaded".into(),
            after: UNLOADED_REVIEWER_DELAY,
            is_defect: false,
        }),
    };
    let Review {
        verdict,
        model,
        cost_microdollars,
    } = match reviewed {
        Ok(review) => review,
        Err(obstacle) => return without_review(&live, subject, obstacle),
    };
    let (answer, model) = (verdict.as_str(), model.as_deref());
    tracing::info!(
        plugin = id,
        subject,
        verdict = answer,
        model,
        cost_microdollars,
        "review completed"
    );
    match verdict {
        Verdict::Pass => Reviewed::Pass,
        Verdict::Redraw(hint) => Reviewed::Redraw(hint),
        Verdict::Refuse(sentence) => Reviewed::Refuse(sentence),
    }
}

/// Makes the call unless the reviewer is paused, and records its result for all nodes.
async fn call_reviewer(
    app: &App,
    job: &DrawingJob,
    id: &str,
    receipt: &Receipt,
    call: impl Future<Output = std::result::Result<Review, CallError>>,
) -> std::result::Result<Review, Obstacle> {
    let failures = match routing::admit_call(app, id).await {
        Ok(Admission::Call { failures }) => failures,
        Ok(Admission::Paused(after)) => {
            return Err(Obstacle {
                reason: "the reviewer is paused after a failure or a rate limit".into(),
                after,
                is_defect: false,
            });
        }
        Err(error) => {
            note(Err(error));
            0
        }
    };
    let began = Instant::now();
    let ended = tokio::time::timeout(REVIEW_DEADLINE, call).await;
    let result = ended.unwrap_or(Err(CallError::Deadline(REVIEW_DEADLINE)));
    let call = ReviewerCall {
        reviewer: id,
        took: began.elapsed(),
        has_verdict: result.is_ok(),
        model: receipt.model(),
        cost_microdollars: receipt.cost_microdollars(),
    };
    let paused_for = match record(app, failures, result.as_ref().err(), &call).await {
        Ok(paused_for) => paused_for,
        Err(error) => {
            note(Err(error));
            None
        }
    };
    result.map_err(|error| Obstacle {
        reason: error.to_string(),
        after: paused_for.unwrap_or_else(|| queue::pause_after(job.tried_for)),
        is_defect: error.is_fault(),
    })
}

/// The result for a drawing that cannot be reviewed.
fn without_review(settings: &Config, subject: &str, obstacle: Obstacle) -> Reviewed {
    let outcome = match settings.reviewer_on_failure {
        OnReviewFailure::Pass => "passed",
        OnReviewFailure::Refuse => "postponed",
    };
    let (plugin, reason) = (settings.reviewer.as_str(), obstacle.reason.as_str());
    tracing::warn!(plugin, subject, reason, outcome, "the drawing is not reviewed");
    match settings.reviewer_on_failure {
        OnReviewFailure::Pass => Reviewed::Pass,
        OnReviewFailure::Refuse => Reviewed::Unavailable(obstacle),
    }
}

/// Records a call for all nodes: its time, its cost, and what it shows about the reviewer, which had failed `failures`
/// times in a row before. The operator pays for it whether or not the attempt completes, so it is recorded at once.
/// Returns how long the reviewer is paused from now on, if it is.
async fn record(
    app: &App,
    failures: i64,
    failure: Option<&CallError>,
    call: &ReviewerCall<'_>,
) -> Result<Option<Duration>> {
    let id = call.reviewer;
    let mut tx = app.database.begin().await?;
    // A success changes the state of the reviewer only after failures.
    let paused_for = match failures > 0 || failure.is_some() {
        true => routing::record_result(app, &mut tx, id, failure).await?,
        false => None,
    };
    spending::record_reviewer(app, &mut tx, call).await?;
    tx.commit().await?;
    app.metrics
        .drawings
        .review_ended(id, call.cost_microdollars.unwrap_or(0));
    if let Some(pause) = paused_for {
        let seconds = pause.as_secs();
        tracing::warn!(plugin = id, seconds, "reviewer paused after a failure or a rate limit");
    }
    Ok(paused_for)
}

/// Logs an error of the database. The verdict counts nevertheless.
fn note(result: Result<()>) {
    if let Err(error) = result {
        tracing::error!(
            error = error.for_operator(),
            "the state or the cost of the reviewer could not be read or recorded"
        );
    }
}
