//! What a picture is like as a coloring page: what was measured when it was stored, in words for who colors it.
use linepress_imaging::{Fault, Measures, faults};
use linepress_model::Audience;
use serde::Serialize;

use crate::error::Result;

/// What a picture is like as a coloring page, measured when it was stored. It is told, never judged: a picture with faults
/// is a picture, and what was imported is its owner's.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Quality {
    /// The share of the page that is ink.
    #[schema(minimum = 0, maximum = 1, example = 0.093)]
    pub ink: f64,
    /// The share of the page that came in gray tones instead of black and white.
    #[schema(minimum = 0, maximum = 1, example = 0.0021)]
    pub grays: f64,
    /// How many closed regions there are to color, the background left out.
    #[schema(minimum = 0, example = 48)]
    pub regions: u32,
    /// The share of the page that the largest region takes.
    #[schema(minimum = 0, maximum = 1, example = 0.21)]
    pub largest_region: f64,
    /// How many regions are too small to color.
    #[schema(minimum = 0, example = 2)]
    pub uncolorable_regions: u32,
    /// What makes it hard to color; empty when nothing does.
    pub faults: Vec<QualityFault>,
}

/// Something that makes a picture hard to color.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct QualityFault {
    /// For programs.
    pub code: Fault,
    /// The same for people.
    #[schema(example = "One region takes more than a third of the page: an outline is open somewhere.")]
    pub message: &'static str,
}

impl Quality {
    fn new(measures: &Measures, faults: Vec<Fault>) -> Self {
        let fault = |code| QualityFault {
            code,
            message: message(code),
        };
        Self {
            ink: rounded(measures.ink),
            grays: rounded(measures.shaded),
            regions: measures.shapes,
            largest_region: rounded(measures.largest_shape),
            uncolorable_regions: measures.specks,
            faults: faults.into_iter().map(fault).collect(),
        }
    }
}

/// To a ten-thousandth, which is as fine as these figures are.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

fn message(fault: Fault) -> &'static str {
    match fault {
        Fault::Blank => "Next to nothing is drawn on the page.",
        Fault::TooDark => "So much is black that little is left to color.",
        Fault::Shaded => "Parts are gray instead of outlined: in print they become black or vanish, or stay gray.",
        Fault::Filled => "Something is filled with black instead of outlined.",
        Fault::Leaking => "One region takes more than a third of the page: an outline is open somewhere.",
        Fault::TooFine => "Many regions are too small to color.",
        Fault::TooThin => "The lines are too thin for the hands that color.",
    }
}

/// The columns of an artwork that tell of its quality, from an outer join.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct QualityColumns {
    measures: Option<String>,
    /// Nothing for artwork that was stored before faults were written down.
    faults: Option<String>,
}

impl QualityColumns {
    /// Nothing where another version of the server wrote what this one cannot read: a page is a page without it.
    pub(crate) fn quality(&self) -> Option<Quality> {
        let (measures, faults) = (self.measures.as_ref()?, self.faults.as_ref()?);
        let read = || Ok::<_, serde_json::Error>((serde_json::from_str(measures)?, serde_json::from_str(faults)?));
        match read() {
            Ok((measures, faults)) => Some(Quality::new(&measures, faults)),
            Err(error) => {
                tracing::warn!(%error, "what is stored of a picture's quality cannot be read");
                None
            }
        }
    }
}

/// What is stored beside the measures: the faults of a picture for those who are to color it.
pub(super) fn faults_column(measures: &Measures, audience: Audience) -> Result<String> {
    Ok(serde_json::to_string(&faults(measures, audience))?)
}
