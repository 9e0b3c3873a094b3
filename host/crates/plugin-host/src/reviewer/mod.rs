//! Reviewers, which check prompts and pictures, and describe finished pictures.

/// The contract of a reviewer, in the version that its component exports.
mod contract;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use self::contract::Contract;
use crate::calls::{PluginVersion, brief, picture};
use crate::compiled::CompiledPlugin;
use crate::contract::{
    Answered, PictureDescription, PictureToDescribe, PictureToReview, PromptToReview, Review, ReviewerDescription,
    Verdict,
};
use crate::description::check_identity;
use crate::error::CallError;
use crate::limits::Limits;
use crate::options::{CallOptions, Receipt};
use crate::sandbox::{CallKind, Called, Sandbox, Usage};

/// Deadline of the description of a picture, which a finished drawing waits for. That of the plugin may be shorter.
const PICTURE_TEXT_DEADLINE: Duration = Duration::from_secs(10);

/// A loaded reviewer. Cheap to clone.
#[derive(Clone)]
pub struct Reviewer(Arc<Inner>);

struct Inner {
    description: ReviewerDescription,
    sandbox: Sandbox,
    contract: Arc<Contract>,
}

impl Reviewer {
    pub(crate) async fn load(compiled: CompiledPlugin) -> Result<Self, String> {
        let CompiledPlugin {
            id, sandbox, component, ..
        } = compiled;
        let contract = Contract::new(sandbox.world.version, component).map_err(|error| format!("{error:#}"))?;
        let contract = Arc::new(contract);
        let description = sandbox
            .describe({
                let contract = contract.clone();
                |store| async move { contract.describe(store).await }
            })
            .await?;
        check_identity(&id, &description.id, &description.name, &description.version)?;
        Ok(Self(Arc::new(Inner {
            description,
            sandbox,
            contract,
        })))
    }

    pub fn description(&self) -> &ReviewerDescription {
        &self.0.description
    }

    /// The limits of its calls, and their peak memory.
    pub fn usage(&self) -> Usage {
        self.0.sandbox.usage()
    }

    /// The version of the plugin that is called.
    pub fn version(&self) -> &PluginVersion {
        &self.0.sandbox.version
    }

    /// Reviews a prompt before it is sent to an image provider. The verdict is never a redraw.
    pub async fn review_prompt(&self, prompt: PromptToReview) -> Result<Review, CallError> {
        self.review_prompt_with(prompt, &CallOptions::default()).await
    }

    /// Reviews a prompt like [`Reviewer::review_prompt`], with options.
    pub async fn review_prompt_with(&self, prompt: PromptToReview, options: &CallOptions) -> Result<Review, CallError> {
        let (reviewer, receipt) = (self.clone(), options.receipt.clone());
        self.0
            .sandbox
            .call(
                Called {
                    function: "review_prompt",
                    kind: CallKind::Work,
                    request: self.0.sandbox.described(|| described(&prompt)),
                    result: judged,
                },
                options,
                Limits::max_copied_text_bytes(),
                |store| async move {
                    let reply = reviewer.0.contract.review_prompt(store, prompt).await?;
                    Ok(reply.and_then(|answer| reviewer.noted(answer, &receipt)))
                },
            )
            .await
    }

    /// Reviews a picture before it is stored.
    pub async fn review_picture(&self, shown: PictureToReview) -> Result<Review, CallError> {
        self.review_picture_with(shown, &CallOptions::default()).await
    }

    /// Reviews a picture like [`Reviewer::review_picture`], with options.
    pub async fn review_picture_with(
        &self,
        shown: PictureToReview,
        options: &CallOptions,
    ) -> Result<Review, CallError> {
        let (reviewer, receipt) = (self.clone(), options.receipt.clone());
        self.0
            .sandbox
            .call(
                Called {
                    function: "review_picture",
                    kind: CallKind::Work,
                    request: self.0.sandbox.described(|| described_picture(&shown)),
                    result: judged,
                },
                options,
                Limits::max_copied_text_bytes(),
                |store| async move {
                    let reply = reviewer.0.contract.review_picture(store, shown).await?;
                    Ok(reply.and_then(|answer| reviewer.noted(answer, &receipt)))
                },
            )
            .await
    }

    /// Describes a finished picture in words. An error unless the reviewer's description says that it can, and
    /// [`CallError::Busy`] while as many descriptions as this node allows are under way.
    pub async fn describe_picture(&self, finished: PictureToDescribe) -> Result<PictureDescription, CallError> {
        self.describe_picture_with(finished, &CallOptions::default()).await
    }

    /// Describes a picture like [`Reviewer::describe_picture`], with options.
    pub async fn describe_picture_with(
        &self,
        finished: PictureToDescribe,
        options: &CallOptions,
    ) -> Result<PictureDescription, CallError> {
        let (reviewer, receipt) = (self.clone(), options.receipt.clone());
        let deadline = options.deadline.unwrap_or_else(|| self.0.sandbox.limits.deadline());
        let options = CallOptions {
            deadline: Some(deadline.min(PICTURE_TEXT_DEADLINE)),
            ..options.clone()
        };
        self.0
            .sandbox
            .call(
                Called {
                    function: "describe_picture",
                    kind: CallKind::PictureText,
                    request: self.0.sandbox.described(|| described_finished(&finished)),
                    result: put_into_words,
                },
                &options,
                Limits::max_copied_text_bytes(),
                |store| async move {
                    let reply = reviewer.0.contract.describe_picture(store, finished).await?;
                    Ok(reply.and_then(|answer| reviewer.noted(answer, &receipt)))
                },
            )
            .await
    }

    /// The answer of a call whose model and cost were noted, whether or not it is valid.
    fn noted<Answer>(&self, (answer, report): Answered<Answer>, receipt: &Receipt) -> Result<Answer, CallError> {
        report.log_invalid_cost(&self.0.description.id);
        receipt.note(report);
        answer
    }
}

/// A prompt that is reviewed, for the log of calls.
fn described(prompt: &PromptToReview) -> Value {
    json!({
        "purpose": format!("{:?}", prompt.purpose),
        "prompt": brief(&prompt.text),
        "title": brief(&prompt.title),
        "audience": prompt.audience.as_str(),
    })
}

/// A picture that is reviewed, for the log of calls.
fn described_picture(shown: &PictureToReview) -> Value {
    let mut fields = described(&shown.prompt);
    fields["aspect"] = shown.aspect.as_str().into();
    fields["picture"] = picture(&shown.image.media_type, &shown.image.bytes);
    fields["redrawn"] = shown.is_redrawn.into();
    fields
}

/// A picture that is described, for the log of calls.
fn described_finished(finished: &PictureToDescribe) -> Value {
    let mut fields = described(&finished.prompt());
    fields["aspect"] = finished.aspect.as_str().into();
    fields["picture"] = picture(&finished.image.media_type, &finished.image.bytes);
    fields["language"] = brief(&finished.language).into();
    fields
}

/// The description of a picture, for the log of calls.
fn put_into_words(description: &PictureDescription) -> Value {
    json!({
        "alternative_text": brief(&description.alternative_text),
        "caption": description.caption.as_deref().map(brief),
        "model": description.model.as_deref().map(brief),
        "cost_microdollars": description.cost_microdollars,
    })
}

/// The verdict of a reviewer, for the log of calls.
fn judged(review: &Review) -> Value {
    let text = match &review.verdict {
        Verdict::Pass => None,
        Verdict::Redraw(hint) => Some(brief(hint)),
        Verdict::Refuse(sentence) => sentence.as_deref().map(brief),
    };
    json!({
        "verdict": review.verdict.as_str(),
        "text": text,
        "model": review.model.as_deref().map(brief),
        "cost_microdollars": review.cost_microdollars,
    })
}
