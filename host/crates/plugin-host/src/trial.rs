//! Trying templates out before they serve.
use std::fmt::Debug;
use std::pin::Pin;

use crate::layout::Layout;

/// What templates must pass that come to a server while it runs. How to typeset is not known here.
pub trait TemplateTrial: Debug + Send + Sync {
    /// An error says, for whoever writes templates, why they cannot serve.
    fn try_out<'a>(&'a self, layout: &'a Layout) -> Trying<'a>;
}

/// A trial that is under way.
pub type Trying<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;
