//! Changes of a page that was drawn before: the composition remains, and only the named things are different.

mod characters;
mod support;

use characters::character;
use linepress_plugin_sdk::v1::image::{Change, DrawRequest};
use sketchbook::brief::Brief;
use sketchbook::draw;
use sketchbook::edit::names;
use sketchbook::figure::traits::Trait;
use sketchbook::scene::{self, Sheet};

const PROMPT: &str = "A fox and a duck in a meadow";

fn request(prompt: &str, instruction: Option<&str>) -> DrawRequest {
    DrawRequest {
        change: instruction.map(|instruction| Change {
            instruction: instruction.to_string(),
            present_prompt: prompt.to_string(),
        }),
        seed: 3,
        ..support::page(prompt)
    }
}

fn sheet(instruction: Option<&str>) -> Sheet {
    scene::draw(&Brief::read(&request(PROMPT, instruction)).expect("the request is valid"))
}

/// The corners of the figures of a page. Those in the distance belong to the backdrop.
fn corners(sheet: &Sheet) -> Vec<[f32; 4]> {
    let bounds = sheet.figures.iter().map(|figure| figure.bounds());
    bounds
        .map(|bounds| [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()])
        .collect()
}

#[test]
fn a_thing_in_another_size_leaves_everything_else_where_it_is() {
    let before = sheet(None);
    for (instruction, is_bigger) in [("Make the duck bigger", true), ("Shrink the duck", false)] {
        let after = sheet(Some(instruction));
        assert_eq!(before.figures.len(), after.figures.len());
        for (index, (old, new)) in corners(&before).iter().zip(corners(&after)).enumerate() {
            if before.labels[index] == "duck" {
                let growth = (new[3] - new[1]) / (old[3] - old[1]);
                assert_eq!(growth > 1.0, is_bigger, "{growth}");
                assert!((new[3] - old[3]).abs() < 0.1, "the duck left its ground");
            } else {
                assert_eq!(*old, new, "{}", before.labels[index]);
            }
        }
    }
}

#[test]
fn a_removed_thing_is_gone_whether_the_prompt_names_it_or_it_is_a_decoration() {
    let before = sheet(None);
    let (fox, others): (Vec<&String>, Vec<&String>) = before.labels.iter().partition(|label| *label == "fox");
    assert!(!fox.is_empty() && others.len() > 2, "{:?}", before.labels);
    for label in others {
        let instruction = format!("Remove the {label}");
        let gone = names(label);
        let is_gone = |other: &String| {
            gone.iter()
                .any(|name| name == other || other.ends_with(&format!(" {name}")))
        };
        let left = corners(&before).into_iter().zip(&before.labels);
        let left: Vec<[f32; 4]> = left
            .filter(|(_, other)| !is_gone(other))
            .map(|(corners, _)| corners)
            .collect();
        assert_eq!(corners(&sheet(Some(&instruction))), left, "{instruction}");
        let page = draw(&request(PROMPT, Some(&instruction))).unwrap();
        assert_eq!(page.note, None, "{instruction}");
    }
}

#[test]
fn the_note_lists_only_what_was_not_done() {
    let note = |instruction: &str| draw(&request(PROMPT, Some(instruction))).unwrap().note;
    assert_eq!(note("Make the duck bigger"), None);
    assert_eq!(
        note("Make the duck bigger, remove the rocket and move the fox to the left").as_deref(),
        Some("Not done: \"remove the rocket\", \"move the fox to the left\".")
    );
}

#[test]
fn a_character_takes_off_what_its_description_names() {
    let request = DrawRequest {
        characters: vec![character("Biscuit", "a dog with a red collar and a top hat")],
        ..request("Biscuit in the park", Some("Remove the hat"))
    };
    let brief = Brief::read(&request).unwrap();
    assert_eq!(brief.characters[0].worn(), [Trait::Collar]);
    assert!(brief.edits.iter().all(|edit| edit.is_done), "{:?}", brief.edits);
}
