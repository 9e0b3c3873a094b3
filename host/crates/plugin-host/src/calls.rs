//! The calls of plugins that have ended, for the trial of new versions.
use std::fmt;

use crate::error::CallError;

/// A version of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PluginVersion {
    pub id: String,
    /// The version in the manifest.
    pub version: String,
    /// The SHA-256 of the component in hexadecimal.
    pub digest: String,
}

/// A call that has ended.
#[derive(Debug)]
pub struct EndedCall<'a> {
    pub version: &'a PluginVersion,
    /// The called function.
    pub function: &'static str,
    /// The failure, without secrets. `None` if the plugin returned a value.
    pub error: Option<&'a CallError>,
}

/// Receives the calls that do work and have ended. It must return at once.
pub trait CallSink: fmt::Debug + Send + Sync {
    fn ended(&self, call: EndedCall<'_>);
}
