//! A book as it is to be printed; artwork by the keys of its print masters.
use linepress_model::{Aspect, Audience};
use serde::Serialize;

/// A book as it is printed, whatever the printer.
#[derive(Clone, Debug, Serialize)]
pub struct Manuscript {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    /// BCP 47.
    pub language: String,
    pub cover: Option<String>,
    pub drawings: Vec<ManuscriptDrawing>,
}

/// A drawing and what is printed under it.
#[derive(Clone, Debug, Serialize)]
pub struct ManuscriptDrawing {
    pub title: String,
    pub caption: String,
    pub master: String,
}
