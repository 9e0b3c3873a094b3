//! Subjects without a drawing are written in letters and never replaced by another drawing.

mod support;

use linepress_plugin_sdk::v1::image::DrawRequest;
use sketchbook::words::{Wish, unknown_in_theme};

fn request(prompt: &str) -> DrawRequest {
    DrawRequest {
        seed: 4,
        ..support::page(prompt)
    }
}

#[test]
fn a_subject_without_a_drawing_is_spelled_next_to_the_drawn_subjects() {
    for (prompt, spelled) in [
        ("An axolotl decorating a cake beside a teapot", vec!["axolotl"]),
        ("A cook and an axolotl on a chair", vec!["axolotl"]),
        ("An axolotl and a quokka in the forest", vec!["axolotl", "quokka"]),
        ("A cello", vec!["cello"]),
        ("A fox riding a zeppelin", vec![]),
        ("A fox in the forest", vec![]),
    ] {
        assert_eq!(Wish::read(prompt).spelled, spelled, "{prompt}");
    }
    let page = sketchbook::draw(&request("An axolotl decorating a cake beside a teapot")).unwrap();
    assert_eq!(
        page.note.as_deref(),
        Some("No drawing of \"axolotl\" is known: the page shows the word.")
    );
}

#[test]
fn the_letters_are_on_the_page() {
    let ink = |prompt: &str| {
        let page = sketchbook::page::draw_gray(&request(prompt)).unwrap();
        let rows = page
            .pixels
            .chunks_exact(page.width as usize)
            .take(page.height as usize * 2 / 5);
        rows.flatten().filter(|pixel| **pixel < 128).count()
    };
    let (with, without) = (ink("An axolotl in the snow"), ink("Nothing in the snow"));
    assert!(with > without + without / 2, "{with} {without}");
}

#[test]
fn a_prompt_in_an_unsupported_script_is_a_pattern_with_a_note() {
    for prompt in ["قنفذ النمل", "อักโซลอเติล", "アホロートル"] {
        let wish = Wish::read(prompt);
        assert_eq!((wish.spelled.len(), wish.subjects.len()), (0, 0), "{prompt}");
        let note = sketchbook::draw(&request(prompt)).unwrap().note.unwrap();
        assert!(note.ends_with("the page is a pattern."), "{prompt}: {note}");
    }
}

#[test]
fn every_unknown_word_of_a_theme_is_reported() {
    for (theme, unknown) in [
        ("Axolotl tea party", vec!["axolotl"]),
        ("Farm animals", vec![]),
        ("My brother plays the cello", vec!["cello"]),
        ("Grandma's sewing room", vec![]),
        ("Dogs in hats", vec![]),
        ("Dogs playing the cello", vec!["cello"]),
        ("A magical winter adventure", vec![]),
    ] {
        assert_eq!(unknown_in_theme(theme, &[]), unknown, "{theme}");
    }
    assert_eq!(unknown_in_theme("A day with Biscuit", &["Biscuit"]), [] as [&str; 0]);
}

#[test]
fn a_name_before_its_species_is_not_a_thing() {
    let wish = Wish::read("Biscuit the dog and a mouse near a little house");
    let labels: Vec<&str> = wish.subjects.iter().map(|subject| subject.label.as_str()).collect();
    assert_eq!(labels, ["dog", "mouse", "house"]);
    assert!(wish.unknown.is_empty() && wish.spelled.is_empty(), "{wish:?}");
}

#[test]
fn a_thing_held_by_a_dancer_is_a_separate_subject() {
    let wish = Wish::read("A dancer holding a flower");
    let labels: Vec<&str> = wish.subjects.iter().map(|subject| subject.label.as_str()).collect();
    assert_eq!(labels, ["ballet dancer", "blossom"]);
}
