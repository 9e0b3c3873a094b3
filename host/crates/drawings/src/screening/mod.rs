//! Screening of drawings: the words that no prompt may contain, and the reviewer that the settings name.
mod review;
mod words;

pub use review::{
    Obstacle, Reviewed, describe_picture, describes_pictures, is_prompt_reviewed, is_reviewed, review_picture,
    review_prompt,
};
pub use words::{BlockedPart, check_words};
