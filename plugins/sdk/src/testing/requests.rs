//! Requests to begin a test with: change what the test is about.

use crate::image::{Aspect, Audience, Character, DrawRequest, Media, Pixels, Purpose};
use crate::layout::{Book, Drawing};
use crate::planner::PlanRequest;

/// A page for children in portrait, with so many characters, each of which has a reference image: the first bytes of a
/// PNG, and its number.
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

/// Twelve pages for children, with one character.
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

fn character(number: u8) -> Character {
    Character {
        name: format!("Fox {number}"),
        description: "a small fox with a bell".into(),
        style: String::new(),
        seed: u64::from(number),
        reference: None,
    }
}

/// A book of so many drawings for a layout, without a cover.
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
