//! Drawings before and around a call of an image provider: the durable queue of drawing jobs, the choice of a provider
//! for each, the screening of what is drawn, and a record of what the plugins cost. The results of drawings are the
//! concern of the concepts in `linepress-core`.

/// The durable queue of drawing jobs, and its leases.
pub mod queue;
/// The choice of an image provider for each drawing.
pub mod routing;
/// The words that no prompt may contain, and the reviewer of prompts and pictures.
pub mod screening;
/// The drawings and costs of each image provider, and the reviews and costs of each reviewer.
pub mod spending;
