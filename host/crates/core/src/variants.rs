//! Variants: several drawings of a page, a cover or a character in one order. Each becomes an attempt; the first one
//! that succeeds is chosen.
use garde::{Path, Report, Validate};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use linepress_accounts::credits::pricing;
use linepress_drawings::queue::{NewDrawingJob, SEEDS_PER_DRAWING, Target};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;

/// Maximum number of variants in an order.
pub const MAX_VARIANTS: u32 = 4;

/// The number of pictures that an order draws of a page, a cover or a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Variants(pub u32);

impl Default for Variants {
    fn default() -> Self {
        Self(1)
    }
}

impl Variants {
    /// The price in credits, from those of the first picture and of each further one.
    pub fn price(self, first: i64, further: i64) -> i64 {
        let others = i64::from(self.0.saturating_sub(1));
        first.saturating_add(further.saturating_mul(others))
    }
}

/// The description of the field in all requests that have it.
const DESCRIPTION: &str = "Pictures to draw; the first is shown. Default: 1.";

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
            .description(Some(DESCRIPTION))
            .minimum(Some(1))
            .maximum(Some(MAX_VARIANTS))
            .examples([2])
            .into()
    }
}

impl ToSchema for Variants {}

/// The price of each variant of a target but the first, in credits. The first may be free.
fn further_price(target: &Target) -> i64 {
    match target {
        Target::Page(_) => pricing::PAGE,
        Target::Character(_) => pricing::CHARACTER,
        Target::Cover(_) => pricing::COVER_AGAIN,
    }
}

/// The drawing jobs of an order of variants. They have no seed in common.
pub(crate) fn jobs(app: &App, first: NewDrawingJob, variants: Option<Variants>) -> Result<Vec<NewDrawingJob>> {
    let number = variants.unwrap_or_default().0 as usize;
    let stored = app.config.attempts.max_per_picture;
    if number > stored {
        let problem = format!("must be at most {stored}: this server stores no more attempts");
        return Err(Error::invalid_field(Field::variants(), problem));
    }
    let mut jobs = vec![first];
    while let Some(last) = jobs.last().filter(|_| jobs.len() < number) {
        let seed = app.random.seed();
        let is_apart = |other: i64| other.abs_diff(seed) >= SEEDS_PER_DRAWING.unsigned_abs();
        let is_new = jobs.iter().all(|job| is_apart(job.request.seed));
        if is_new {
            let job = further(last, seed);
            jobs.push(job);
        }
    }
    Ok(jobs)
}

/// The job of a further variant, which has another seed. A character is drawn with the seed of its look, which it keeps
/// once the picture is chosen.
fn further(job: &NewDrawingJob, seed: i64) -> NewDrawingJob {
    let mut further = NewDrawingJob {
        credits: further_price(&job.target),
        ..job.clone()
    };
    further.request.seed = seed;
    if let Target::Character(_) = further.target {
        for look in &mut further.request.characters {
            look.seed = seed;
        }
    }
    further
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_is_that_of_the_first_picture_and_of_each_further_one() {
        for (variants, price) in [(1, 0), (2, 3), (4, 9), (0, 0)] {
            assert_eq!(Variants(variants).price(0, 3), price);
        }
        assert_eq!(Variants(4).price(3, 3), 12);
    }
}
