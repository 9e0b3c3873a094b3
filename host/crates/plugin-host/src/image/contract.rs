//! The contract of an image provider, in the version that its component exports.
use wasmtime::Store;
use wasmtime::component::InstancePre;

use crate::contract::{DrawRequest, Drawing, ImageProviderDescription, Report, Wording};
use crate::error::CallError;
use crate::sandbox::State;
use crate::world::ContractVersion;
use crate::{v0, v1};

/// A linked image provider.
pub(super) enum Contract {
    V0(v0::image::Contract<State>),
    V1(v1::image::Contract<State>),
}

impl Contract {
    pub(super) fn new(version: ContractVersion, component: InstancePre<State>) -> wasmtime::Result<Self> {
        Ok(match version {
            ContractVersion::V0 => Self::V0(v0::image::Contract::new(component)?),
            ContractVersion::V1 => Self::V1(v1::image::Contract::new(component)?),
        })
    }

    pub(super) async fn describe(&self, store: Store<State>) -> wasmtime::Result<ImageProviderDescription> {
        match self {
            Self::V0(contract) => contract.describe(store).await,
            Self::V1(contract) => contract.describe(store).await,
        }
    }

    pub(super) async fn draw(
        &self,
        store: Store<State>,
        request: DrawRequest,
    ) -> wasmtime::Result<Result<(Drawing, Report), CallError>> {
        match self {
            Self::V0(contract) => contract.draw(store, request).await,
            Self::V1(contract) => contract.draw(store, request).await,
        }
    }
}

/// The optional interface for words that a linked provider cannot draw.
pub(super) enum Vocabulary {
    V0(v0::vocabulary::Contract<State>),
    V1(v1::vocabulary::Contract<State>),
}

impl Vocabulary {
    /// Returns `None` for a component without the interface of this version.
    pub(super) fn find(version: ContractVersion, component: InstancePre<State>) -> Option<Self> {
        match version {
            ContractVersion::V0 => v0::vocabulary::Contract::find(component).map(Self::V0),
            ContractVersion::V1 => v1::vocabulary::Contract::find(component).map(Self::V1),
        }
    }

    pub(super) async fn unknown_words(
        &self,
        store: Store<State>,
        wordings: Vec<Wording>,
    ) -> wasmtime::Result<Vec<Vec<String>>> {
        match self {
            Self::V0(contract) => contract.unknown_words(store, wordings).await,
            Self::V1(contract) => contract.unknown_words(store, wordings).await,
        }
    }
}
