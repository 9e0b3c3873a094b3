//! People on pages: the same as on covers in color, in lines that leave room for colors.

mod characters;
mod support;

use characters::character;
use linepress_plugin_sdk::v1::image::{Aspect, Audience, Coloring, DrawRequest, Pixels, Purpose};
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

/// A page with characters, each a name and a description.
fn page_with(characters: &[(&str, &str)], prompt: &str, seed: u64) -> DrawRequest {
    let characters = characters
        .iter()
        .map(|(name, description)| character(name, description));
    DrawRequest {
        characters: characters.collect(),
        ..page(prompt, seed)
    }
}

/// The figures with these labels on a sheet.
fn people_of<'a>(sheet: &'a Sheet, labels: &[&str]) -> Vec<(&'a Figure, &'a String)> {
    let figures = sheet.figures.iter().zip(&sheet.labels);
    figures.filter(|(_, label)| labels.contains(&label.as_str())).collect()
}

/// Asserts that no person of a group hides the eyes of another.
fn assert_faces_are_visible(people: &[(&Figure, &String)], about: &str) {
    for (index, (person, label)) in people.iter().enumerate() {
        for (other, _) in &people[index + 1..] {
            let bounds = other.bounds();
            let is_hidden = |eye: &&(f32, f32)| {
                (bounds.left()..bounds.right()).contains(&eye.0) && (bounds.top()..bounds.bottom()).contains(&eye.1)
            };
            let hidden = person.anchors.eyes.iter().filter(is_hidden).count();
            assert_eq!(hidden, 0, "{about}: {label}");
        }
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
            let people = people_of(&sheet, labels);
            assert_eq!(people.len(), labels.len(), "{about}");
            assert_faces_are_visible(&people, &about);
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
        let request = page_with(&[("Mia", description)], "Mia in the garden", 1);
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

/// Characters of a book, more than a picture of animals shows.
const ANIMALS: &[(&str, &str)] = &[
    ("Pip", "a fox"),
    ("Luna", "an owl"),
    ("Bruno", "a bear"),
    ("Zoe", "a rabbit"),
    ("Max", "a cat"),
];

#[test]
fn the_note_names_each_character_that_a_picture_does_not_show() {
    let note = |request: &DrawRequest| draw(request).unwrap().note.unwrap_or_default();
    let scene = page_with(ANIMALS, "In the forest", 1);
    assert_eq!(composed(&scene).omitted, ["Zoe", "Max"]);
    let said = note(&scene);
    assert!(said.starts_with("Not shown: "), "{said}");
    assert!(said.ends_with("\"Zoe\", \"Max\"."), "{said}");
    let said = note(&page_with(ANIMALS, "A bear skates by a waterfall", 1));
    assert!(said.ends_with("\"Zoe\", \"Max\", \"skates\", \"waterfall\"."), "{said}");
    let cover = DrawRequest {
        purpose: Purpose::Cover,
        coloring: Coloring::Color,
        ..page_with(ANIMALS, "In the forest", 1)
    };
    assert_eq!(composed(&cover).omitted, ["Zoe", "Max"]);
    let few = page_with(&ANIMALS[..3], "In the forest", 1);
    assert!(composed(&few).omitted.is_empty());
    assert_eq!(
        note(&page_with(ANIMALS, "A mandala of flowers", 1)),
        "Not shown: \"Luna\", \"Bruno\", \"Zoe\", \"Max\"."
    );
    assert_eq!(note(&page_with(&ANIMALS[..1], "A mandala of flowers", 1)), "");
}

#[test]
fn up_to_five_characters_stand_together_where_their_rows_have_room() {
    let family = [
        ("Ada", "a woman"),
        ("Ben", "a man"),
        ("Mia", "a girl"),
        ("Tom", "a boy"),
        ("Eva", "a woman"),
    ];
    let adults = [
        ("Ada", "a woman"),
        ("Ben", "a man"),
        ("Eva", "a woman"),
        ("Leo", "a man"),
    ];
    let with_a_dog = [family[0], family[1], family[2], family[3], ("Rex", "a dog")];
    let of_six = [family[0], family[1], family[2], family[3], family[4], ("Kim", "a girl")];
    let led = [ANIMALS[0], family[0], family[1], family[2]];
    let upright = (Aspect::Portrait, 576, 768);
    let wide = (Aspect::Landscape, 768, 576);
    for (characters, (aspect, width, height), people, omitted) in [
        (&adults[..], upright, 3, &["Leo"][..]),
        (&adults[..], wide, 4, &[]),
        (&family[..], upright, 5, &[]),
        (&family[..], wide, 5, &[]),
        (&with_a_dog[..], upright, 4, &["Rex"]),
        (&of_six[..], upright, 5, &["Kim"]),
        (&led[..], wide, 2, &["Mia"]),
    ] {
        for seed in 1..4 {
            let request = DrawRequest {
                aspect,
                size: Pixels { width, height },
                ..page_with(characters, "In the park", seed)
            };
            let sheet = composed(&request);
            let about = format!("{characters:?}, {aspect:?}, seed {seed}");
            assert_eq!(sheet.omitted, omitted, "{about}");
            let shown = people_of(&sheet, &["woman", "man", "girl", "boy"]);
            assert_eq!(shown.len() + sheet.missing.len(), people, "{about}");
            if people > 3 {
                assert_faces_are_visible(&shown, &about);
            }
        }
    }
    // Other people of the prompt stand there, too.
    let with_others = page_with(&family, "A grandmother in the park", 1);
    assert_eq!(composed(&with_others).omitted, ["Tom", "Eva"]);
}
