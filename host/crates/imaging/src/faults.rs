//! What is wrong with a generated drawing as a coloring page.
use linepress_model::{Audience, text_enum};
use linepress_raster::Measures;

text_enum! {
    /// Something that makes a drawing a bad coloring page.
    #[schema(as = QualityFaultCode)]
    pub enum Fault {
        /// Next to nothing is drawn.
        Blank = "blank",
        /// So much is black that little is left to color.
        TooDark = "too_dark",
        /// Tones instead of outlines.
        Shaded = "shaded",
        /// Something is filled with black.
        Filled = "filled",
        /// A shape is so large that its outline must be open somewhere.
        Leaking = "leaking",
        /// Too many shapes are too small to color.
        TooFine = "too_fine",
        /// The lines are too thin for these hands.
        TooThin = "too_thin",
    }
}

/// What an audience can color: the limits, where they depend on it.
struct Limits {
    /// The share of the page that may be ink.
    ink: f64,
    /// How many shapes may be too small to color.
    specks: u32,
    /// The share of shapes that may be narrower than a crayon's tip; for those with pencils any.
    slivers: f64,
    /// The thickness of the middling stroke, in pixels at the recommended size: half of the line weight that is
    /// drawn for this audience (8, 6, 4 and 3 pixels at 300 DPI), because styles differ.
    line_weight: f64,
}

impl Limits {
    fn of(audience: Audience) -> Self {
        match audience {
            Audience::Toddler => Self {
                ink: 0.22,
                specks: 10,
                slivers: 0.5,
                line_weight: 2.0,
            },
            Audience::Child => Self {
                ink: 0.28,
                specks: 30,
                slivers: 0.7,
                line_weight: 1.5,
            },
            Audience::Teen => Self {
                ink: 0.34,
                specks: 120,
                slivers: 1.0,
                line_weight: 1.0,
            },
            Audience::Adult => Self {
                ink: 0.34,
                specks: 400,
                slivers: 1.0,
                line_weight: 0.8,
            },
        }
    }
}

/// Good scenes have 16 to 27 pixels where they are thickest, those with filled areas 136.
const THICKEST: f64 = 60.0;
/// Soft edges are not counted as tones, see `Gray::shaded_share`.
const SHADED: f64 = 0.10;
/// Good scenes have 0.25 to 0.31, leaked ones 0.6.
const LARGEST_SHAPE: f64 = 0.35;
const LEAST_INK: f64 = 0.005;

/// What is wrong with a generated drawing as a coloring page; nothing when it is good.
///
/// Imported artwork is the customer's own and never judged.
pub fn faults(measures: &Measures, audience: Audience) -> Vec<Fault> {
    let limits = Limits::of(audience);
    if measures.ink < LEAST_INK {
        return vec![Fault::Blank];
    }
    let too_many_slivers = f64::from(measures.slivers) > limits.slivers * f64::from(measures.shapes);
    [
        (measures.ink > limits.ink, Fault::TooDark),
        (measures.shaded > SHADED, Fault::Shaded),
        (measures.thickest > THICKEST, Fault::Filled),
        (measures.largest_shape > LARGEST_SHAPE, Fault::Leaking),
        (measures.specks > limits.specks || too_many_slivers, Fault::TooFine),
        (measures.line_weight < limits.line_weight, Fault::TooThin),
    ]
    .into_iter()
    .filter_map(|(found, fault)| found.then_some(fault))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Measures {
        Measures {
            ink: 0.12,
            thickest: 20.0,
            line_weight: 4.0,
            shapes: 40,
            largest_shape: 0.28,
            ..Measures::default()
        }
    }

    #[test]
    fn a_good_page_has_no_faults_for_anybody() {
        for &audience in Audience::ALL {
            assert_eq!(faults(&good(), audience), []);
        }
    }

    #[test]
    fn each_fault_is_found_by_its_own_measure() {
        let cases = [
            (Measures { ink: 0.001, ..good() }, Fault::Blank),
            (Measures { ink: 0.25, ..good() }, Fault::TooDark),
            (Measures { shaded: 0.2, ..good() }, Fault::Shaded),
            (
                Measures {
                    thickest: 136.0,
                    ..good()
                },
                Fault::Filled,
            ),
            (
                Measures {
                    largest_shape: 0.6,
                    ..good()
                },
                Fault::Leaking,
            ),
            (Measures { specks: 11, ..good() }, Fault::TooFine),
            (Measures { slivers: 21, ..good() }, Fault::TooFine),
            (
                Measures {
                    line_weight: 1.5,
                    ..good()
                },
                Fault::TooThin,
            ),
        ];
        for (measures, fault) in cases {
            assert_eq!(faults(&measures, Audience::Toddler), [fault]);
        }
    }

    #[test]
    fn an_adult_may_have_what_a_toddler_may_not() {
        let detailed = Measures {
            ink: 0.32,
            specks: 200,
            slivers: 40,
            line_weight: 1.2,
            ..good()
        };
        assert_eq!(faults(&detailed, Audience::Adult), []);
        assert_eq!(
            faults(&detailed, Audience::Toddler),
            [Fault::TooDark, Fault::TooFine, Fault::TooThin]
        );
    }
}
