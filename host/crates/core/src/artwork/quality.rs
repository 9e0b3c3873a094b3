//! The quality of a picture as a coloring page: its measures, taken when it was stored, described for the audience that
//! colors it.
use std::borrow::Cow;

use linepress_imaging::{Fault, Measures, faults};
use linepress_model::Audience;
use serde::{Deserialize, Serialize};

use linepress_platform::error::Result;

/// The quality of a picture as a coloring page, measured when it was stored. It is information only: a picture with
/// faults can be used, and an imported one is never rejected for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Quality {
    /// The share of the page that is ink.
    #[schema(minimum = 0, maximum = 1, example = 0.093)]
    pub ink: f64,
    /// The share of the page that is gray instead of black or white.
    #[schema(minimum = 0, maximum = 1, example = 0.0021)]
    pub grays: f64,
    /// The number of closed regions to color, without the background.
    #[schema(minimum = 0, example = 48)]
    pub regions: u32,
    /// The share of the page that the largest region covers.
    #[schema(minimum = 0, maximum = 1, example = 0.21)]
    pub largest_region: f64,
    /// The number of regions that are too small to color.
    #[schema(minimum = 0, example = 2)]
    pub uncolorable_regions: u32,
    /// The faults that make it hard to color; empty when there are none.
    pub faults: Vec<QualityFault>,
}

/// A fault that makes a picture hard to color.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct QualityFault {
    /// A code for programs.
    pub code: Fault,
    /// A sentence for people.
    #[schema(example = "One region takes more than a third of the page: an outline is open somewhere.")]
    pub message: Cow<'static, str>,
}

impl Quality {
    fn new(measures: &Measures, faults: Vec<Fault>) -> Self {
        let fault = |code| QualityFault {
            code,
            message: explain_fault(code).into(),
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

/// Rounds to a ten-thousandth, which is the precision of these figures.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// The explanation of a fault, as a sentence for people.
pub fn explain_fault(fault: Fault) -> &'static str {
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

/// The columns of an artwork that hold its quality, read by an outer join.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct QualityColumns {
    measures: Option<String>,
    /// None for artwork that was stored before faults were recorded.
    faults: Option<String>,
}

impl QualityColumns {
    /// The quality, None when there is none or when another version of the server wrote a format that this one cannot
    /// read: a page is usable without it.
    pub fn quality(&self) -> Option<Quality> {
        let (measures, faults) = (self.measures.as_ref()?, self.faults.as_ref()?);
        let read = || Ok::<_, serde_json::Error>((serde_json::from_str(measures)?, serde_json::from_str(faults)?));
        match read() {
            Ok((measures, faults)) => Some(Quality::new(&measures, faults)),
            Err(error) => {
                tracing::warn!(%error, "the stored quality of a picture cannot be read; it is left out");
                None
            }
        }
    }
}

/// The value of the `faults` column: the faults of a picture for its audience, as JSON.
pub(super) fn faults_column(measures: &Measures, audience: Audience) -> Result<String> {
    Ok(serde_json::to_string(&faults(measures, audience))?)
}
