//! The faults of a generated drawing as a coloring page.
use linepress_model::{Audience, text_enum};
use linepress_raster::Measures;

text_enum! {
    /// A fault that makes a drawing a bad coloring page.
    #[schema(as = QualityFaultCode)]
    pub enum Fault {
        /// The page is almost empty.
        Blank = "blank",
        /// Too much of the page is black, and too little is left to color.
        TooDark = "too_dark",
        /// The drawing has tones instead of outlines.
        Shaded = "shaded",
        /// An area is filled with black.
        Filled = "filled",
        /// A shape is so large that its outline must be open somewhere.
        Leaking = "leaking",
        /// Too many shapes are too small to color.
        TooFine = "too_fine",
        /// The lines are too thin for the audience.
        TooThin = "too_thin",
    }
}

/// The limits that depend on the audience.
struct Limits {
    /// The largest share of the page that may be ink.
    ink: f64,
    /// The number of shapes that may be too small to color.
    specks: u32,
    /// The largest share of shapes that may be narrower than the tip of a crayon. Audiences with pencils have no limit.
    slivers: f64,
    /// The thickness of the median stroke, in pixels at the recommended size. It is half of the line weight that
    /// providers are asked for (8, 6, 4 and 3 pixels at 300 DPI), because styles differ.
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

/// The thickness above which an area counts as filled, in pixels. Good scenes have 16 to 27, scenes with filled areas
/// 136.
const MAX_THICKNESS_PIXELS: f64 = 60.0;
/// The share of even tones above which a drawing counts as shaded. Soft edges do not count as tones, see
/// `Gray::shaded_share`.
const MAX_SHADED_SHARE: f64 = 0.10;
/// The largest share of the page that one shape may have. Good scenes have 0.25 to 0.31, scenes with an open outline
/// 0.6.
const MAX_SHAPE_SHARE: f64 = 0.35;
/// The smallest share of the page that must be ink.
const MIN_INK_SHARE: f64 = 0.005;

/// Returns the faults of a generated drawing, or an empty list for a good one.
///
/// Imported artwork is the customer's own and is never judged.
pub fn faults(measures: &Measures, audience: Audience) -> Vec<Fault> {
    let limits = Limits::of(audience);
    if measures.ink < MIN_INK_SHARE {
        return vec![Fault::Blank];
    }
    let too_many_slivers = f64::from(measures.slivers) > limits.slivers * f64::from(measures.shapes);
    [
        (measures.ink > limits.ink, Fault::TooDark),
        (measures.shaded > MAX_SHADED_SHARE, Fault::Shaded),
        (measures.thickest > MAX_THICKNESS_PIXELS, Fault::Filled),
        (measures.largest_shape > MAX_SHAPE_SHARE, Fault::Leaking),
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
    fn a_good_page_has_no_faults_for_any_audience() {
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
    fn a_detailed_page_is_good_for_adults_and_bad_for_toddlers() {
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
