//! Bindings of the world `linepress:review/reviewer@0.1`.
use std::time::Duration;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use self::bindings::exports::linepress::review::review as wit;
use crate::contract::{
    Answered, PictureToReview, PromptToReview, Purpose, Report, Review, ReviewerDescription, Verdict,
};
use crate::error::CallError;

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../../wit/v0/types", "../../../wit/v0/host", "../../../wit/v0/review"],
        world: "linepress:review/reviewer@0.1.0",
        with: {
            "linepress:types": super::super::host::linepress::types,
            "linepress:host": super::super::host::linepress::host,
        },
        exports: { default: async },
    });
}

/// A linked component of this world. `T` is the data of its stores.
pub(crate) struct Contract<T: 'static>(bindings::ReviewerPre<T>);

impl<T: Send + 'static> Contract<T> {
    pub(crate) fn new(component: InstancePre<T>) -> wasmtime::Result<Self> {
        bindings::ReviewerPre::new(component).map(Self)
    }

    pub(crate) async fn describe(&self, mut store: Store<T>) -> wasmtime::Result<ReviewerDescription> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let wit::Description {
            id,
            name,
            version,
            extra: _,
        } = instance.linepress_review_review().call_describe(&mut store).await?;
        Ok(ReviewerDescription {
            id,
            name,
            version,
            describes_pictures: false,
        })
    }

    pub(crate) async fn review_prompt(
        &self,
        mut store: Store<T>,
        prompt: PromptToReview,
    ) -> wasmtime::Result<Result<Answered<Review>, CallError>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let reply = instance
            .linepress_review_review()
            .call_review_prompt(&mut store, &prompt.into())
            .await?;
        Ok(match reply {
            Ok(wit::PromptReview { refusal, extra }) => {
                let verdict = refusal.map_or(Verdict::Pass, |sentence| Verdict::refuse(&sentence));
                Ok(reviewed(Ok(verdict), &extra))
            }
            Err(error) => Err(error.into()),
        })
    }

    pub(crate) async fn review_picture(
        &self,
        mut store: Store<T>,
        picture: PictureToReview,
    ) -> wasmtime::Result<Result<Answered<Review>, CallError>> {
        let instance = self.0.instantiate_async(&mut store).await?;
        let reply = instance
            .linepress_review_review()
            .call_review_picture(&mut store, &picture.into())
            .await?;
        Ok(match reply {
            Ok(wit::PictureReview { verdict, extra }) => Ok(reviewed(picture_verdict(verdict), &extra)),
            Err(error) => Err(error.into()),
        })
    }
}

fn reviewed(verdict: Result<Verdict, CallError>, extra: &[(String, String)]) -> Answered<Review> {
    let report = Report::from_extra(extra);
    (verdict.map(|verdict| Review::new(verdict, &report)), report)
}

fn picture_verdict(verdict: wit::Verdict) -> Result<Verdict, CallError> {
    match verdict {
        wit::Verdict::Pass => Ok(Verdict::Pass),
        wit::Verdict::Redraw(hint) => Verdict::redraw(&hint),
        wit::Verdict::Refuse(sentence) => Ok(Verdict::refuse(&sentence)),
    }
}

impl From<PromptToReview> for wit::Prompt {
    fn from(prompt: PromptToReview) -> Self {
        Self {
            purpose: match prompt.purpose {
                Purpose::Page => wit::Purpose::Page,
                Purpose::Cover | Purpose::CoverInColor => wit::Purpose::Cover,
                Purpose::Character => wit::Purpose::Character,
            },
            text: prompt.text,
            title: prompt.title,
            audience: prompt.audience.into(),
            extra: Vec::new(),
        }
    }
}

impl From<PictureToReview> for wit::Picture {
    fn from(picture: PictureToReview) -> Self {
        Self {
            prompt: picture.prompt.into(),
            aspect: picture.aspect.into(),
            image: picture.image.into(),
            redrawn: picture.is_redrawn,
            extra: Vec::new(),
        }
    }
}

impl From<wit::ReviewError> for CallError {
    fn from(error: wit::ReviewError) -> Self {
        match error {
            wit::ReviewError::RateLimited(seconds) => {
                Self::RateLimited(seconds.map(|seconds| Duration::from_secs(seconds.into())))
            }
            wit::ReviewError::Unavailable(reason) => Self::Unavailable(reason),
            wit::ReviewError::Other(reason) => Self::Failed(reason),
        }
    }
}
