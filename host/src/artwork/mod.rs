//! Images: from a provider's bytes to the stored picture and its print master.
mod aspect;
mod audience;

pub use aspect::Aspect;
pub use audience::Audience;
