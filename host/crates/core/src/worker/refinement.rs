//! The request for a refinement: the present picture as the provider's source, the instruction in the prompt, and the
//! note if no provider could change the picture.
use linepress_imaging::prepare_source;
use linepress_plugin_host::{Change, Media};

use crate::artwork::attempts::DRAWN_AGAIN;
use linepress_drawings::queue::{DrawingRequest, Refinement};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

/// Maximum length of a note in characters.
pub(super) const MAX_NOTE_CHARS: usize = 200;

/// The prompt of a drawing. It contains the instruction, because a provider may not know the instruction as such.
/// `edits` is true if the provider gets the present picture.
pub(super) fn prompt(request: &DrawingRequest, edits: bool) -> String {
    let present = &request.prompt;
    match &request.refinement {
        None => present.clone(),
        Some(Refinement { instruction, .. }) if edits => format!(
            "{present}\n\nThe attached picture shows this page as it is now. Change only this and keep everything else: \
             {instruction}"
        ),
        Some(refinement) => format!("{present}\n\nWith this change: {}", instruction(refinement, edits)),
    }
}

/// What to change. A provider that does not get the present picture draws it again with what was changed before, too.
fn instruction(refinement: &Refinement, edits: bool) -> String {
    let earlier = refinement.earlier.iter().filter(|_| !edits).map(String::as_str);
    let all: Vec<&str> = earlier.chain([refinement.instruction.as_str()]).collect();
    all.join("\n")
}

/// The seed of the first call. A provider that draws from text gets that of the present picture.
pub(super) fn first_seed(request: &DrawingRequest, edits: bool) -> i64 {
    match edits {
        true => request.seed,
        false => request.seed_from_text(),
    }
}

/// The seed to keep of a picture that was drawn with the seed `used`: a later refinement draws its composition from
/// text with it. A picture that a provider changed keeps the seed of the one before.
pub(super) fn seed_to_keep(request: &DrawingRequest, edits: bool, used: u64) -> Option<i64> {
    match &request.refinement {
        Some(refinement) if edits => refinement.seed,
        _ => i64::try_from(used).ok(),
    }
}

/// The change for a provider that knows instructions.
pub(super) fn change(request: &DrawingRequest, edits: bool) -> Option<Change> {
    let refinement = request.refinement.as_ref()?;
    Some(Change {
        instruction: instruction(refinement, edits),
        present_prompt: request.prompt.clone(),
    })
}

/// The present picture in the form that providers get. None when its object is missing.
pub(super) async fn present_picture(app: &App, refinement: &Refinement) -> Result<Option<Media>> {
    let Some(bytes) = app.storage.get(&refinement.picture).await? else {
        let key = &refinement.picture;
        tracing::error!(key, "the picture to refine is missing in the object storage");
        return Ok(None);
    };
    let prepared = tokio::task::spawn_blocking(move || prepare_source(&bytes)).await;
    let bytes = prepared.map_err(Error::internal)?.map_err(Error::internal)?;
    Ok(Some(Media {
        media_type: "image/jpeg".into(),
        bytes,
    }))
}

/// The note on a picture that a provider drew: if it was to change the present one but could not, the note says so.
pub(super) fn note(request: &DrawingRequest, edits: bool, of_provider: Option<String>) -> Option<String> {
    if request.refinement.is_none() || edits {
        return of_provider;
    }
    let note = match of_provider {
        Some(note) => format!("{DRAWN_AGAIN} {note}"),
        None => DRAWN_AGAIN.to_owned(),
    };
    if note.chars().count() <= MAX_NOTE_CHARS {
        return Some(note);
    }
    Some(note.chars().take(MAX_NOTE_CHARS - 1).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use linepress_model::{Aspect, Audience, Look};

    use super::*;

    fn request(instruction: Option<&str>) -> DrawingRequest {
        DrawingRequest {
            prompt: "A fox with a hat".into(),
            new_prompt: None,
            old_prompt: None,
            new_title: None,
            new_caption: None,
            title: "A fox".into(),
            aspect: Aspect::Portrait,
            audience: Audience::Child,
            seed: 1,
            characters: Vec::new(),
            source: None,
            in_color: false,
            new_style: None,
            look: Look::default(),
            seed_book_id: None,
            is_test: false,
            refinement: instruction.map(|instruction| Refinement {
                instruction: instruction.into(),
                earlier: Vec::new(),
                picture: "drawings/1.png".into(),
                seed: None,
            }),
        }
    }

    #[test]
    fn the_prompt_contains_the_instruction_and_says_whether_a_picture_is_attached() {
        let refined = request(Some("Remove the hat"));
        assert_eq!(prompt(&request(None), true), "A fox with a hat");
        let edited = prompt(&refined, true);
        assert!(
            edited.starts_with("A fox with a hat\n\nThe attached picture"),
            "{edited}"
        );
        assert!(edited.ends_with("keep everything else: Remove the hat"), "{edited}");
        assert_eq!(
            prompt(&refined, false),
            "A fox with a hat\n\nWith this change: Remove the hat"
        );
        assert_eq!(refined.seed_from_text(), 1);
        let change = change(&refined, true).unwrap();
        assert_eq!(change.present_prompt, "A fox with a hat");
    }

    #[test]
    fn earlier_changes_are_repeated_for_a_provider_that_does_not_get_the_picture() {
        let mut refined = request(Some("Add a cat"));
        refined.refinement.as_mut().unwrap().earlier = vec!["Remove the hat".into()];
        for (edits, expected) in [(true, "Add a cat"), (false, "Remove the hat\nAdd a cat")] {
            assert_eq!(change(&refined, edits).unwrap().instruction, expected);
            assert!(prompt(&refined, edits).ends_with(&format!(": {expected}")));
        }
    }

    #[test]
    fn the_kept_seed_is_the_one_that_drew_the_composition_from_text() {
        let drawn = request(None);
        let mut refined = request(Some("Remove the hat"));
        refined.refinement.as_mut().unwrap().seed = Some(7);
        for (request, edits, expected) in [
            (&drawn, false, Some(2)),
            (&drawn, true, Some(2)),
            (&refined, false, Some(2)),
            (&refined, true, Some(7)),
        ] {
            assert_eq!(seed_to_keep(request, edits, 2), expected);
        }
        assert_eq!([true, false].map(|edits| first_seed(&refined, edits)), [1, 7]);
    }

    #[test]
    fn a_note_says_that_the_picture_was_drawn_again_and_remains_short() {
        let refined = request(Some("Remove the hat"));
        let hint = || Some("No drawing of \"zeppelin\" is known.".to_owned());
        assert_eq!(note(&request(None), false, hint()), hint());
        assert_eq!(note(&refined, true, hint()), hint());
        assert_eq!(note(&refined, true, None), None);
        assert_eq!(note(&refined, false, None).as_deref(), Some(DRAWN_AGAIN));
        let both = note(&refined, false, hint()).unwrap();
        assert!(both.ends_with("drawn again with the change in mind. No drawing of \"zeppelin\" is known."));
        let long = note(&refined, false, Some("ü".repeat(200))).unwrap();
        assert_eq!(long.chars().count(), 200);
        assert!(long.ends_with("ü…"));
    }
}
