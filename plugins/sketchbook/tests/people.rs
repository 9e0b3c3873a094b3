//! People on pages: the same as on covers in color, in lines that leave room for colors.

mod support;

use linepress_plugin_sdk::v1::image::{Audience, Character, Coloring, DrawRequest, Purpose};
use sketchbook::brief::Brief;
use sketchbook::draw;
use sketchbook::figure::Figure;
use sketchbook::player::Player;
use sketchbook::scene::{self, Sheet};
use tiny_skia::{Path, PathSegment};

fn page(prompt: &str, seed: u64) -> DrawRequest {
    DrawRequest {
        seed,
        ..support::page(prompt)
    }
}

/// The sheet of a page.
fn composed(request: &DrawRequest) -> Sheet {
    scene::draw(&Brief::read(request).expect("the request is valid"))
}

/// The fills of a figure, as its outline without the pen.
fn outline(figure: &Figure) -> Vec<Vec<PathSegment>> {
    let fills = figure.layers.iter().filter_map(|layer| layer.fill.as_ref());
    fills.map(|path| path.segments().collect()).collect()
}

/// The first subject of a page of a book, in a pose that depends on nothing else.
fn first(request: &DrawRequest, size: f32) -> Figure {
    let brief = Brief::read(request).expect("the request is valid");
    let subject = &brief.wish.subjects[0];
    let number = brief.number_of(&subject.label, 0);
    let mut rng = fastrand::Rng::with_seed(5);
    let player = Player::for_subject(subject, number, &brief.style, &mut rng).expect("the subject has a drawing");
    player.figure(size, size, &brief.style)
}

#[test]
fn a_person_is_the_same_on_every_page_of_a_book() {
    let princess = |book_seed, seed| {
        let request = DrawRequest {
            book_seed,
            ..page("A princess in a garden", seed)
        };
        outline(&first(&request, 700.0))
    };
    assert_eq!(princess(Some(4), 1), princess(Some(4), 2));
    assert!((5..12).any(|book_seed| princess(Some(book_seed), 1) != princess(Some(4), 1)));
    assert!((2..9).any(|seed| princess(None, seed) != princess(None, 1)));
    let number = |request: &DrawRequest| Brief::read(request).unwrap().number_of("princess", 0);
    let of_book = DrawRequest {
        book_seed: Some(4),
        ..page("A princess in a garden", 1)
    };
    let cover = DrawRequest {
        purpose: Purpose::Cover,
        coloring: Coloring::Color,
        ..page("A princess and a dragon", 7)
    };
    let cover = DrawRequest {
        book_seed: Some(4),
        ..cover
    };
    assert_eq!(number(&of_book), number(&cover));
}

#[test]
fn people_with_a_role_or_a_costume_wear_its_clothes_on_pages() {
    // The layers below the face are those of the body and its clothes.
    let layers = |prompt: &str| first(&page(prompt, 3), 700.0).anchors.face;
    for prompt in ["A firefighter", "A doctor", "A builder", "A police officer"] {
        assert!(layers(prompt) > layers("A person"), "{prompt}");
    }
    for prompt in [
        "A mermaid",
        "An astronaut",
        "A superhero",
        "A fairy",
        "A wizard",
        "A baby",
    ] {
        assert!(
            first(&page(prompt, 3), 700.0).anchors.face.is_some(),
            "{prompt} has no body"
        );
    }
}

#[test]
fn what_is_too_small_to_color_is_left_out() {
    let areas = |audience, size| {
        let request = DrawRequest {
            audience,
            ..page("A princess", 3)
        };
        let figure = first(&request, size);
        let smallest = Brief::read(&request).unwrap().style.detail.smallest_radius;
        let face = figure.anchors.face.expect("a princess has a face");
        let side = |path: &Path| path.bounds().width().min(path.bounds().height());
        for path in figure.layers[..face].iter().filter_map(|layer| layer.fill.as_ref()) {
            assert!(
                side(path) > smallest * 1.2,
                "{audience:?}: an area of {} pixels",
                side(path)
            );
        }
        outline(&figure).len()
    };
    assert!(areas(Audience::Toddler, 350.0) < areas(Audience::Adult, 350.0));
    assert!(areas(Audience::Child, 200.0) < areas(Audience::Child, 700.0));
}

#[test]
fn people_stand_next_to_each_other_and_nobody_hides_a_face() {
    for (prompt, labels) in [
        (
            "A mother, a father, a girl and a boy on the beach",
            &["woman", "man", "girl", "boy"][..],
        ),
        ("A family of four in the park", &["woman", "man", "girl", "boy"]),
        ("A firefighter and a princess in the city", &["person", "princess"]),
        ("A grandmother and a girl in the kitchen", &["old woman", "girl"]),
    ] {
        for seed in 1..5 {
            let sheet = composed(&page(prompt, seed));
            let about = format!("{prompt}, seed {seed}");
            assert!(sheet.missing.is_empty() && sheet.omitted.is_empty(), "{about}");
            let people: Vec<(&Figure, &String)> = sheet
                .figures
                .iter()
                .zip(&sheet.labels)
                .filter(|(_, label)| labels.contains(&label.as_str()))
                .collect();
            assert_eq!(people.len(), labels.len(), "{about}");
            for (index, (person, label)) in people.iter().enumerate() {
                for (other, _) in &people[index + 1..] {
                    let bounds = other.bounds();
                    let is_hidden = |eye: &&(f32, f32)| {
                        (bounds.left()..bounds.right()).contains(&eye.0)
                            && (bounds.top()..bounds.bottom()).contains(&eye.1)
                    };
                    let hidden = person.anchors.eyes.iter().filter(is_hidden).count();
                    assert_eq!(hidden, 0, "{about}: {label}");
                }
            }
            let height = |wanted: &str| {
                let found = people.iter().find(|(_, label)| *label == wanted);
                found.map(|(figure, _)| figure.bounds().height())
            };
            if let (Some(adult), Some(child)) = (height("woman"), height("girl")) {
                assert!(child < adult * 0.9, "{about}");
            }
        }
    }
}

#[test]
fn a_character_has_the_hair_that_its_description_names() {
    let hair = |description: &str| {
        let request = DrawRequest {
            characters: vec![Character {
                name: "Mia".into(),
                description: description.into(),
                style: String::new(),
                seed: 7,
                reference: None,
            }],
            ..page("Mia in the garden", 1)
        };
        let brief = Brief::read(&request).unwrap();
        outline(&brief.characters[0].figure(500.0, 600.0, &brief.style))
    };
    let styles = ["a girl with braids", "a girl with curly hair", "a girl with long hair"].map(hair);
    assert!(styles[0] != styles[1] && styles[1] != styles[2] && styles[0] != styles[2]);
}

#[test]
fn the_note_names_subjects_beyond_the_number_that_a_picture_shows() {
    let request = DrawRequest {
        audience: Audience::Toddler,
        ..page("A fox, an owl, a bear, a rabbit, a cat, a dog and a mouse", 1)
    };
    let note = draw(&request)
        .unwrap()
        .note
        .expect("seven animals are too many for a toddler");
    assert!(note.starts_with("Not shown: "), "{note}");
}
