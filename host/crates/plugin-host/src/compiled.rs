//! A plugin whose component is compiled and linked, ready to describe itself.
use std::path::PathBuf;

use wasmtime::component::InstancePre;

use crate::responses::Responses;
use crate::sandbox::{Sandbox, State};
use crate::variant::Variant;

/// A compiled, checked and linked component that has not described itself yet.
pub(crate) struct CompiledPlugin {
    pub(crate) id: String,
    pub(crate) digest: String,
    pub(crate) folder: PathBuf,
    /// True if the manifest asks for network access.
    pub(crate) uses_network: bool,
    pub(crate) sandbox: Sandbox,
    /// Used by image providers only.
    pub(crate) responses: Responses,
    pub(crate) component: InstancePre<State>,
    /// Used by layouts only.
    pub(crate) variant: Option<Variant>,
    pub(crate) cache_directory: PathBuf,
}
