//! Ears, tails, coats and beards that a text names, and the places of animals at the water.

mod characters;
mod support;

use characters::character;
use linepress_plugin_sdk::v1::image::{Coloring, DrawRequest, Purpose};
use sketchbook::brief::Brief;
use sketchbook::draw;
use sketchbook::figure::Figure;
use sketchbook::player::Player;
use sketchbook::scene;
use sketchbook::words::Wish;
use tiny_skia::PathSegment;

/// The outlines of the first subject of a page.
fn outlines(prompt: &str) -> Vec<Vec<PathSegment>> {
    let brief = Brief::read(&support::page(prompt)).expect("the request is valid");
    let mut rng = fastrand::Rng::with_seed(5);
    let player = Player::for_subject(&brief.wish.subjects[0], 0, &brief.style, &mut rng);
    let player = player.expect("the subject has a drawing");
    let figure: Figure = player.figure(400.0, 400.0, &brief.style);
    let lines = figure.layers.iter().filter_map(|layer| layer.line.as_ref());
    lines.map(|path| path.segments().collect()).collect()
}

fn portrait(description: &str) -> DrawRequest {
    DrawRequest {
        purpose: Purpose::Character,
        characters: vec![character("Zed", description)],
        ..support::page("Zed")
    }
}

#[test]
fn a_feature_changes_the_figure_that_has_it() {
    // A hat asks for the same body.
    for (plain, features) in [
        (
            "A dog without a hat stands",
            &[
                "A dog with a bushy tail stands",
                "A dog with a short tail stands",
                "A dog with a curly tail stands",
                "A dog with black spots stands",
                "A dog has a white patch and stands",
                "A fluffy dog stands",
                "A dog with short legs stands",
                "A striped dog stands",
                "A dog with pointed ears stands",
            ][..],
        ),
        (
            "A man stands",
            &["A man with a beard stands", "A man with a moustache stands"],
        ),
    ] {
        let mut seen = vec![outlines(plain)];
        for prompt in features {
            let drawn = outlines(prompt);
            assert!(!seen.contains(&drawn), "{prompt}");
            assert_eq!(draw(&support::page(prompt)).unwrap().note, None, "{prompt}");
            seen.push(drawn);
        }
    }
}

#[test]
fn the_note_names_the_features_that_a_picture_does_not_show() {
    let note = |request: &DrawRequest| draw(request).unwrap().note;
    for (description, said) in [
        ("a small dog with floppy ears, a bushy tail and a white patch", None),
        ("a girl with long hair", None),
        ("an old man with a long white beard and a moustache", None),
        (
            "a fox with floppy ears and a beard",
            Some("Not shown: \"floppy ears\", \"beard\"."),
        ),
        ("a horse with a white patch", Some("Not shown: \"white patch\".")),
        ("a giraffe with spots and long legs", None),
    ] {
        assert_eq!(note(&portrait(description)).as_deref(), said, "{description}");
    }
    let with_fox = DrawRequest {
        characters: vec![character("Pip", "a fox with floppy ears")],
        ..support::page("Pip is in the forest")
    };
    assert_eq!(note(&with_fox).unwrap(), "Not shown: \"floppy ears\".");
    let page = support::page("A rabbit with pointed ears and a robot with a beard");
    let drawn = draw(&page).unwrap();
    assert_eq!(drawn.note.unwrap(), "Not shown: \"pointed ears\", \"beard\".");
    assert_eq!(drawn.unknown, ["pointed ears", "beard"]);
}

#[test]
fn a_white_patch_is_not_an_eye_patch() {
    for (prompt, worn) in [("A dog with a white patch", 0), ("A dog with an eye patch", 1)] {
        assert_eq!(Wish::read(prompt).subjects[0].has.worn.len(), worn, "{prompt}");
    }
}

#[test]
fn who_waves_back_and_what_carries_a_subject_is_known() {
    let wish = Wish::about("Pip sees an owl and waves back", &["Pip"]);
    assert!(wish.named[0].posture.is_some() && wish.subjects[0].has.posture.is_none());
    for (prompt, unshown) in [
        ("A cat sits on the log", vec!["on the log"]),
        ("A cat sitting happily on a chair", vec!["on a chair"]),
        ("A cat sits in the grass next to a log", vec![]),
        ("A cat sees a bird and climbs a tree", vec!["climbs"]),
        ("A cat in sand and waves", vec![]),
    ] {
        assert_eq!(Wish::read(prompt).unshown, unshown, "{prompt}");
    }
}

#[test]
fn an_animal_that_lives_on_land_is_in_front_of_the_water() {
    for seed in 0..12 {
        let request = DrawRequest {
            seed,
            ..support::page("A fox beside a lake")
        };
        let sheet = scene::draw(&Brief::read(&request).unwrap());
        let width = request.size.width as f32;
        let fills = sheet.backdrop.iter().filter_map(|layer| layer.fill.as_ref());
        let pond = fills
            .map(|path| path.bounds())
            .rfind(|bounds| (width * 0.7..width).contains(&bounds.width()))
            .unwrap();
        let fox = sheet.hero.unwrap();
        assert!(fox.bottom() > pond.bottom(), "seed {seed}: {fox:?}, {pond:?}");
    }
}

#[test]
fn the_faces_of_a_cover_are_free() {
    let cast = [("Pip", "a fox"), ("Bo", "a bear"), ("Mia", "a rabbit")];
    for seed in 0..10 {
        let request = DrawRequest {
            purpose: Purpose::Cover,
            coloring: Coloring::Color,
            characters: cast.iter().map(|(name, about)| character(name, about)).collect(),
            seed,
            ..support::page("Pip, Bo and Mia holding balloons in the forest")
        };
        let sheet = scene::draw(&Brief::read(&request).unwrap());
        let is_in_cast = |label: &str| ["fox", "bear", "rabbit"].contains(&label);
        let figures: Vec<&Figure> = sheet.figures.iter().collect();
        for (index, label) in sheet.labels.iter().enumerate().filter(|(_, label)| is_in_cast(label)) {
            for (x, y) in &figures[index].anchors.eyes {
                let covers = |path: &tiny_skia::Path| {
                    let mut mask = tiny_skia::Mask::new(2, 2).unwrap();
                    let way = tiny_skia::Transform::from_translate(1.0 - x, 1.0 - y);
                    mask.fill_path(path, tiny_skia::FillRule::Winding, false, way);
                    mask.data().iter().all(|value| *value > 0)
                };
                let nearer = figures[index + 1..].iter().flat_map(|figure| &figure.layers);
                let mut fills = nearer.filter_map(|layer| layer.fill.as_ref());
                assert!(!fills.any(covers), "seed {seed}: {label}");
            }
        }
    }
}
