//! The trial of changed templates before they are used.
use std::fmt::Debug;
use std::pin::Pin;

use super::Layout;

/// A check that templates must pass if they change while the server runs. The server implements it, because this crate
/// cannot typeset.
pub trait TemplateTrial: Debug + Send + Sync {
    /// Typesets samples with the layout's templates. An error explains, for the author, why the templates cannot be
    /// used.
    fn try_out<'a>(&'a self, layout: &'a Layout) -> TrialFuture<'a>;
}

/// The future of a trial.
pub type TrialFuture<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;
