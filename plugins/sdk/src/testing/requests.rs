//! Example requests, which a test adapts to its needs.

use crate::image::{Aspect, Audience, Character, DrawRequest, Media, Pixels, Purpose};
use crate::layout::{Book, Drawing};
use crate::planner::PlanRequest;
use crate::v1::reviewer::{self, FinishedPicture, Picture, Prompt};

/// Creates a request for a portrait page for children, with the given number of characters. Each has a reference image,
/// which consists of the first bytes of a PNG and the number of the character.
pub fn draw_request(references: u8) -> DrawRequest {
    let character = |number| Character {
        reference: Some(Media {
            media_type: "image/png".into(),
            bytes: [b"\x89PNG\r\n\x1a\n".as_slice(), &[number]].concat(),
        }),
        ..character(number)
    };
    DrawRequest {
        purpose: Purpose::Page,
        prompt: "A fox finds a key in the snow".into(),
        title: "The key".into(),
        aspect: Aspect::Portrait,
        size: Pixels {
            width: 1152,
            height: 1536,
        },
        audience: Audience::Child,
        characters: (1..=references).map(character).collect(),
        source: None,
        seed: 7,
        extra: Vec::new(),
    }
}

/// Creates a request to change a picture like that of [`draw_request`]: "Remove the key". The picture to change
/// consists of the first bytes of a JPEG.
pub fn refine_request(references: u8) -> DrawRequest {
    let request = draw_request(references);
    let extra = [("instruction", "Remove the key"), ("present-prompt", &*request.prompt)];
    DrawRequest {
        extra: extra.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        prompt: format!("{}\n\nWith this change: Remove the key", request.prompt),
        source: Some(Media {
            media_type: "image/jpeg".into(),
            bytes: b"\xff\xd8\xff".to_vec(),
        }),
        ..request
    }
}

/// Creates a request for twelve pages for children, with one character.
pub fn plan_request() -> PlanRequest {
    PlanRequest {
        theme: "Foxes in winter".into(),
        page_count: 12,
        aspect: Aspect::Portrait,
        audience: Audience::Child,
        title: None,
        characters: vec![character(1)],
        language: "en".into(),
        notes: None,
        seed: 7,
        extra: Vec::new(),
    }
}

/// Creates the prompt of a page for children to review.
pub fn prompt_to_review() -> Prompt {
    Prompt {
        purpose: reviewer::Purpose::Page,
        text: "A fox finds a key in the snow".into(),
        title: "The key".into(),
        audience: Audience::Child,
        extra: Vec::new(),
    }
}

/// Creates a picture for [`prompt_to_review`], which consists of the first bytes of a PNG.
pub fn picture_to_review() -> Picture {
    Picture {
        prompt: prompt_to_review(),
        aspect: Aspect::Portrait,
        image: Media {
            media_type: "image/png".into(),
            bytes: b"\x89PNG\r\n\x1a\n".to_vec(),
        },
        redrawn: false,
        extra: Vec::new(),
    }
}

/// Creates the same picture, to be described in German.
pub fn finished_picture() -> FinishedPicture {
    let Picture {
        prompt,
        aspect,
        image,
        extra,
        ..
    } = picture_to_review();
    FinishedPicture {
        prompt: Prompt {
            text: String::new(),
            ..prompt
        },
        aspect,
        image,
        language: "de".into(),
        extra,
    }
}

fn character(number: u8) -> Character {
    Character {
        name: format!("Fox {number}"),
        description: "a small fox with a bell".into(),
        style: String::new(),
        seed: u64::from(number),
        reference: None,
    }
}

/// Creates a book for a layout, with the given number of drawings and without a cover.
pub fn book(drawings: usize, aspect: Aspect) -> Book {
    let drawing = Drawing {
        title: "A sleepy fox".to_owned(),
        caption: "Good night, little fox".to_owned(),
    };
    Book {
        title: "A woodland day".to_owned(),
        subtitle: String::new(),
        author: String::new(),
        description: String::new(),
        audience: Audience::Child,
        aspect,
        has_cover: false,
        drawings: vec![drawing; drawings],
        language: "en".to_owned(),
        extra: Vec::new(),
    }
}
