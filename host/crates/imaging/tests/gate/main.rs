//! The quality gate, tested on drawings whose faults are known because the test planted them.
mod planted;
mod scenes;
mod sheet;

use fastrand::Rng;
use linepress_imaging::{faults, prepare_drawing};
use linepress_model::{Aspect, Audience};

use planted::{Planted, Truth};
use scenes::Scene;
use sheet::Sheet;

#[test]
fn at_least_57_of_60_drawings_of_mixed_quality_are_judged_correctly() {
    let drawings = planted::drawings();
    assert_eq!(drawings.len(), 60);
    let wrong: Vec<String> = drawings.iter().filter_map(disagreement).collect();
    assert!(wrong.len() <= 3, "{}", wrong.join("\n"));
}

/// Describes how the faults found in a drawing differ from the planted ones; `None` when they agree.
fn disagreement(drawing: &Planted) -> Option<String> {
    let Planted {
        name,
        bytes,
        aspect,
        audience,
        truth,
    } = drawing;
    let measured = |bytes: &[u8]| prepare_drawing(bytes, *aspect, *audience).expect("a picture").measures;
    let measures = measured(bytes);
    let found = faults(&measures, *audience);
    let agrees = match truth {
        Truth::Good => found.is_empty(),
        Truth::Repairable { whole } => {
            found.is_empty() && measures.gaps_closed > 0 && measures.shapes == measured(whole).shapes
        }
        Truth::Bad(fault) => found.contains(fault),
    };
    (!agrees).then(|| format!("{name}, {aspect} for {audience}: found {found:?} in {measures:?}"))
}

#[test]
fn a_print_master_differs_little_from_the_scene_it_was_drawn_from() {
    let scenes = [
        (Aspect::Portrait, Audience::Adult),
        (Aspect::Landscape, Audience::Teen),
        (Aspect::Square, Audience::Child),
    ];
    for (aspect, audience) in scenes {
        let scene = Scene::of_things(&mut Rng::with_seed(1), aspect, audience);
        let prepared = prepare_drawing(&scene.drawn().png(), aspect, audience).expect("a picture");
        let png = linepress_imaging::print_picture(&prepared.master).expect("a master");
        let print = image::load_from_memory(&png).expect("a PNG").into_luma8();
        let scale = f64::from(print.width()) / f64::from(prepared.width);
        let truth = scene.drawn_on(Sheet::new((print.width(), print.height()), scale));
        let ink = truth.pixels.iter().filter(|&&tone| tone < 128).count();
        let differing = truth.pixels.iter().zip(print.as_raw());
        let differing = differing
            .filter(|(meant, printed)| (**meant < 128) != (**printed < 128))
            .count();
        let share = differing as f64 / ink as f64;
        assert!(share <= 0.025, "{aspect}: {share}");
    }
}
