//! Variants: several drawings of one page in one order. Each becomes an attempt; the first one that succeeds is chosen.
use garde::{Path, Report, Validate};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use linepress_accounts::credits::pricing;
use linepress_drawings::queue::{DrawingRequest, NewDrawingJob, SEEDS_PER_DRAWING};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;

/// Maximum number of variants in an order.
pub const MAX_VARIANTS: u32 = 4;

/// The number of pictures to draw of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variants(pub u32);

impl Default for Variants {
    fn default() -> Self {
        Self(1)
    }
}

impl Variants {
    /// The price of the variants in credits.
    pub fn price(self) -> i64 {
        pricing::pictures(self.0 as usize)
    }
}

impl Validate for Variants {
    type Context = ();

    fn validate_into(&self, (): &(), parent: &mut dyn FnMut() -> Path, report: &mut Report) {
        if !(1..=MAX_VARIANTS).contains(&self.0) {
            report.append(parent(), garde::Error::new(format!("must be 1 to {MAX_VARIANTS}")));
        }
    }
}

impl PartialSchema for Variants {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .description(Some("The number of pictures to draw of a page."))
            .minimum(Some(1))
            .maximum(Some(MAX_VARIANTS))
            .examples([2])
            .into()
    }
}

impl ToSchema for Variants {}

/// The drawing jobs of an order of variants. They have no seed in common.
pub(crate) fn jobs(app: &App, first: NewDrawingJob, variants: Option<Variants>) -> Result<Vec<NewDrawingJob>> {
    let number = variants.unwrap_or_default().0 as usize;
    let stored = app.config.attempts.max_per_picture;
    if number > stored {
        let problem = format!("must be at most {stored}: this server stores no more pictures of a page");
        return Err(Error::invalid_field(Field::variants(), problem));
    }
    let mut jobs = vec![first];
    while let Some(last) = jobs.last().filter(|_| jobs.len() < number) {
        let seed = app.random.seed();
        let is_apart = |other: i64| other.abs_diff(seed) >= SEEDS_PER_DRAWING.unsigned_abs();
        let is_new = jobs.iter().all(|job| is_apart(job.request.seed));
        let request = DrawingRequest {
            seed,
            ..last.request.clone()
        };
        let job = NewDrawingJob {
            request,
            ..last.clone()
        };
        if is_new {
            jobs.push(job);
        }
    }
    Ok(jobs)
}
