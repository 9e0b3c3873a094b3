//! The reasons for which an image cannot become a page.
use std::time::Duration;

use linepress_model::Aspect;

/// The accepted formats, as messages name them.
pub const FORMATS: &str = "PNG, JPEG or WebP";

/// The reason for which an image cannot become a page. The texts may be shown to clients.
#[derive(Debug, thiserror::Error)]
pub enum ArtworkError {
    #[error("the file is not a {FORMATS} image that can be decoded")]
    NotAnImage,
    #[error(
        "the file is a HEIC photo, which cannot be read: export it as JPEG and send that. An iPhone takes JPEG photos \
         after Settings, Camera, Formats, Most Compatible"
    )]
    Heic,
    #[error("the image is animated: send a single picture")]
    Animated,
    #[error("the file is larger than {} MB", .limit / 1_000_000)]
    TooLarge { limit: usize },
    #[error(
        "the image has too many pixels: at most {limit} are accepted, and at most {longest} on a side; \
         {recommended_width} x {recommended_height} are recommended"
    )]
    TooManyPixels {
        limit: u64,
        longest: u32,
        recommended_width: u32,
        recommended_height: u32,
    },
    #[error("the JPEG has more than {limit} scans: save it without progressive refinement")]
    TooManyScans { limit: usize },
    #[error(
        "the image is too small ({width} x {height} pixels): its shorter side has at least {shortest}, and \
         {recommended_width} x {recommended_height} are recommended"
    )]
    TooSmall {
        width: u32,
        height: u32,
        shortest: u32,
        recommended_width: u32,
        recommended_height: u32,
    },
    #[error(
        "the image has the wrong shape ({width} x {height} pixels): it may differ by {tolerance}% from {recommended_width} x \
         {recommended_height}, the recommended pixels of a {aspect} page"
    )]
    WrongShape {
        width: u32,
        height: u32,
        /// The tolerance in percent.
        tolerance: u32,
        aspect: Aspect,
        recommended_width: u32,
        recommended_height: u32,
    },
    /// Never returned by this crate, which has no time limit. Callers that limit the time return it.
    #[error("preparing the image took longer than {} seconds: send one with fewer pixels", .limit.as_secs())]
    TookTooLong { limit: Duration },
    #[error("the image cannot be processed")]
    Processing(#[source] anyhow::Error),
}

impl ArtworkError {
    /// An internal fault. The source is for the log.
    pub fn processing(source: impl Into<anyhow::Error>) -> Self {
        Self::Processing(source.into())
    }
}
