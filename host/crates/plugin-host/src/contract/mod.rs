//! The values that the host and plugins exchange, independent of the version of the contract.
mod image;
mod layout;
mod planner;
mod report;
mod review;
mod vocabulary;

pub(crate) use image::Sources;
pub use image::{Change, CharacterSketch, DrawOptions, DrawRequest, Drawing, ImageProviderDescription, Media, Purpose};
pub use layout::{LayoutBook, LayoutDescription, LayoutDrawing};
pub use planner::{EarlierPage, PageConcept, Plan, PlanRequest, PlannerDescription, SuggestedCharacter};
pub(crate) use report::{Answered, Report};
pub use review::{
    PictureDescription, PictureToDescribe, PictureToReview, PromptToReview, Review, ReviewerDescription, Verdict,
};
pub(crate) use vocabulary::unknown_words;
pub use vocabulary::{Wording, WordingKind};
