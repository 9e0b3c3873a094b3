//! The contract of a reviewer, in the version that its component exports.
use wasmtime::Store;
use wasmtime::component::InstancePre;

use crate::contract::{
    Answered, PictureDescription, PictureToDescribe, PictureToReview, PromptToReview, Review, ReviewerDescription,
};
use crate::error::CallError;
use crate::sandbox::State;
use crate::world::ContractVersion;
use crate::{v0, v1};

/// A linked reviewer.
pub(super) enum Contract {
    V0(v0::review::Contract<State>),
    V1(v1::review::Contract<State>),
}

impl Contract {
    pub(super) fn new(version: ContractVersion, component: InstancePre<State>) -> wasmtime::Result<Self> {
        Ok(match version {
            ContractVersion::V0 => Self::V0(v0::review::Contract::new(component)?),
            ContractVersion::V1 => Self::V1(v1::review::Contract::new(component)?),
        })
    }

    pub(super) async fn describe(&self, store: Store<State>) -> wasmtime::Result<ReviewerDescription> {
        match self {
            Self::V0(contract) => contract.describe(store).await,
            Self::V1(contract) => contract.describe(store).await,
        }
    }

    pub(super) async fn review_prompt(
        &self,
        store: Store<State>,
        prompt: PromptToReview,
    ) -> wasmtime::Result<Result<Answered<Review>, CallError>> {
        match self {
            Self::V0(contract) => contract.review_prompt(store, prompt).await,
            Self::V1(contract) => contract.review_prompt(store, prompt).await,
        }
    }

    pub(super) async fn review_picture(
        &self,
        store: Store<State>,
        picture: PictureToReview,
    ) -> wasmtime::Result<Result<Answered<Review>, CallError>> {
        match self {
            Self::V0(contract) => contract.review_picture(store, picture).await,
            Self::V1(contract) => contract.review_picture(store, picture).await,
        }
    }

    pub(super) async fn describe_picture(
        &self,
        store: Store<State>,
        picture: PictureToDescribe,
    ) -> wasmtime::Result<Result<Answered<PictureDescription>, CallError>> {
        match self {
            Self::V0(_) => Ok(Err(CallError::Unavailable("it cannot describe pictures".into()))),
            Self::V1(contract) => contract.describe_picture(store, picture).await,
        }
    }
}
